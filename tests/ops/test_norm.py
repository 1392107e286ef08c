"""Normalisation layers against NumPy in float64, with first and second derivatives by differences."""

from __future__ import annotations

import numpy
import pytest

import flambeau as torch
from flambeau.autograd import gradcheck, gradgradcheck


def numbers(*shape, seed=0, positive=False):
    x = numpy.random.default_rng(seed).normal(0.5, 2.0, size=shape)
    return numpy.abs(x) + 0.5 if positive else x


def tensor(array):
    return torch.from_numpy(array).requires_grad_()


def normalized(x, axes, eps=1e-5):
    return (x - x.mean(axes, keepdims=True)) / numpy.sqrt(x.var(axes, keepdims=True) + eps)


@pytest.mark.parametrize("n", [1, 7, 8, 9, 128, 129, 1000])
def test_layer_norm(n):
    x, w, b = numbers(5, n), numbers(n, seed=1), numbers(n, seed=2)
    y, mean, rstd = torch.native_layer_norm(torch.from_numpy(x), (n,), torch.from_numpy(w), torch.from_numpy(b), 1e-5)
    numpy.testing.assert_allclose(y.numpy(), normalized(x, 1) * w + b, 1e-10, 1e-10)
    numpy.testing.assert_allclose(mean.numpy(), x.mean(1, keepdims=True), 1e-10, 1e-10)
    numpy.testing.assert_allclose(rstd.numpy(), 1 / numpy.sqrt(x.var(1, keepdims=True) + 1e-5), 1e-10)
    single = torch.layer_norm(torch.from_numpy(x.astype("float32")), (n,))
    numpy.testing.assert_allclose(single.numpy(), normalized(x.astype("float32").astype("float64"), 1), 2e-4, 2e-4)


def test_group_norm():
    x, w, b = numbers(2, 6, 5), numbers(6, seed=1), numbers(6, seed=2)
    y = torch.group_norm(torch.from_numpy(x), 3, torch.from_numpy(w), torch.from_numpy(b))
    expected = normalized(x.reshape(2, 3, 10), 2).reshape(2, 6, 5) * w[:, None] + b[:, None]
    numpy.testing.assert_allclose(y.numpy(), expected, 1e-10, 1e-10)


@pytest.mark.parametrize("shape", [(6, 3), (4, 3, 5), (2, 3, 4, 5)])
def test_batch_norm(shape):
    x, w, b = numbers(*shape), numbers(3, seed=1), numbers(3, seed=2)
    axes = tuple(i for i in range(len(shape)) if i != 1)
    spread = (1, 3) + (1,) * (len(shape) - 2)
    mean, var = torch.zeros(3, dtype=torch.float64), torch.ones(3, dtype=torch.float64)
    y = torch.batch_norm(
        torch.from_numpy(x), torch.from_numpy(w), torch.from_numpy(b), mean, var, True, 0.1, 1e-5, True
    )
    numpy.testing.assert_allclose(y.numpy(), normalized(x, axes) * w.reshape(spread) + b.reshape(spread), 1e-10, 1e-10)
    numpy.testing.assert_allclose(mean.numpy(), 0.1 * x.mean(axes), 1e-12)
    numpy.testing.assert_allclose(var.numpy(), 0.9 + 0.1 * x.var(axes, ddof=1), 1e-12)
    y = torch.batch_norm(torch.from_numpy(x), None, None, mean, var, False, 0.1, 1e-5, True)
    expected = (x - mean.numpy().reshape(spread)) / numpy.sqrt(var.numpy().reshape(spread) + 1e-5)
    numpy.testing.assert_allclose(y.numpy(), expected, 1e-10)


def test_instance_norm():
    x = numbers(2, 3, 4, 5)
    y = torch.instance_norm(torch.from_numpy(x), None, None, None, None, True, 0.1, 1e-5, True)
    numpy.testing.assert_allclose(y.numpy(), normalized(x, (2, 3)), 1e-10, 1e-10)


def test_rms_norm():
    x, w = numbers(3, 4, 5), numbers(5, seed=1)
    y = torch.rms_norm(torch.from_numpy(x), (5,), torch.from_numpy(w), 1e-3)
    numpy.testing.assert_allclose(y.numpy(), x / numpy.sqrt((x**2).mean(2, keepdims=True) + 1e-3) * w, 1e-12)


def test_weight_norm():
    v, g = numbers(3, 4, 2), numbers(3, 1, 1, seed=1)
    y = torch._weight_norm(torch.from_numpy(v), torch.from_numpy(g), 0)
    numpy.testing.assert_allclose(y.numpy(), v * g / numpy.sqrt((v**2).sum((1, 2), keepdims=True)), 1e-12)


MEAN, VAR = numbers(4, seed=8), numbers(4, seed=9, positive=True)
DERIVATIVES = {
    "layer_norm": lambda x, w, b: torch.layer_norm(
        x, (4, 3), w.reshape(4, 1).expand(4, 3), b.reshape(4, 1).expand(4, 3)
    ),
    "layer_norm_plain": lambda x, w, b: torch.layer_norm(x, (3,)) + (w + b).sum(),
    "layer_norm_weight": lambda x, w, b: torch.layer_norm(x.transpose(1, 2), (4,), w) * b,
    "rms_norm": lambda x, w, b: torch.rms_norm(x.transpose(1, 2), (4,), w) + b,
    "group_norm": lambda x, w, b: torch.group_norm(x, 2, w, b),
    "group_norm_plain": lambda x, w, b: torch.group_norm(x, 2) + (w + b).sum(),
    "group_norm_statistics": lambda x, w, b: torch.native_group_norm(x, w, b, 2, 4, 3, 2, 1e-5),
    "batch_norm": lambda x, w, b: torch.batch_norm(x, w, b, None, None, True, 0.1, 1e-5, True),
    "batch_norm_rows": lambda x, w, b: torch.batch_norm(x[:, :, 0], w, b, None, None, True, 0.1, 1e-5, True),
    "batch_norm_evaluation": lambda x, w, b: torch.batch_norm(
        x, w, b, torch.from_numpy(MEAN), torch.from_numpy(VAR), False, 0.1, 1e-5, True
    ),
    "instance_norm": lambda x, w, b: torch.instance_norm(x, w, b, None, None, True, 0.1, 1e-5, True),
}


@pytest.mark.parametrize("name", DERIVATIVES)
def test_derivatives(name):
    inputs = tensor(numbers(2, 4, 3)), tensor(numbers(4, seed=1)), tensor(numbers(4, seed=2))
    assert gradcheck(DERIVATIVES[name], inputs)
    assert gradgradcheck(DERIVATIVES[name], inputs)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: torch.layer_norm(torch.ones(2, 4, 3), [4]),
         "Given normalized_shape=[4], expected input with shape [*, 4], but got input of size[2, 4, 3]"),
        (lambda: torch.group_norm(torch.ones(2, 4, 3), 3),
         "Expected number of channels in input to be divisible by num_groups, "
         "but got input of shape [2, 4, 3] and num_groups=3"),
        (lambda: torch.batch_norm(torch.ones(2, 4, 3), torch.ones(3), None, None, None, True, 0.1, 1e-5, True),
         "weight should contain 4 elements not 3"),
        (lambda: torch.batch_norm(torch.ones(2, 4, 3), None, None, None, None, False, 0.1, 1e-5, True),
         "running_mean must be defined in evaluation mode"),
    ],
)  # fmt: skip
def test_messages(call, message):
    with pytest.raises(RuntimeError) as info:
        call()
    assert str(info.value) == message
