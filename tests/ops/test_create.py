"""Tensors made from sizes and numbers, against NumPy and literal values."""

from __future__ import annotations

import numpy
import pytest

import flambeau as torch


def test_fills():
    assert torch.zeros(2, 3).tolist() == [[0.0] * 3] * 2
    assert torch.ones((2,), dtype=torch.int32).tolist() == [1, 1]
    assert torch.full((2,), 3).dtype == torch.int64
    assert torch.full((2,), True).dtype == torch.bool
    assert torch.full((2,), 2.5).tolist() == [2.5, 2.5]
    assert torch.empty(3, 0).shape == (3, 0)
    assert torch.zeros(()).shape == ()
    assert torch.scalar_tensor(3).dtype == torch.float32
    assert torch.ones(3, requires_grad=True).requires_grad
    assert torch.zeros(2, dtype=torch.float64).new_ones(3).dtype == torch.float64
    assert torch.zeros(2).new_full((2,), 7).tolist() == [7, 7]
    assert torch.zeros(2).new_zeros(2, 2).shape == (2, 2)


def test_like_keeps_the_order_of_strides():
    x = torch.zeros(2, 3).t()
    assert torch.zeros_like(x).stride() == (1, 3)
    assert torch.full_like(x, 2, dtype=torch.int64).tolist() == [[2, 2]] * 3
    assert torch.empty_permuted((2, 3, 4), (0, 2, 1)).stride() == (12, 1, 3)
    assert torch.empty_strided((2, 3), (1, 2)).stride() == (1, 2)
    assert torch.zeros_like(x, memory_format=torch.contiguous_format).stride() == (2, 1)
    assert torch.rand_like(torch.zeros(1, 2, 3, 4), memory_format=torch.channels_last).stride() == (24, 1, 8, 2)


@pytest.mark.parametrize("args", [(5,), (2, 9), (9, 2, -3), (0,), (1, 2.5, 0.5), (5.5,), (0, -1, -0.25)])
def test_arange(args):
    ours = torch.arange(*args)
    assert ours.dtype == (torch.float32 if any(isinstance(a, float) for a in args) else torch.int64)
    numpy.testing.assert_array_equal(ours.numpy(), numpy.arange(*args).astype(ours.numpy().dtype))


def test_arange_of_float32_counts_in_double():
    # Blocks of two vectors of 8 start anew from an element rounded to float32, as PyTorch's do.
    step, start = 0.1, 0.1
    x = torch.arange(start, 100, step)
    for i in (0, 7, 8, 15, 991, 992, 998):
        first = i // 8 * 8 if i < len(x) // 16 * 16 else i
        base = float(numpy.float32(start + step * first)) if first != i else start + step * first
        assert x[i].item() == numpy.float32(base + (i - first) * step)


def test_linspace_meets_both_ends():
    x = torch.linspace(-0.3, 0.7, 11)
    assert x[0].item() == numpy.float32(-0.3) and x[-1].item() == numpy.float32(0.7)
    numpy.testing.assert_allclose(x.numpy(), numpy.linspace(-0.3, 0.7, 11), rtol=1e-6, atol=1e-7)
    assert torch.linspace(0, 10, 5, dtype=torch.int64).tolist() == [0, 2, 5, 7, 10]
    assert torch.linspace(3, 9, 1).tolist() == [3]
    assert torch.linspace(3, 9, 0).tolist() == []
    assert torch.logspace(0, 2, 3).tolist() == [1, 10, 100]
    assert torch.logspace(0, 3, 4, base=2).tolist() == [1, 2, 4, 8]


def test_eye():
    assert torch.eye(2).tolist() == [[1, 0], [0, 1]]
    numpy.testing.assert_array_equal(torch.eye(3, 5).numpy(), numpy.eye(3, 5))
    numpy.testing.assert_array_equal(torch.eye(5, 3, dtype=torch.bool).numpy(), numpy.eye(5, 3, dtype=bool))


def test_windows():
    for name, points in (("hann_window", numpy.hanning), ("hamming_window", numpy.hamming),
                         ("bartlett_window", numpy.bartlett), ("blackman_window", numpy.blackman)):  # fmt: skip
        make = getattr(torch, name)
        numpy.testing.assert_allclose(make(9, periodic=False).numpy(), points(9), atol=1e-6)
        numpy.testing.assert_allclose(make(8).numpy(), points(9)[:8], atol=1e-6)
        assert make(1).tolist() == [1] and make(0).tolist() == []


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: torch.arange(0, 10, 0), "step must be nonzero"),
        (lambda: torch.arange(10, 0), "upper bound and lower bound inconsistent with step sign"),
        (lambda: torch.arange(float("inf")), "unsupported range: 0 -> inf"),
        (lambda: torch.linspace(0, 1, -1), "number of steps must be non-negative"),
        (lambda: torch.eye(-1), "n must be greater or equal to 0, got -1"),
        (lambda: torch.zeros(-1), "Trying to create tensor with negative dimension -1: [-1]"),
        (lambda: torch.empty_permuted((2, 3), (0, 0)), "Duplicate dim not allowed"),
        (lambda: torch.full((2,), 300, dtype=torch.uint8),
         "value cannot be converted to type uint8_t without overflow"),
        (lambda: torch.hann_window(-1), "hann_window requires non-negative window_length, got window_length=-1"),
        (lambda: torch.ones(3, requires_grad=True, dtype=torch.int64),
         "Only Tensors of floating point and complex dtype can require gradients"),
    ],
)  # fmt: skip
def test_messages(call, message):
    with pytest.raises(RuntimeError) as info:
        call()
    assert str(info.value) == message
