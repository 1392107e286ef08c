"""Spread, quantiles, histograms, differences and integrals against NumPy."""

import math

import numpy as np
import pytest

import flambeau
from flambeau.autograd import gradcheck, gradgradcheck


def doubles(*shape, seed=0):
    values = np.random.default_rng(seed).normal(size=shape)
    return flambeau.tensor(values.tolist(), dtype=flambeau.float64, requires_grad=True)


@pytest.mark.parametrize("dim", [None, 0, 1, (0, 1)])
@pytest.mark.parametrize("correction", [0, 1, 2])
def test_variance(dim, correction):
    a = np.random.default_rng(0).normal(3, 2, size=(20, 33)).astype(np.float32)
    x = flambeau.from_numpy(a)
    want = a.astype(np.float64).var(dim, ddof=correction)
    np.testing.assert_allclose(x.var(dim, correction=correction).numpy(), want, rtol=1e-6)
    np.testing.assert_allclose(x.std(dim, correction=correction).numpy(), want**0.5, rtol=1e-6)
    variance, mean = flambeau.var_mean(x, dim, correction=correction)
    np.testing.assert_allclose(variance.numpy(), want, rtol=1e-6)
    np.testing.assert_allclose(mean.numpy(), a.astype(np.float64).mean(dim), rtol=1e-6)


def test_overloads_of_variance():
    x = flambeau.tensor([[1.0, 2.0], [3.0, 5.0]])
    assert x.var(False).item() == x.var(unbiased=False).item() == x.var(correction=0).item()
    assert x.std(0, False).tolist() == [1, 1.5]
    assert x.var(1, keepdim=True).shape == (2, 1)
    assert math.isnan(flambeau.tensor([1.0]).var().item())


def test_covariance():
    a = np.random.default_rng(0).normal(size=(3, 10))
    x = flambeau.from_numpy(a)
    np.testing.assert_allclose(flambeau.cov(x).numpy(), np.cov(a))
    np.testing.assert_allclose(flambeau.corrcoef(x).numpy(), np.corrcoef(a))
    f, w = np.arange(1, 11), np.linspace(0.1, 1, 10)
    got = flambeau.cov(x, fweights=flambeau.from_numpy(f), aweights=flambeau.from_numpy(w))
    np.testing.assert_allclose(got.numpy(), np.cov(a, fweights=f, aweights=w))


@pytest.mark.parametrize("interpolation", ["linear", "lower", "higher", "midpoint", "nearest"])
def test_quantiles(interpolation):
    a = np.random.default_rng(0).normal(size=(7, 12))
    x = flambeau.from_numpy(a)
    q = np.array([0.0, 0.3, 0.5, 1.0])
    for dim in (None, 0, 1):
        got = x.quantile(flambeau.from_numpy(q), dim, interpolation=interpolation)
        np.testing.assert_allclose(got.numpy(), np.quantile(a, q, dim, method=interpolation))
    assert x.quantile(0.5, 1, keepdim=True).shape == (7, 1)
    assert math.isnan(flambeau.tensor([1.0, math.nan]).quantile(0.5).item())
    assert flambeau.tensor([1.0, math.nan, 3.0]).nanquantile(0.5).item() == 2


def test_counting():
    assert flambeau.tensor([3, 1, 3]).bincount(minlength=5).tolist() == [0, 1, 0, 2, 0]
    assert flambeau.tensor([0, 1, 0]).bincount(flambeau.tensor([0.5, 2.0, 1.0])).tolist() == [1.5, 2]
    assert flambeau.tensor([1.0, 2.0, 3.0]).histc(4).tolist() == [1, 0, 1, 1]
    a = np.random.default_rng(0).normal(size=1000)
    hist, edges = flambeau.histogram(flambeau.from_numpy(a), 13)
    want, want_edges = np.histogram(a, 13)
    np.testing.assert_array_equal(hist.numpy(), want)
    np.testing.assert_allclose(edges.numpy(), want_edges)
    hist, _ = flambeau.histogram(flambeau.from_numpy(a), flambeau.from_numpy(want_edges), density=True)
    np.testing.assert_allclose(hist.numpy(), np.histogram(a, want_edges, density=True)[0])


def test_differences_and_integrals():
    a = np.random.default_rng(0).normal(size=(4, 6))
    x = flambeau.from_numpy(a)
    for n in (0, 1, 2):
        np.testing.assert_allclose(flambeau.diff(x, n).numpy(), np.diff(a, n))
    assert flambeau.diff(flambeau.tensor([1, 3]), prepend=flambeau.tensor([0])).tolist() == [1, 2]
    assert flambeau.diff(x, 7).shape == (4, 0)
    points = np.sort(np.random.default_rng(1).normal(size=6))
    trapezoid = getattr(np, "trapezoid", None) or np.trapz
    np.testing.assert_allclose(flambeau.trapezoid(x, flambeau.from_numpy(points)).numpy(), trapezoid(a, points))
    np.testing.assert_allclose(flambeau.trapz(x, dx=2, dim=0).numpy(), trapezoid(a, dx=2, axis=0))
    np.testing.assert_allclose(flambeau.cumulative_trapezoid(x)[:, -1].numpy(), trapezoid(a))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.var(),
        lambda x: x.var(1, correction=0),
        lambda x: x.std(0, keepdim=True),
        lambda x: flambeau.var_mean(x, 1),
        lambda x: flambeau.std_mean(x, (0, 1)),
        lambda x: flambeau.cov(x),
        lambda x: flambeau.corrcoef(x),
        lambda x: x.quantile(0.3, 1),
        lambda x: flambeau.diff(x, 2),
        lambda x: flambeau.trapezoid(x),
        lambda x: flambeau.cumulative_trapezoid(x, dim=0),
    ],
)
def test_gradients(function):
    x = doubles(3, 4)
    assert gradcheck(function, (x,))
    assert gradgradcheck(function, (x,))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: flambeau.tensor([1]).var(), "std and var only support floating point and complex dtypes"),
        (lambda: flambeau.ones(3).quantile(2.0), "quantile() q must be in the range [0, 1] but got 2"),
        (lambda: flambeau.empty(0).quantile(0.5), "quantile() input tensor must be non-empty"),
        (lambda: flambeau.tensor([-1]).bincount(), "bincount only supports 1-d non-negative integral inputs."),
        (lambda: flambeau.ones(3).histc(0), "torch.histogram(): bins must be > 0, but got 0 for dimension 0"),
        (lambda: flambeau.ones(3).histc(3, 2, 1), "torch.histc: max must be larger than min"),
        (
            lambda: flambeau.histogram(flambeau.ones(2), 2, range=(3.0, 2.0)),
            "torch.histogramdd: min should not exceed max, but got min 3 max 2 for dimension 0",
        ),
        (lambda: flambeau.diff(flambeau.tensor(1.0)), "diff expects input to be at least one-dimensional"),
        (
            lambda: flambeau.cov(flambeau.ones(2, 2, 2)),
            "cov(): expected input to have two or fewer dimensions but got an input with 3 dimensions",
        ),
        (
            lambda: flambeau.trapezoid(flambeau.ones(3), flambeau.ones(2)),
            "trapezoid: There must be one `x` value for each sample point",
        ),
    ],
)
def test_errors_are_pytorchs(call, text):
    with pytest.raises(RuntimeError) as caught:
        call()
    assert str(caught.value) == text
