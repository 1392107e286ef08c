"""softmax and log_softmax against PyTorch, forward and backward, bit for bit in float32."""

from __future__ import annotations

import numpy
import pytest

torch = pytest.importorskip("torch")

import flambeau  # noqa: E402

BOTH = (flambeau, torch)
SHAPES = [
    ((1,), 0), ((5,), 0), ((15,), 0), ((16,), 0), ((17,), 0), ((33,), -1), ((1000,), 0),
    ((3, 1), 1), ((3, 7), 1), ((4, 31), -1), ((7, 65), 1), ((2, 3, 50257), 2), ((3, 5), 0), ((20, 1), 0),
    ((20, 16), 0), ((20, 33), 0), ((9, 81), 0), ((3, 8, 21), 1), ((60, 5, 15), 1), ((60, 7, 7), 1),
    ((4, 9, 64), 1), ((2, 100, 17), 1), ((2, 30, 100), 1),
    ((3, 1, 5), 1), ((), 0), ((0, 3), 1), ((3, 0), 1),
]  # fmt: skip


def run(lib, name, x, grad, dim, dtype="float32"):
    t = lib.from_numpy(x.copy()).to(getattr(lib, dtype)).requires_grad_()
    y = getattr(lib, name)(t, dim)
    y.backward(lib.from_numpy(grad.copy()).to(getattr(lib, dtype)))
    return y.detach(), t.grad


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
@pytest.mark.parametrize("shape, dim", SHAPES)
def test_float32(name, shape, dim):
    rng = numpy.random.default_rng(len(shape))
    x = numpy.asarray(rng.normal(size=shape) * 3, "float32")
    grad = numpy.asarray(rng.normal(size=shape), "float32")
    for ours, theirs in zip(run(flambeau, name, x, grad, dim), run(torch, name, x, grad, dim)):
        ours, theirs = ours.numpy(), theirs.numpy()
        assert ours.shape == theirs.shape
        numpy.testing.assert_array_equal(ours.view("u4"), theirs.view("u4"))


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
@pytest.mark.parametrize("dtype, tolerance", [("float64", 1e-14), ("float16", 2e-3)])
def test_other_dtypes(name, dtype, tolerance):
    rng = numpy.random.default_rng(0)
    x, grad = rng.normal(size=(2, 6, 21)), rng.normal(size=(2, 6, 21))
    for dim in (1, 2):
        for ours, theirs in zip(run(flambeau, name, x, grad, dim, dtype), run(torch, name, x, grad, dim, dtype)):
            assert str(ours.dtype) == str(theirs.dtype)
            numpy.testing.assert_allclose(ours.numpy(), theirs.numpy(), tolerance, tolerance)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_special_values(name, value):
    x = numpy.zeros((3, 40), "float32")
    x[0, 3] = value
    x[1] = value
    for dim in (0, 1):
        ours = getattr(flambeau, name)(flambeau.from_numpy(x), dim).numpy()
        theirs = getattr(torch, name)(torch.from_numpy(x), dim).numpy()
        numpy.testing.assert_array_equal(ours, theirs)


MESSAGES = [
    lambda lib: lib.softmax(lib.zeros(3, 4, dtype=lib.int64), 1),
    lambda lib: lib.softmax(lib.zeros(3, 4, dtype=lib.int64), 0),
    lambda lib: lib.log_softmax(lib.zeros(3, 4, dtype=lib.int64), 1),
    lambda lib: lib.log_softmax(lib.zeros(3, 4, dtype=lib.int64), 0),
    lambda lib: lib.softmax(lib.zeros(3, 4), 2),
]


@pytest.mark.parametrize("call", MESSAGES)
def test_messages(call):
    caught = []
    for lib in BOTH:
        with pytest.raises(Exception) as info:
            call(lib)
        caught.append((info.type.__name__, str(info.value)))
    assert caught[0] == caught[1]
