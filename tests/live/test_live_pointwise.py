"""Elementwise operators beside PyTorch, forward and backward: the same bits but for the rows marked close, which are
within a few units in the last place. Also dtypes, strides and node names."""

import numpy as np
import pytest

import flambeau

torch = pytest.importorskip("torch")

EXACT = """
    neg abs sign square sqrt rsqrt reciprocal floor ceil trunc round frac sigmoid relu deg2rad rad2deg isnan isfinite
    signbit logical_not nan_to_num exp exp2 expm1 log log1p tanh sin cos sinh cosh atanh asinh acosh sinc logit
    special.entr nn.functional.gelu nn.functional.silu nn.functional.mish nn.functional.softplus nn.functional.elu
    nn.functional.selu nn.functional.celu nn.functional.logsigmoid nn.functional.glu nn.functional.hardswish
    nn.functional.hardsigmoid nn.functional.leaky_relu nn.functional.relu6 nn.functional.softshrink
    nn.functional.hardshrink nn.functional.tanhshrink nn.functional.softsign
""".split()
CLOSE = """
    log2 log10 tan asin acos atan erf erfc erfinv lgamma digamma i0 special.ndtr special.log_ndtr special.erfcx
    special.i0e special.i1 special.i1e
""".split()
BINARY = """
    add sub mul div maximum minimum fmax fmin eq ne lt le gt ge logical_and logical_or logical_xor copysign nextafter
    fmod remainder floor_divide pow atan2 hypot logaddexp logaddexp2 xlogy ldexp float_power
""".split()
POSITIVE = "pow xlogy float_power ldexp".split()
DTYPES = ["uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "bool"]


def find(module, name):
    for part in name.split("."):
        module = getattr(module, part)
    return module


def run(module, name, arrays):
    inputs = [module.from_numpy(a.copy()).requires_grad_() for a in arrays]
    result = find(module, name)(*inputs)
    outcome = [result.detach().numpy()]
    if result.requires_grad and name not in ("nextafter", "floor_divide"):
        weights = np.cos(np.arange(outcome[0].size)).astype(np.float32).reshape(outcome[0].shape)
        (result * module.from_numpy(weights)).sum().backward()
        outcome += [x.grad.numpy() for x in inputs]
    return outcome


def values(name, n, seed=0):
    a = np.random.default_rng(seed).normal(size=n).astype(np.float32) * 2
    domains = {"asin": np.tanh, "acos": np.tanh, "atanh": np.tanh, "erfinv": np.tanh, "acosh": lambda x: 1.01 + abs(x)}
    if name in domains:
        return domains[name](a) * np.float32(0.99) if name != "acosh" else domains[name](a)
    if name in ("logit",):
        return (1 / (1 + np.exp(-a))).astype(np.float32)
    if name in ("lgamma", "digamma", "special.entr") or name.startswith("log") or name.endswith("sqrt"):
        return abs(a) + np.float32(0.1)
    return a


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("n", [2, 38, 64, 1000, 40000])
def test_unary_bits(name, n):
    arrays = [values(name, n)]
    for ours, theirs in zip(run(flambeau, name, arrays), run(torch, name, arrays)):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("name", CLOSE)
@pytest.mark.parametrize("n", [2, 37, 2000])
def test_unary_close(name, n):
    arrays = [values(name, n)]
    for ours, theirs in zip(run(flambeau, name, arrays), run(torch, name, arrays)):
        np.testing.assert_allclose(ours, theirs, 2e-5, 1e-6)


@pytest.mark.parametrize("name", BINARY)
def test_binary(name):
    rng = np.random.default_rng(1)
    for left, right in [((5, 7), (5, 7)), ((5, 7), (7,)), ((3, 1, 4), (6, 1)), ((70,), ())]:
        arrays = [np.asarray(rng.normal(size=s) * 2, dtype=np.float32) for s in (left, right)]
        if name in POSITIVE:
            arrays = [np.asarray(abs(a) + np.float32(0.2)) for a in arrays]
        ours, theirs = run(flambeau, name, arrays), run(torch, name, arrays)
        np.testing.assert_array_equal(ours[0], theirs[0])
        for mine, other, shape in zip(ours[1:], theirs[1:], (left, right)):
            if shape == ours[0].shape:
                np.testing.assert_array_equal(mine, other)
            else:  # the sum over broadcast dimensions is the reductions'
                np.testing.assert_allclose(mine, other, 2e-5, 1e-5)


@pytest.mark.parametrize(
    "name", "add mul div true_divide floor_divide pow maximum lt bitwise_and fmod atan2 where".split()
)
def test_result_dtypes(name):
    for a in DTYPES:
        for b in [*DTYPES, 2, 2.5, True]:
            outcomes = []
            for module in (flambeau, torch):
                x = module.ones(3).to(getattr(module, a))
                y = module.ones(3).to(getattr(module, b)) if isinstance(b, str) else b
                try:
                    if name == "where":
                        result = module.where(module.tensor([True, False, True]), x, y)
                    else:
                        result = getattr(module, name)(x, y)
                    outcomes.append((str(result.dtype).rpartition(".")[2], result.float().tolist()))
                except (RuntimeError, TypeError) as error:
                    outcomes.append(type(error) is not None)
            assert outcomes[0] == outcomes[1], (name, a, b)


def test_strides_of_results():
    def cases(module):
        x = module.arange(24.0).reshape(2, 3, 4)
        yield x.permute(2, 0, 1) + 1
        yield x.permute(2, 0, 1) + module.ones(3)
        yield x.permute(2, 0, 1) * x.permute(2, 0, 1)
        yield x.permute(1, 2, 0) + x.permute(1, 2, 0).contiguous()
        yield x[:, ::2] + 1
        yield x[:, ::2].transpose(0, 2) > 0
        yield x[:, :1].expand(2, 5, 4) + 1
        yield module.ones(3, 1) + module.ones(1, 4)
        yield module.ones(4, 3).t() + module.ones(1, 4)
        yield x.t() + 1 if x.dim() == 2 else x.transpose(1, 2) + module.ones(2, 4, 1)
        yield x.permute(2, 0, 1).clone()
        yield x.permute(2, 0, 1).double()

    for ours, theirs in zip(cases(flambeau), cases(torch)):
        assert ours.stride() == theirs.stride() and ours.tolist() == theirs.tolist()


NODES = [
    lambda m, x, y: x + y,
    lambda m, x, y: x - y,
    lambda m, x, y: 1 - x,
    lambda m, x, y: x * y,
    lambda m, x, y: x / y,
    lambda m, x, y: 2 / x,
    lambda m, x, y: x**2,
    lambda m, x, y: x**y,
    lambda m, x, y: 2**x,
    lambda m, x, y: x % 2,
    lambda m, x, y: x % y,
    lambda m, x, y: x.exp(),
    lambda m, x, y: x.clamp(0, 1),
    lambda m, x, y: x.clamp_min(0),
    lambda m, x, y: m.where(x > 0, x, y),
    lambda m, x, y: x.masked_fill(x > 0, 0),
    lambda m, x, y: m.lerp(x, y, 0.5),
    lambda m, x, y: m.addcmul(x, x, y),
    lambda m, x, y: x.sgn(),
    lambda m, x, y: m.relu(x),
    lambda m, x, y: m.celu(x),
    lambda m, x, y: m.nn.functional.gelu(x),
    lambda m, x, y: m.nn.functional.relu6(x),
    lambda m, x, y: x.double(),
    lambda m, x, y: x.clone(),
    lambda m, x, y: m.floor_divide(x, y),
    lambda m, x, y: m.maximum(x, y),
]


@pytest.mark.parametrize("index", range(len(NODES)))
def test_node_names(index):
    names = []
    for module in (flambeau, torch):
        x, y = module.ones(2, requires_grad=True), module.ones(2, requires_grad=True)
        names.append(NODES[index](module, x, y).grad_fn.name().rpartition(":")[2])
    assert names[0] == names[1]


@pytest.mark.parametrize(
    "name", "sigmoid gelu_tanh silu mish softplus elu logsigmoid logit atan2 pow logaddexp".split()
)
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_tails_fall_where_pytorchs_do(name, threads):
    """Rows, chunks and strides decide which elements are computed singly."""

    def call(module, x):
        if name == "gelu_tanh":
            return module.nn.functional.gelu(x, approximate="tanh")
        if name in ("atan2", "pow", "logaddexp"):
            return getattr(module, name)(x.abs() + 0.1, x)
        if name == "logit":
            return module.logit(x.sigmoid())
        return getattr(module if name == "sigmoid" else module.nn.functional, name)(x)

    before = flambeau.get_num_threads(), torch.get_num_threads()
    flambeau.set_num_threads(threads), torch.set_num_threads(threads)
    try:
        for shape in [(1, 31), (5, 7), (40, 41), (3, 70), (201, 333)]:
            a = np.random.default_rng(5).normal(size=shape).astype(np.float32) * 3
            for view in (lambda x: x, lambda x: x.t(), lambda x: x[:, :-3], lambda x: x[:, ::2]):
                outcomes = []
                for module in (flambeau, torch):
                    x = view(module.from_numpy(a.copy())).detach().requires_grad_()
                    y = call(module, x)
                    (
                        y * module.from_numpy(np.cos(np.arange(y.numel())).astype(np.float32)).reshape(y.shape)
                    ).sum().backward()
                    outcomes.append((y.detach().numpy(), x.grad.numpy()))
                np.testing.assert_array_equal(outcomes[0][0], outcomes[1][0])
                np.testing.assert_array_equal(outcomes[0][1], outcomes[1][1])
    finally:
        flambeau.set_num_threads(before[0]), torch.set_num_threads(before[1])
