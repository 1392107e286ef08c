"""Reductions against NumPy, their gradients against differences, their errors against PyTorch's words."""

import math

import numpy as np
import pytest

import flambeau
from flambeau.autograd import gradcheck, gradgradcheck

SIZES = [1, 7, 8, 9, 31, 32, 33, 64, 129, 1000]


def tensor(array, **options):
    return flambeau.tensor(np.asarray(array).tolist(), **options)


def doubles(*shape, seed=0):
    values = np.random.default_rng(seed).normal(size=shape)
    return tensor(values, dtype=flambeau.float64, requires_grad=True)


@pytest.mark.parametrize("n", SIZES)
def test_sum_and_mean_of_rows_and_columns(n):
    a = np.random.default_rng(n).normal(size=(5, n)).astype(np.float32)
    x = flambeau.from_numpy(a)
    for dim in (0, 1, None):
        np.testing.assert_allclose(x.sum(dim).numpy(), a.astype(np.float64).sum(dim), rtol=2e-5, atol=1e-5)
        np.testing.assert_allclose(x.mean(dim).numpy(), a.astype(np.float64).mean(dim), rtol=2e-5, atol=1e-5)
        np.testing.assert_array_equal(x.t().sum(dim).numpy().ravel().shape, x.t().numpy().sum(dim).ravel().shape)


def test_sum_is_the_cascade_of_eight_lanes():
    # 2^24 + 1 is lost in float32 when both stand in one chain, and kept when the ones meet first.
    x = flambeau.ones(64)
    x[0] = 2.0**24
    assert x.sum().item() == 2.0**24 + 62  # lane 0 of chain 0 takes 2^24 + 1 = 2^24 once


def test_integers_add_in_int64():
    x = flambeau.tensor([200, 100], dtype=flambeau.uint8)
    assert x.sum().dtype is flambeau.int64 and x.sum().item() == 300
    assert x.prod().item() == 20000
    assert flambeau.tensor([True, True]).sum().item() == 2
    assert x.sum(dtype=flambeau.uint8).item() == 44
    assert x.cumsum(0).tolist() == [200, 300]


def test_half_sums_in_float():
    x = flambeau.ones(4096, dtype=flambeau.float16)
    assert x.sum().item() == 4096 and x.sum().dtype is flambeau.float16
    assert x.to(flambeau.bfloat16).mean().item() == 1


@pytest.mark.parametrize("name", ["sum", "mean", "amax", "amin", "prod", "argmax", "argmin", "any", "all"])
def test_strides_change_nothing_but_the_order(name):
    a = np.random.default_rng(3).normal(size=(3, 4, 5)).astype(np.float32)
    dense = flambeau.from_numpy(a)
    for order in [(2, 0, 1), (1, 2, 0), (0, 2, 1)]:
        moved = flambeau.from_numpy(np.ascontiguousarray(a.transpose(order)))
        seen = moved.permute(*np.argsort(order).tolist())
        for dim in range(3):
            got, want = getattr(seen, name)(dim), getattr(dense, name)(dim)
            np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=1e-5)


def test_nan_wins_and_first_index_is_taken():
    nan = math.nan
    x = flambeau.tensor([[1.0, 3.0, 3.0], [nan, 2.0, nan]])
    values, indices = x.max(1)
    assert values[0].item() == 3 and math.isnan(values[1].item()) and indices.tolist() == [1, 0]
    assert math.isnan(x.amax().item()) and math.isnan(x.min().item())
    assert x.argmin(1).tolist() == [0, 0]
    assert flambeau.max(x[0], flambeau.tensor(2.0)).tolist() == [2, 3, 3]
    result = x.max(dim=1, keepdim=True)
    assert result.values.shape == (2, 1) and type(result).__name__ == "max"


@pytest.mark.parametrize("n", [1, 5, 15, 16, 17, 63, 64, 65, 200])
def test_argmax_finds_every_position(n):
    for at in range(n):
        a = np.zeros(n, dtype=np.float32)
        a[at] = 1
        assert flambeau.from_numpy(a).argmax().item() == at
        a[at] = math.nan
        assert flambeau.from_numpy(a).argmin().item() == at


def test_any_all_and_counts():
    x = flambeau.tensor([[0.0, 1.0], [0.0, math.nan]])
    assert x.any(0).tolist() == [False, True] and x.all(0).tolist() == [False, True]
    assert x.any().item() and not x.all().item()
    assert x.all(dim=()).tolist() == [[False, True], [False, True]]
    assert flambeau.ones(2, dtype=flambeau.uint8).all().dtype is flambeau.uint8
    assert flambeau.count_nonzero(x).item() == 2 and flambeau.count_nonzero(x, dim=0).tolist() == [0, 2]
    assert flambeau.empty(0).all().item() and not flambeau.empty(0).any().item()


def test_nan_is_skipped_where_asked():
    x = flambeau.tensor([1.0, math.nan, 3.0], requires_grad=True)
    assert x.nansum().item() == 4 and flambeau.nanmean(x).item() == 2
    x.nansum().backward()
    assert x.grad.tolist() == [1, 0, 1]


def test_logsumexp_neither_overflows_nor_loses_infinity():
    x = flambeau.tensor([[1000.0, 1000.0], [-math.inf, -math.inf]])
    got = x.logsumexp(1)
    assert got[0].item() == pytest.approx(1000 + math.log(2)) and got[1].item() == -math.inf
    assert flambeau.tensor([1, 2]).logsumexp(0).dtype is flambeau.float32


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.sum(),
        lambda x: x.sum((0, 2), keepdim=True),
        lambda x: x.mean(),
        lambda x: x.mean(1),
        lambda x: x.prod(),
        lambda x: x.prod(1, keepdim=True),
        lambda x: x.amax(1),
        lambda x: x.amin((0, 2)),
        lambda x: x.max(),
        lambda x: x.min(2).values,
        lambda x: x.aminmax(dim=0),
        lambda x: x.logsumexp((0, 1)),
        lambda x: x.nansum(2),
        lambda x: x.sum_to_size(1, 3, 1),
    ],
)
def test_gradients(function):
    x = doubles(2, 3, 4)
    assert gradcheck(function, (x,))
    assert gradgradcheck(function, (x,))


def test_gradient_of_a_product_with_zeros():
    for zeros in [[1], [0, 2]]:
        x = doubles(4).detach()
        x[zeros] = 0
        assert gradcheck(lambda y: y.prod(), (x.requires_grad_(),))
        assert gradcheck(lambda y: y.reshape(2, 2).prod(1), (x,))


def test_ties_share_the_gradient():
    x = flambeau.tensor([2.0, 1.0, 2.0], requires_grad=True)
    x.amax().backward()
    assert x.grad.tolist() == [0.5, 0, 0.5]
    x.grad = None
    x.max().backward()
    assert x.grad.tolist() == [0.5, 0, 0.5]
    x.grad = None
    x.max(0).values.backward()
    assert x.grad.tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda e: e.max(),
            RuntimeError,
            "max(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
            "reduction dim with the 'dim' argument.",
        ),
        (lambda e: e.max(0), IndexError, "max(): Expected reduction dim 0 to have non-zero size."),
        (lambda e: e.amax(0), IndexError, "amax(): Expected reduction dim 0 to have non-zero size."),
        (lambda e: e.argmax(), IndexError, "argmax(): Expected reduction dim to be specified for input.numel() == 0."),
        (lambda e: e.sum(2), IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
        (lambda e: e.sum((0, 0)), RuntimeError, "dim 0 appears multiple times in the list of dims"),
        (
            lambda e: e.long().mean(),
            RuntimeError,
            "mean(): could not infer output dtype. Input dtype must be either a floating "
            "point or complex dtype. Got: Long",
        ),
        (lambda e: e.sum_to_size(3, 3), RuntimeError, "size {[3, 3]} is not expandable to size {[0, 3]}."),
    ],
)
def test_errors_are_pytorchs(call, error, text):
    with pytest.raises(error) as caught:
        call(flambeau.empty(0, 3))
    assert str(caught.value) == text


def test_empty_reductions_have_their_identity():
    e = flambeau.empty(0, 3)
    assert e.sum().item() == 0 and e.prod().item() == 1 and math.isnan(e.mean().item())
    assert e.sum(0).tolist() == [0, 0, 0] and e.sum(1).shape == (0,)
    assert e.max(1).values.shape == (0,)
