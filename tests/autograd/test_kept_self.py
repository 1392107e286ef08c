"""In-place operators whose gradient needs the value that they overwrite."""

from __future__ import annotations

import math

import pytest

import flambeau
from flambeau.nn import functional as F

X = 0.5


@pytest.mark.parametrize(
    ("change", "slope"),
    [
        (lambda y: y.sin_(), math.cos(X)),
        (lambda y: y.log_(), 1 / X),
        (lambda y: y.pow_(3), 3 * X**2),
        (lambda y: F.leaky_relu(y, 0.1, inplace=True), 1.0),
        (lambda y: F.hardtanh_(y), 1.0),
        (lambda y: y[1:].sin_(), math.cos(X)),
        (lambda y: y.sin_().cos_(), -math.sin(math.sin(X)) * math.cos(X)),
    ],
)
def test_gradient(change, slope):
    x = flambeau.full((3,), X, dtype=flambeau.float64, requires_grad=True)
    y = x * 1
    change(y)
    y.sum().backward()
    assert x.grad[1].item() == pytest.approx(slope, rel=1e-12)


def test_factor_sees_the_old_value():
    weight = flambeau.full((2,), 3.0, requires_grad=True)
    y = flambeau.full((2,), 5.0)
    y.mul_(weight)
    y.sum().backward()
    assert weight.grad.tolist() == [5.0, 5.0]
    assert y.tolist() == [15.0, 15.0]


def test_nothing_is_kept_twice():
    y = flambeau.ones(2, requires_grad=True) * 1
    y.sin_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.mul_(y).sum().backward()
