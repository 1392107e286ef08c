"""Losses against PyTorch through nn.functional: values, gradients, node names and messages."""

from __future__ import annotations

import numpy
import pytest

torch = pytest.importorskip("torch")

import flambeau  # noqa: E402

BOTH = (flambeau, torch)


def numbers(*shape, seed=0, low=None):
    rng = numpy.random.default_rng(seed)
    x = rng.normal(size=shape) if low is None else rng.uniform(low, 1 - low, size=shape)
    return x.astype("float32")


def run(lib, call, arrays):
    tensors = [lib.from_numpy(a.copy()) for a in arrays]
    tensors = [t.requires_grad_() if t.is_floating_point() else t for t in tensors]
    y = call(lib.nn.functional, *tensors)
    name = y.grad_fn.name()
    y.backward(lib.from_numpy(numpy.asarray(numbers(*y.shape, seed=9))))
    return name, [y.detach().numpy()] + [t.grad.numpy() for t in tensors if t.grad is not None]


def compare(call, arrays, exact):
    (our_name, ours), (their_name, theirs) = run(flambeau, call, arrays), run(torch, call, arrays)
    assert our_name.rstrip("01") == their_name.rstrip("01")  # C++ in PyTorch divides by numbers as Python does not
    assert len(ours) == len(theirs)
    for i, (a, b) in enumerate(zip(ours, theirs)):
        assert a.shape == b.shape
        if exact:
            numpy.testing.assert_array_equal(a.reshape(-1).view("u4"), b.reshape(-1).view("u4"), err_msg=f"result {i}")
        else:
            numpy.testing.assert_allclose(a, b, 1e-5, 1e-6, err_msg=f"result {i}")


REDUCTIONS = ["none", "mean", "sum"]


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("shape", [(1, 3), (7, 5), (100, 17), (1000, 3), (3, 4, 5), (2, 5, 6, 7), (2, 3, 4, 5, 2)])
@pytest.mark.parametrize("weighted", [False, True])
def test_nll_and_cross_entropy(shape, reduction, weighted):
    target = numpy.random.default_rng(1).integers(0, shape[1], size=(shape[0], *shape[2:]))
    if target.size > 1:
        target.flat[0] = -100
    arrays = [numbers(*shape), target]
    weight = numbers(shape[1], low=0.1) if weighted else None

    def with_weight(name):
        def call(F, x, t):
            lib = torch if F is torch.nn.functional else flambeau
            w = lib.from_numpy(weight) if weighted else None
            return getattr(F, name)(x, t, w, reduction=reduction)

        return call

    compare(with_weight("nll_loss"), arrays, exact=True)
    compare(with_weight("cross_entropy"), arrays, exact=True)


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_cross_entropy_of_other_targets(reduction):
    x, q = numbers(6, 9), numbers(6, 9, low=0.01, seed=2)
    t = numpy.arange(6)
    compare(lambda F, a, b: F.cross_entropy(a, b, reduction=reduction), [x, q], exact=False)
    compare(lambda F, a, b: F.cross_entropy(a, b, reduction=reduction, label_smoothing=0.1), [x, t], exact=False)


X, Y, P, Q = numbers(40, 9), numbers(40, 9, seed=1), numbers(40, 9, low=0.02), numbers(40, 9, low=0.02, seed=1)
SIGNS = numpy.where(Y > 0, 1, -1)

CASES = {
    "mse": (lambda F, x, y, r: F.mse_loss(x, y, reduction=r), [X, Y], True),
    "l1": (lambda F, x, y, r: F.l1_loss(x, y, reduction=r), [X, Y], True),
    "smooth_l1": (lambda F, x, y, r: F.smooth_l1_loss(x, y, reduction=r), [X, Y], True),
    "smooth_l1_beta": (lambda F, x, y, r: F.smooth_l1_loss(x, y, reduction=r, beta=0.3), [X, Y], False),
    "huber": (lambda F, x, y, r: F.huber_loss(x, y, reduction=r), [X, Y], True),
    "huber_delta": (lambda F, x, y, r: F.huber_loss(x, y, reduction=r, delta=0.3), [X, Y], False),
    "soft_margin": (lambda F, x, y, r: F.soft_margin_loss(x, y, reduction=r), [X, SIGNS], False),
    "bce": (lambda F, x, y, r: F.binary_cross_entropy(x, y, reduction=r), [P, Q], False),
    "bce_logits": (lambda F, x, y, r: F.binary_cross_entropy_with_logits(x, y, reduction=r), [X, Q], False),
    "kl_div": (lambda F, x, y, r: F.kl_div(x, y, reduction=r), [X, Q], False),
    "kl_div_log": (lambda F, x, y, r: F.kl_div(x, y, reduction=r, log_target=True), [X, Y], False),
    "poisson": (lambda F, x, y, r: F.poisson_nll_loss(x, y, full=True, reduction=r), [X, Q], False),
    "hinge": (lambda F, x, y, r: F.hinge_embedding_loss(x, y, reduction=r), [X, SIGNS], True),
    "triplet": (lambda F, x, y, r: F.triplet_margin_loss(x, y, x + y, reduction=r), [X, Y], False),
    "cosine_embedding": (
        lambda F, x, y, r: F.cosine_embedding_loss(x, y, (x[:, 0] > 0).float() * 2 - 1, 0.1, reduction=r),
        [X, Y],
        False,
    ),
    "ranking": (
        lambda F, x, y, r: F.margin_ranking_loss(x, y, (x > 0).float() * 2 - 1, 0.2, reduction=r),
        [X, Y],
        True,
    ),
    "multi_margin": (lambda F, x, t, r: F.multi_margin_loss(x, t, reduction=r), [X, numpy.arange(40) % 9], False),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("name", CASES)
def test_elementwise(name, reduction):
    call, arrays, exact = CASES[name]
    if name == "multi_margin":  # a node of its own in PyTorch, a composition here
        (_, ours), (_, theirs) = (run(lib, lambda F, x, y: call(F, x, y, reduction), arrays) for lib in BOTH)
        for a, b in zip(ours, theirs):
            numpy.testing.assert_allclose(a, b, 1e-5, 1e-6)
        return
    compare(lambda F, x, y: call(F, x, y, reduction), arrays, exact)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["mse", "l1", "smooth_l1", "huber"])
def test_broadcasting(name):
    call, _, exact = CASES[name]
    compare(lambda F, x, y: call(F, x, y, "mean"), [X, Y[:1]], exact=False)


MESSAGES = [
    lambda nn, lib: nn.nll_loss(lib.ones(4, 5), lib.tensor([0, 1, 2, 5])),
    lambda nn, lib: nn.nll_loss(lib.ones(4, 5), lib.tensor([0, 1, 2, -5])),
    lambda nn, lib: nn.nll_loss(lib.ones(4, 5), lib.tensor([0, 1, 2])),
    lambda nn, lib: nn.nll_loss(lib.ones(4, 5), lib.tensor([0.0, 1, 2, 3])),
    lambda nn, lib: nn.nll_loss(lib.ones(4, 5), lib.tensor([0, 1, 2, 3]), lib.ones(4)),
    lambda nn, lib: nn.nll_loss(lib.ones(4, 5), lib.tensor([[0, 1, 2, 3]])),
    lambda nn, lib: nn.nll_loss(lib.ones(1, 4, 5), lib.tensor([0, 1, 2, 3])),
    lambda nn, lib: nn.nll_loss_nd(lib.ones(2, 5, 3, 3), lib.zeros(1, 3, 3, dtype=lib.int64)),
    lambda nn, lib: nn.nll_loss_nd(lib.ones(2, 5, 3, 3), lib.zeros(2, 2, 3, dtype=lib.int64)),
    lambda nn, lib: nn.nll_loss_nd(lib.ones(2, 5, 3, 3), lib.ones(2, 3, 3, dtype=lib.int64) * 7),
    lambda nn, lib: nn.nll_loss_nd(lib.ones(2, 5, 3, 3), lib.zeros(2, 3, 3, dtype=lib.int64), lib.ones(3)),
    lambda nn, lib: nn.nll_loss_nd(lib.ones(2, 5, 3), lib.zeros(2, 4, dtype=lib.int64)),
    lambda nn, lib: nn.nll_loss2d(lib.ones(2, 5, 3, 3), lib.zeros(3, 3, dtype=lib.int64)),
    lambda nn, lib: nn.nll_loss2d(lib.ones(5, 3, 3), lib.zeros(2, 3, 3, dtype=lib.int64)),
    lambda nn, lib: nn.cross_entropy_loss(lib.ones(4, 5), lib.tensor([0, 1, 2, 3]), None, 1, -100, 1.5),
    lambda nn, lib: nn.cross_entropy_loss(lib.ones(4, 5), lib.ones(4, 5), lib.ones(4)),
    lambda nn, lib: nn.cross_entropy_loss(lib.ones(4, 5), lib.ones(4, 5).long()),
    lambda nn, lib: nn.cross_entropy_loss(lib.ones(4, 5), lib.ones(4, 5), None, 1, 3),
    lambda nn, lib: nn.mse_loss(lib.ones(4, 5), lib.ones(4, 4)),
    lambda nn, lib: nn.smooth_l1_loss(lib.ones(4, 5), lib.ones(4, 5), 1, -1.0),
    lambda nn, lib: nn.huber_loss(lib.ones(4, 5), lib.ones(4, 5), 1, 0.0),
    lambda nn, lib: nn.binary_cross_entropy(lib.ones(4) * 3, lib.ones(4)),
    lambda nn, lib: nn.binary_cross_entropy(lib.ones(4), lib.ones(4) * 3),
    lambda nn, lib: lib.binary_cross_entropy_with_logits(lib.ones(4, 5), lib.ones(5)),
    lambda nn, lib: lib.cosine_embedding_loss(lib.ones(4, 5), lib.ones(4, 5), lib.ones(4, 1)),
    lambda nn, lib: lib.cosine_embedding_loss(lib.ones(5), lib.ones(4, 5), lib.ones(3)),
    lambda nn, lib: lib.triplet_margin_loss(lib.ones(4, 5), lib.ones(5), lib.ones(4, 5)),
    lambda nn, lib: lib.cosine_similarity(lib.ones(4, 5).long(), lib.ones(4, 5).long()),
    lambda nn, lib: nn.multi_margin_loss(lib.ones(4, 5), lib.tensor([0, 1, 2, 9])),
    lambda nn, lib: nn.multi_margin_loss(lib.ones(4, 5), lib.tensor([0, 1])),
    lambda nn, lib: nn.multi_margin_loss(lib.ones(4, 5), lib.tensor([0, 1, 2, 3]), 3),
    lambda nn, lib: nn.multi_margin_loss(lib.ones(4, 5), lib.tensor([0, 1, 2, 3]), 1, 1, lib.ones(4)),
    lambda nn, lib: nn.multilabel_margin_loss(lib.ones(4, 5), lib.ones(4, 5).long() * 7),
    lambda nn, lib: nn.multilabel_margin_loss(lib.ones(4, 5), lib.ones(4, 4).long()),
    lambda nn, lib: nn.multilabel_margin_loss(lib.ones(1, 4, 5), lib.ones(4, 4).long()),
]


@pytest.mark.parametrize("call", MESSAGES)
def test_messages(call):
    caught = []
    for lib in BOTH:
        with pytest.raises(Exception) as info:
            call(lib._C._nn, lib)
        caught.append((info.type.__name__, str(info.value)))
    assert caught[0] == caught[1]
