"""Reductions, scans, norms, sorting and statistics beside PyTorch: the same bits, forward and backward, for one and for
several threads; a case that is only close says so."""

import numpy as np
import pytest

import flambeau

torch = pytest.importorskip("torch")

EXACT = [
    ("sum", lambda m, x: x.sum()),
    ("sum 0", lambda m, x: x.sum(0)),
    ("sum -1", lambda m, x: x.sum(-1)),
    ("sum transposed", lambda m, x: x.t().sum(0)),
    ("sum of strided columns", lambda m, x: x[:, ::2].sum(0)),
    ("sum of strided rows", lambda m, x: x[:, ::2].sum(1)),
    ("sum of all, strided", lambda m, x: x[:, ::2].sum()),
    ("sum twice", lambda m, x: x.reshape(x.shape[0], -1, 1).sum((0, 2))),
    ("mean", lambda m, x: x.mean()),
    ("mean 0", lambda m, x: x.mean(0, keepdim=True)),
    ("nansum", lambda m, x: x.nansum(1)),
    ("prod", lambda m, x: (x * 0.01 + 1).prod()),
    ("prod 0", lambda m, x: (x * 0.01 + 1).prod(0)),
    ("prod 1", lambda m, x: (x * 0.01 + 1).prod(1)),
    ("amax", lambda m, x: x.amax(1)),
    ("max", lambda m, x: x.max()),
    ("min 0", lambda m, x: x.min(0)),
    ("argmax", lambda m, x: x.detach().argmax(1)),
    ("var", lambda m, x: x.var()),
    ("var 0", lambda m, x: x.var(0)),
    ("std 1", lambda m, x: x.std(1, correction=0)),
    ("var_mean", lambda m, x: m.var_mean(x, 1)),
    ("var_mean of all", lambda m, x: m.var_mean(x)),
    ("norm", lambda m, x: x.norm()),
    ("norm 1", lambda m, x: x.norm(1)),
    ("norm 3", lambda m, x: x.norm(3, 1)),
    ("norm 0", lambda m, x: x.norm(2, 0)),
    ("norm -1", lambda m, x: x.norm(2, -1)),
    ("norm inf", lambda m, x: x.norm(float("inf"), 1)),
    ("dist", lambda m, x: m.dist(x, x.detach().flip(0))),
    ("cumsum", lambda m, x: x.cumsum(0)),
    ("cumprod", lambda m, x: (x * 0.01 + 1).cumprod(1)),
    ("cummax", lambda m, x: x.cummax(1)),
    ("sort", lambda m, x: x.sort(dim=0, stable=True)),
    ("topk", lambda m, x: x.topk(min(3, x.shape[1]), 1)),
    ("kthvalue", lambda m, x: x.kthvalue(1, 0)),
    ("median", lambda m, x: x.median(1)),
    ("median of all", lambda m, x: x.median()),
]
CLOSE = [
    ("logsumexp", lambda m, x: x.logsumexp(1)),
    ("logcumsumexp", lambda m, x: x.logcumsumexp(1)),
    ("quantile", lambda m, x: x.quantile(0.3, 0)),
    ("renorm", lambda m, x: m.renorm(x, 2, 0, 1.0)),
    ("cov", lambda m, x: m.cov(x)),
]
SHAPES = [
    (1, 1),
    (3, 5),
    (5, 7),
    (4, 8),
    (17, 33),
    (40, 129),
    (300, 200),
    (2, 40000),
    (9, 40000),
    (40000, 3),
    (2000, 64),
]


@pytest.fixture(params=[1, 3], ids=["one thread", "three threads"])
def threads(request):
    before = torch.get_num_threads(), flambeau.get_num_threads()
    torch.set_num_threads(request.param)
    flambeau.set_num_threads(request.param)
    yield request.param
    torch.set_num_threads(before[0])
    flambeau.set_num_threads(before[1])


def run(module, function, array):
    x = module.from_numpy(array.copy()).requires_grad_()
    results = function(module, x)
    results = [results] if isinstance(results, module.Tensor) else list(results)
    if results[0].requires_grad:
        weights = np.random.default_rng(1).normal(size=tuple(results[0].shape)).astype(array.dtype)
        (results[0] * module.from_numpy(np.asarray(weights))).sum().backward()
        results.append(x.grad)
    return [r.detach().numpy() for r in results]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize(("name", "function"), EXACT, ids=[name for name, _ in EXACT])
def test_same_bits(name, function, shape, dtype, threads):
    array = np.random.default_rng(0).normal(size=shape).astype(dtype)
    for got, want in zip(run(flambeau, function, array), run(torch, function, array)):
        assert got.shape == want.shape and got.dtype == want.dtype
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("shape", SHAPES[1:7], ids=str)
@pytest.mark.parametrize(("name", "function"), CLOSE, ids=[name for name, _ in CLOSE])
def test_close(name, function, shape):
    array = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    for got, want in zip(run(flambeau, function, array), run(torch, function, array)):
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8", "float32"])
def test_indices_of_equals(dtype):
    array = np.random.default_rng(0).integers(0, 9, size=(7, 200)).astype(dtype)
    x, y = flambeau.from_numpy(array), torch.from_numpy(array)
    for name, arguments in [("topk", (3,)), ("topk", (50,)), ("kthvalue", (60,)), ("median", (1,)), ("cummin", (1,))]:
        got, want = getattr(x, name)(*arguments), getattr(y, name)(*arguments)
        assert got[0].tolist() == want[0].tolist() and got[1].tolist() == want[1].tolist(), name
