"""Losses against NumPy in float64, with first and second derivatives by differences."""

from __future__ import annotations

import numpy
import pytest

import flambeau as torch
import flambeau.nn.functional as F
from flambeau.autograd import gradcheck, gradgradcheck

NN = torch._C._nn


def numbers(*shape, seed=0):
    return numpy.random.default_rng(seed).normal(size=shape)


def probabilities(*shape, seed=0):
    return numpy.random.default_rng(seed).uniform(0.1, 0.9, size=shape)


X, Y = numbers(4, 5), numbers(4, 5, seed=1)
P, Q = probabilities(4, 5), probabilities(4, 5, seed=1)
SIGNS = numpy.where(Y > 0, 1.0, -1.0)


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


# name: operator(x, y, reduction), x, y, the unreduced loss in NumPy
ELEMENTWISE = {
    "mse": (NN.mse_loss, X, Y, (X - Y) ** 2),
    "l1": (NN.l1_loss, X, Y, abs(X - Y)),
    "smooth_l1": (
        lambda x, y, r: NN.smooth_l1_loss(x, y, r, 0.7), X, Y,
        numpy.where(abs(X - Y) < 0.7, 0.5 * (X - Y) ** 2 / 0.7, abs(X - Y) - 0.35),
    ),
    "huber": (
        lambda x, y, r: NN.huber_loss(x, y, r, 0.7), X, Y,
        numpy.where(abs(X - Y) <= 0.7, 0.5 * (X - Y) ** 2, 0.7 * (abs(X - Y) - 0.35)),
    ),
    "soft_margin": (NN.soft_margin_loss, X, SIGNS, numpy.log1p(numpy.exp(-SIGNS * X))),
    "binary_cross_entropy": (
        lambda x, y, r: NN.binary_cross_entropy(x, y, None, r), P, Q,
        -(Q * numpy.log(P) + (1 - Q) * numpy.log(1 - P)),
    ),
    "binary_cross_entropy_with_logits": (
        lambda x, y, r: torch.binary_cross_entropy_with_logits(x, y, None, None, r), X, Q,
        -(Q * numpy.log(sigmoid(X)) + (1 - Q) * numpy.log(1 - sigmoid(X))),
    ),
    "binary_cross_entropy_with_logits_weighted": (
        lambda x, y, r: torch.binary_cross_entropy_with_logits(
            x, y, torch.from_numpy(P[0]), torch.from_numpy(1 + P[1]), r
        ), X, Q,
        -P[0] * ((1 + P[1]) * Q * numpy.log(sigmoid(X)) + (1 - Q) * numpy.log(1 - sigmoid(X))),
    ),
    "kl_div": (lambda x, y, r: torch.kl_div(x, y, r), X, Q, Q * (numpy.log(Q) - X)),
    "kl_div_log": (lambda x, y, r: torch.kl_div(x, y, r, log_target=True), X, Y, numpy.exp(Y) * (Y - X)),
    "poisson_nll": (
        lambda x, y, r: torch.poisson_nll_loss(x, y, True, False, 1e-8, r), X, Q, numpy.exp(X) - Q * X,
    ),
    "hinge_embedding": (
        lambda x, y, r: torch.hinge_embedding_loss(x, y, 1.0, r), X, SIGNS,
        numpy.where(SIGNS == 1, X, numpy.maximum(0, 1 - X)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_values(name):
    op, x, y, expected = ELEMENTWISE[name]
    a, b = torch.from_numpy(x), torch.from_numpy(y)
    numpy.testing.assert_allclose(op(a, b, 0).numpy(), expected, 1e-10)
    numpy.testing.assert_allclose(op(a, b, 1).item(), expected.mean(), 1e-10)
    numpy.testing.assert_allclose(op(a, b, 2).item(), expected.sum(), 1e-10)


@pytest.mark.parametrize("name", ELEMENTWISE)
@pytest.mark.parametrize("reduction", [0, 1, 2])
def test_derivatives(name, reduction):
    op, x, y, _ = ELEMENTWISE[name]
    both = name not in ("soft_margin", "hinge_embedding")
    inputs = torch.from_numpy(x).requires_grad_(), torch.from_numpy(y).requires_grad_(both)
    assert gradcheck(lambda a, b: op(a, b, reduction), inputs)
    assert gradgradcheck(lambda a, b: op(a, b, reduction), inputs)


def log_softmax(x):
    shifted = x - x.max(1, keepdims=True)
    return shifted - numpy.log(numpy.exp(shifted).sum(1, keepdims=True))


@pytest.mark.parametrize("shape", [(7, 5), (3, 5, 4), (2, 5, 3, 4), (2, 5, 2, 3, 2)])
@pytest.mark.parametrize("weighted", [False, True])
def test_cross_entropy(shape, weighted):
    x, rng = numbers(*shape), numpy.random.default_rng(3)
    target = rng.integers(0, 5, size=(shape[0], *shape[2:]))
    target.flat[1] = -100
    weight = probabilities(5) if weighted else None
    log = numpy.moveaxis(log_softmax(x), 1, -1).reshape(-1, 5)
    flat = target.reshape(-1)
    w = numpy.where(flat == -100, 0, (weight if weighted else numpy.ones(5))[flat.clip(0)])
    losses = -w * log[numpy.arange(len(flat)), flat.clip(0)]
    smooth = numpy.where(flat == -100, 0, -(log * (weight if weighted else 1)).sum(1))

    t, w_tensor = torch.from_numpy(target), torch.from_numpy(weight) if weighted else None
    for dtype, tolerance in ((torch.float64, 1e-12), (torch.float32, 1e-5)):
        a = torch.from_numpy(x).to(dtype)
        args = (t, w_tensor.to(dtype) if weighted else None)
        numpy.testing.assert_allclose(F.cross_entropy(a, *args).item(), losses.sum() / w.sum(), tolerance)
        numpy.testing.assert_allclose(F.cross_entropy(a, *args, reduction="sum").item(), losses.sum(), tolerance)
        numpy.testing.assert_allclose(
            F.cross_entropy(a, *args, reduction="none").numpy(), losses.reshape(target.shape), tolerance, tolerance
        )
        smoothed = F.cross_entropy(a, *args, label_smoothing=0.2).item()
        expected = 0.8 * losses.sum() / w.sum() + 0.2 / 5 * smooth.sum() / w.sum()
        numpy.testing.assert_allclose(smoothed, expected, tolerance)

    leaf = torch.from_numpy(x).requires_grad_()
    for options in ({}, {"reduction": "sum"}, {"reduction": "none"}, {"label_smoothing": 0.2}):
        assert gradcheck(lambda v, o=options: F.cross_entropy(v, t, w_tensor, **o), (leaf,))
        assert gradgradcheck(lambda v, o=options: F.cross_entropy(v, t, w_tensor, **o), (leaf,))


def test_cross_entropy_with_probabilities():
    x, q = numbers(6, 5), probabilities(6, 5)
    expected = -(q * log_softmax(x)).sum(1)
    a, b = torch.from_numpy(x).requires_grad_(), torch.from_numpy(q).requires_grad_()
    numpy.testing.assert_allclose(F.cross_entropy(a, b).item(), expected.mean(), 1e-12)
    numpy.testing.assert_allclose(F.cross_entropy(a, b, reduction="none").detach().numpy(), expected, 1e-12)
    assert gradcheck(lambda u, v: F.cross_entropy(u, v, label_smoothing=0.1), (a, b))
    assert gradgradcheck(lambda u, v: F.cross_entropy(u, v, label_smoothing=0.1), (a, b))


def test_nll_of_one_row_and_of_nothing():
    x = torch.from_numpy(numbers(5))
    assert F.nll_loss(x, torch.tensor(2)).item() == -x[2].item()
    assert F.nll_loss(torch.zeros(0, 5), torch.zeros(0, dtype=torch.int64), reduction="none").shape == (0,)
    assert F.nll_loss(torch.zeros(0, 5), torch.zeros(0, dtype=torch.int64), reduction="sum").item() == 0
    mean_of_nothing = F.nll_loss(torch.zeros(2, 5), torch.tensor([-100, -100])).item()
    assert mean_of_nothing != mean_of_nothing


def distances(x, y, eps=1e-6):
    return numpy.sqrt(((x - y + eps) ** 2).sum(-1))


def test_distances():
    a, b, c = (torch.from_numpy(numbers(4, 5, seed=s)).requires_grad_() for s in range(3))
    x, y, z = (t.detach().numpy() for t in (a, b, c))
    numpy.testing.assert_allclose(torch.pairwise_distance(a, b).detach().numpy(), distances(x, y), 1e-12)
    cosine = (x * y).sum(1) / numpy.linalg.norm(x, axis=1) / numpy.linalg.norm(y, axis=1)
    numpy.testing.assert_allclose(torch.cosine_similarity(a, b).detach().numpy(), cosine, 1e-12)
    near, far = distances(x, y), numpy.minimum(distances(x, z), distances(y, z))
    triplet = torch.triplet_margin_loss(a, b, c, swap=True)
    numpy.testing.assert_allclose(triplet.detach().numpy(), numpy.maximum(0, 1 + near - far), 1e-10)
    target = torch.tensor([1.0, -1.0, 1.0, -1.0], dtype=torch.float64)
    embedding = torch.cosine_embedding_loss(a, b, target, 0.1)
    expected = numpy.where(target.numpy() == 1, 1 - cosine, numpy.maximum(0, cosine - 0.1))
    numpy.testing.assert_allclose(embedding.detach().numpy(), expected, 1e-10)
    for fn in (
        lambda u, v: torch.pairwise_distance(u, v, keepdim=True),
        lambda u, v: torch.cosine_similarity(u, v, 0),
        lambda u, v: torch.cosine_embedding_loss(u, v, target, 0.1, 1),
        lambda u, v: torch.margin_ranking_loss(u[:, 0], v[:, 0], target, 0.3, 1),
        lambda u, v: torch.triplet_margin_loss(u, v, c, swap=True, reduction=1),
    ):
        assert gradcheck(fn, (a, b))
        assert gradgradcheck(fn, (a, b))


def test_margins():
    x = numbers(4, 5)
    t = numpy.array([0, 4, 2, 2])
    rows = numpy.arange(4)
    z = numpy.maximum(0, 0.7 - x[rows, t][:, None] + x)
    z[rows, t] = 0
    a, target = torch.from_numpy(x).requires_grad_(), torch.from_numpy(t)
    for p in (1, 2):
        loss = NN.multi_margin_loss(a, target, p, 0.7)
        numpy.testing.assert_allclose(loss.detach().numpy(), (z**p).sum(1) / 5, 1e-12)
        assert gradcheck(lambda v, p=p: NN.multi_margin_loss(v, target, p, 0.7, None, 1), (a,))

    lists = numpy.array([[3, 0, -1, 1, 1], [-1, 0, 0, 0, 0], [4, -1, 2, 2, 2], [0, 1, 2, 3, 4]])
    expected = []
    for row, classes in zip(x, lists):
        wanted = list(classes[: list(classes).index(-1)] if -1 in classes else classes)
        others = [c for c in range(5) if c not in wanted]
        expected.append(sum(max(0, 1 - row[w] + row[o]) for w in wanted for o in others) / 5)
    many = torch.from_numpy(lists)
    numpy.testing.assert_allclose(NN.multilabel_margin_loss(a, many).detach().numpy(), expected, 1e-12)
    assert gradcheck(lambda v: NN.multilabel_margin_loss(v, many, 1), (a,))


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: NN.nll_loss(torch.ones(2, 5), torch.tensor([0, 5])), IndexError, "Target 5 is out of bounds."),
        (lambda: NN.nll_loss(torch.ones(2, 5), torch.tensor([0])), RuntimeError,
         "size mismatch (got input: [2, 5], target: [1])"),
        (lambda: NN.nll_loss(torch.ones(2, 5), torch.ones(2)), RuntimeError,
         "expected target dtype to be Long or Byte, but got Float"),
        (lambda: NN.nll_loss(torch.ones(2, 5), torch.tensor([0, 1]), torch.ones(4)), RuntimeError,
         "weight tensor should be defined either for all 5 classes or no classes but got weight tensor of shape: [4]"),
        (lambda: NN.cross_entropy_loss(torch.ones(2, 5), torch.tensor([0, 1]), None, 1, -100, 1.5), RuntimeError,
         "label_smoothing must be between 0.0 and 1.0. Got: 1.5"),
        (lambda: NN.mse_loss(torch.ones(4, 5), torch.ones(4, 4)), RuntimeError,
         "The size of tensor a (5) must match the size of tensor b (4) at non-singleton dimension 1"),
        (lambda: NN.binary_cross_entropy(torch.ones(2) * 3, torch.ones(2)), RuntimeError,
         "all elements of input should be between 0 and 1"),
        (lambda: NN.huber_loss(torch.ones(2), torch.ones(2), 1, 0.0), RuntimeError,
         "huber_loss does not support non-positive values for delta."),
        (lambda: torch.cosine_similarity(torch.ones(2, 2, dtype=torch.int64), torch.ones(2, 2, dtype=torch.int64)),
         RuntimeError,
         "expected common dtype to be floating point, yet common dtype is Long"),
        (lambda: NN.multi_margin_loss(torch.ones(2, 3), torch.tensor([0, 9])), RuntimeError, "target out of range"),
    ],
)  # fmt: skip
def test_messages(call, error, message):
    with pytest.raises(error) as info:
        call()
    assert str(info.value) == message
