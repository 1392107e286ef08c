"""Running sums, products and extremes."""

import math

import numpy as np
import pytest

import flambeau
from flambeau.autograd import gradcheck, gradgradcheck


def doubles(*shape, seed=0):
    values = np.random.default_rng(seed).normal(size=shape)
    return flambeau.tensor(values.tolist(), dtype=flambeau.float64, requires_grad=True)


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_against_numpy(dim):
    a = np.random.default_rng(1).normal(size=(4, 50)).astype(np.float32)
    x = flambeau.from_numpy(a)
    np.testing.assert_array_equal(x.cumsum(dim).numpy(), a.astype(np.float64).cumsum(dim).astype(np.float32))
    np.testing.assert_array_equal(x.cumprod(dim).numpy(), a.astype(np.float64).cumprod(dim).astype(np.float32))
    np.testing.assert_array_equal(x.cummax(dim).values.numpy(), np.maximum.accumulate(a, dim))
    np.testing.assert_allclose(
        x.logcumsumexp(dim).numpy(), np.logaddexp.accumulate(a.astype(np.float64), dim), rtol=1e-6, atol=1e-6
    )


def test_cummax_keeps_the_last_of_equals_and_nan():
    values, indices = flambeau.tensor([1.0, 2.0, 2.0, 1.0, math.nan, 3.0]).cummax(0)
    assert indices.tolist() == [0, 1, 2, 2, 4, 4] and math.isnan(values[5].item())
    assert flambeau.tensor([3, 4, 3]).cummin(0).indices.tolist() == [0, 0, 2]


def test_in_place_and_out():
    x = flambeau.tensor([1.0, 2.0, 3.0])
    x.cumsum_(0)
    assert x.tolist() == [1, 3, 6]
    out = flambeau.empty(3)
    flambeau.cumprod(x, 0, out=out)
    assert out.tolist() == [1, 3, 18]
    assert flambeau.tensor(2.0).cumsum(0).item() == 2


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.cumsum(0),
        lambda x: x.cumprod(1),
        lambda x: x.logcumsumexp(1),
        lambda x: x.cummax(0).values,
        lambda x: x.cummin(1).values,
    ],
)
def test_gradients(function):
    x = doubles(3, 4)
    assert gradcheck(function, (x,))
    assert gradgradcheck(function, (x,))


def test_gradient_of_cumprod_with_zeros():
    for zeros in [[0], [1, 3], [4]]:
        x = doubles(5).detach()
        x[zeros] = 0
        assert gradcheck(lambda y: y.cumprod(0), (x.requires_grad_(),))
        assert gradgradcheck(lambda y: y.cumprod(0), (x,))


def test_errors_are_pytorchs():
    with pytest.raises(NotImplementedError, match="\"logcumsumexp_out_cpu\" not implemented for 'Long'"):
        flambeau.tensor([1]).logcumsumexp(0)
    with pytest.raises(IndexError, match=r"Dimension out of range \(expected to be in range of \[-1, 0\], but got 1\)"):
        flambeau.ones(2).cumsum(1)
