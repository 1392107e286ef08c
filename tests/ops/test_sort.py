"""Sorting, selection, distinct values and search."""

import math

import numpy as np
import pytest

import flambeau
from flambeau.autograd import gradcheck, gradgradcheck

nan = math.nan


def doubles(*shape, seed=0):
    values = np.random.default_rng(seed).normal(size=shape)
    return flambeau.tensor(values.tolist(), dtype=flambeau.float64, requires_grad=True)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64", "int32", "int16", "int8", "uint8"])
@pytest.mark.parametrize("n", [1, 2, 100, 255, 256, 1000])
def test_sort_is_stable_in_both_directions(dtype, n):
    a = np.random.default_rng(n).integers(0, 20, size=(3, n)).astype(dtype)
    x = flambeau.from_numpy(a)
    values, indices = x.sort()
    np.testing.assert_array_equal(indices.numpy(), a.argsort(-1, kind="stable"))
    np.testing.assert_array_equal(values.numpy(), np.sort(a, -1))
    down = x.sort(descending=True).indices.numpy()
    np.testing.assert_array_equal(down, (-a.astype(np.float64)).argsort(-1, kind="stable"))


def test_nan_is_largest_and_zeros_are_equal():
    x = flambeau.tensor([nan, 1.0, -0.0, 0.0, math.inf, -math.inf])
    assert x.argsort().tolist() == [5, 2, 3, 1, 4, 0]
    assert x.argsort(descending=True).tolist() == [0, 4, 1, 2, 3, 5]
    assert flambeau.sort(x, stable=True).indices.tolist() == [5, 2, 3, 1, 4, 0]


def test_other_dims():
    a = np.random.default_rng(0).normal(size=(5, 6)).astype(np.float32)
    x = flambeau.from_numpy(a)
    np.testing.assert_array_equal(x.sort(0).values.numpy(), np.sort(a, 0))
    np.testing.assert_array_equal(flambeau.msort(x).numpy(), np.sort(a, 0))
    assert flambeau.tensor(1.0).sort().values.item() == 1


def test_topk_and_kthvalue():
    a = np.random.default_rng(0).permutation(500).astype(np.float32)
    x = flambeau.from_numpy(a)
    for k in (1, 3, 7, 8, 100, 500):
        assert x.topk(k).values.tolist() == list(range(499, 499 - k, -1))
        assert x.topk(k, largest=False).values.tolist() == list(range(k))
        result = x.kthvalue(k)
        assert result.values.item() == k - 1 and a[result.indices.item()] == k - 1
    assert sorted(x.topk(9, sorted=False).values.tolist()) == list(range(491, 500))


def test_median_is_the_lower_one():
    assert flambeau.tensor([4.0, 1.0, 3.0, 2.0]).median().item() == 2
    assert math.isnan(flambeau.tensor([1.0, nan]).median().item())
    assert flambeau.tensor([3.0, nan, 1.0]).nanmedian().item() == 1
    values, indices = flambeau.tensor([[3.0, nan, 1.0], [1.0, 2.0, 3.0]]).nanmedian(1)
    assert values.tolist() == [1, 2] and indices.tolist() == [2, 1]


def test_mode_is_the_smallest_of_the_most_frequent():
    values, indices = flambeau.tensor([[3, 2, 2, 1, 1, 3], [5, 5, 5, 5, 5, 1]]).mode()
    assert values.tolist() == [1, 5] and indices.tolist() == [4, 4]


def test_unique():
    x = flambeau.tensor([[3, 1], [3, 2]])
    values, inverse, counts = flambeau.unique(x, return_inverse=True, return_counts=True)
    assert values.tolist() == [1, 2, 3] and inverse.tolist() == [[2, 0], [2, 1]] and counts.tolist() == [1, 1, 2]
    assert len(flambeau.unique(flambeau.tensor([nan, nan, 0.0, -0.0]))) == 3
    rows = flambeau.tensor([[2, 1], [1, 1], [2, 1]])
    values, inverse = flambeau.unique(rows, dim=0, return_inverse=True)
    assert values.tolist() == [[1, 1], [2, 1]] and inverse.tolist() == [1, 0, 1]
    values, counts = flambeau.unique_consecutive(flambeau.tensor([1, 1, 2, 1]), return_counts=True)
    assert values.tolist() == [1, 2, 1] and counts.tolist() == [2, 1, 1]


@pytest.mark.parametrize("right", [False, True])
def test_searchsorted(right):
    edges = np.sort(np.random.default_rng(0).integers(0, 50, size=(2, 30))).astype(np.float32)
    x = np.random.default_rng(1).integers(0, 50, size=(2, 40)).astype(np.float32)
    got = flambeau.searchsorted(flambeau.from_numpy(edges), flambeau.from_numpy(x), right=right).numpy()
    want = [np.searchsorted(e, v, side="right" if right else "left") for e, v in zip(edges, x)]
    np.testing.assert_array_equal(got, want)
    assert flambeau.bucketize(2.5, flambeau.tensor([1, 2, 3]), out_int32=True).item() == 2
    order = flambeau.tensor([2, 0, 1])
    assert flambeau.searchsorted(flambeau.tensor([2, 3, 1]), 3, sorter=order).item() == 2


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.sort(0).values,
        lambda x: x.topk(2, 1).values,
        lambda x: x.kthvalue(2, 0).values,
        lambda x: x.median(1, keepdim=True).values,
        lambda x: x.median(),
        lambda x: x.nanmedian(0).values,
        lambda x: x.mode(1).values,
    ],
)
def test_gradients(function):
    x = doubles(3, 4)
    assert gradcheck(function, (x,))
    assert gradgradcheck(function, (x,))


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: x.topk(5), RuntimeError, "selected index k out of range"),
        (lambda x: x.kthvalue(5), RuntimeError, "kthvalue(): selected number k out of range for dimension 0"),
        (lambda x: x.bool().topk(1), RuntimeError, "topk does not support bool dtypes on CPU"),
        (lambda x: x.bool().median(), NotImplementedError, "\"median_cpu\" not implemented for 'Bool'"),
        (
            lambda x: flambeau.bucketize(x, x.reshape(3, 1)),
            RuntimeError,
            "boundaries tensor must be 1 dimension, but got dim(2)",
        ),
        (
            lambda x: flambeau.searchsorted(x, 1, side="x"),
            RuntimeError,
            "torch.searchsorted(): side can only be 'left' or 'right' but got x",
        ),
        (
            lambda x: flambeau.unique(x.requires_grad_()).sum().backward(),
            RuntimeError,
            "the derivative for '_unique2' is not implemented.",
        ),
    ],
)
def test_errors_are_pytorchs(call, error, text):
    with pytest.raises(error) as caught:
        call(flambeau.ones(3))
    assert str(caught.value) == text
