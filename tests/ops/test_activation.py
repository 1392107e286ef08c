"""Activations against their formulas, gradients against differences, errors in PyTorch's words."""

import math

import numpy as np
import pytest

import flambeau
import flambeau.nn.functional as F
from flambeau.autograd import gradcheck, gradgradcheck


def logistic(x):
    return 1 / (1 + np.exp(-x))


erf = np.vectorize(math.erf)
ACTIVATIONS = {  # name: (ours, formula); the inputs avoid the corners
    "relu": (F.relu, lambda x: np.maximum(x, 0)),
    "relu6": (F.relu6, lambda x: np.clip(x, 0, 6)),
    "gelu": (F.gelu, lambda x: x / 2 * (1 + erf(x / math.sqrt(2)))),
    "gelu tanh": (
        lambda x: F.gelu(x, approximate="tanh"),
        lambda x: x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    ),
    "silu": (F.silu, lambda x: x * logistic(x)),
    "mish": (F.mish, lambda x: x * np.tanh(np.log1p(np.exp(x)))),
    "softplus": (lambda x: F.softplus(x, 2, 3), lambda x: np.where(2 * x > 3, x, np.log1p(np.exp(2 * x)) / 2)),
    "leaky_relu": (F.leaky_relu, lambda x: np.where(x > 0, x, 0.01 * x)),
    "elu": (lambda x: F.elu(x, 1.5), lambda x: np.where(x > 0, x, 1.5 * np.expm1(x))),
    "celu": (lambda x: F.celu(x, 1.5), lambda x: np.where(x > 0, x, 1.5 * np.expm1(x / 1.5))),
    "selu": (F.selu, lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x))),
    "hardtanh": (lambda x: F.hardtanh(x, -1, 2), lambda x: np.clip(x, -1, 2)),
    "hardswish": (F.hardswish, lambda x: x * np.clip(x + 3, 0, 6) / 6),
    "hardsigmoid": (F.hardsigmoid, lambda x: np.clip(x + 3, 0, 6) / 6),
    "hardshrink": (F.hardshrink, lambda x: np.where(abs(x) > 0.5, x, 0)),
    "softshrink": (F.softshrink, lambda x: np.sign(x) * np.maximum(abs(x) - 0.5, 0)),
    "threshold": (lambda x: F.threshold(x, 0.1, 20), lambda x: np.where(x > 0.1, x, 20)),
    "logsigmoid": (F.logsigmoid, lambda x: np.log(logistic(x))),
    "tanhshrink": (F.tanhshrink, lambda x: x - np.tanh(x)),
    "rrelu": (F.rrelu, lambda x: np.where(x > 0, x, x * (1 / 8 + 1 / 3) / 2)),
}


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activation(name):
    ours, formula = ACTIVATIONS[name]
    a = np.random.default_rng(0).normal(size=(7, 300)) * 3
    np.testing.assert_allclose(
        ours(flambeau.from_numpy(a.astype(np.float32))).numpy(), formula(a.astype(np.float32).astype(float)), 1e-5, 2e-6
    )
    x = flambeau.from_numpy(a)
    np.testing.assert_allclose(ours(x).numpy(), formula(a), 1e-12, 1e-14)
    np.testing.assert_allclose(ours(x.t()[::2]).numpy(), formula(a.T[::2]), 1e-12, 1e-14)
    x = flambeau.tensor([-4.1, -1.3, -0.7, -0.2, 0.3, 0.8, 1.2, 4.7], dtype=flambeau.float64, requires_grad=True)
    assert gradcheck(ours, (x,))
    assert gradgradcheck(ours, (x,))


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_float32_slopes_follow_float64(name):
    ours = ACTIVATIONS[name][0]
    values = np.random.default_rng(1).normal(size=2000) * 3
    slopes = []
    for dtype in (np.float32, np.float64):
        x = flambeau.from_numpy(values.astype(np.float32).astype(dtype)).requires_grad_()
        ours(x).sum().backward()
        slopes.append(x.grad.numpy())
    np.testing.assert_allclose(slopes[0], slopes[1], 1e-5, 2e-6)


def test_nan_passes():
    nan = flambeau.tensor([float("nan")])
    for name in sorted(set(ACTIVATIONS) - {"threshold"}):
        assert ACTIVATIONS[name][0](nan).isnan().all(), name


def test_prelu_by_channel():
    x = flambeau.tensor([[-1.0, -1.0], [2.0, -3.0]], dtype=flambeau.float64, requires_grad=True)
    w = flambeau.tensor([0.5, 0.1], dtype=flambeau.float64, requires_grad=True)
    assert F.prelu(x, w).tolist() == [[-0.5, -0.1], [2.0, -0.30000000000000004]]
    assert gradcheck(F.prelu, (x, w)) and gradcheck(lambda a, b: F.prelu(a, b[:1]), (x, w))
    with pytest.raises(
        RuntimeError,
        match="Mismatch of parameter numbers and input channel size. Found parameter numbers = 3 and channel size = 2.",
    ):
        F.prelu(x, flambeau.ones(3, dtype=flambeau.float64))


def test_glu():
    x = flambeau.tensor(
        np.random.default_rng(2).normal(size=(3, 4)).tolist(), dtype=flambeau.float64, requires_grad=True
    )
    a = x.detach().numpy()
    np.testing.assert_allclose(F.glu(x).detach().numpy(), a[:, :2] * logistic(a[:, 2:]))
    assert gradcheck(F.glu, (x,))
    with pytest.raises(RuntimeError, match="Halving dimension must be even, but dimension 0 is size 3"):
        F.glu(x, 0)


def test_rrelu_in_training_stays_between_its_slopes():
    flambeau.manual_seed(0)
    slopes = flambeau.rrelu(-flambeau.ones(1000), 0.1, 0.3, True)
    assert -0.3 < slopes.min() < -0.28 and -0.12 < slopes.max() < -0.1
    assert flambeau.rrelu(flambeau.ones(3), 0.1, 0.3, True).tolist() == [1.0] * 3


def test_in_place_activations():
    x = flambeau.tensor([-1.0, 2.0])
    for function in (F.relu_, F.leaky_relu_, F.elu_, F.hardtanh_):
        assert function(x) is x
    y = flambeau.tensor([-1.0, 2.0], requires_grad=True)
    z = y * 1
    z.relu_()
    z.sum().backward()
    assert y.grad.tolist() == [0.0, 1.0]


def test_errors_are_pytorchs():
    with pytest.raises(RuntimeError, match="approximate argument must be either none or tanh."):
        F.gelu(flambeau.ones(1), approximate="erf")
    with pytest.raises(RuntimeError, match="lambda must be greater or equal to 0, but found to be -1"):
        F.softshrink(flambeau.ones(1), -1)
    with pytest.raises(RuntimeError, match="Boolean inputs not supported for relu"):
        flambeau.relu(flambeau.tensor([True]))
