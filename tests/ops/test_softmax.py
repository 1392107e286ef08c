"""softmax and log_softmax against NumPy in float64, with first and second derivatives by differences."""

from __future__ import annotations

import numpy
import pytest

import flambeau as torch
from flambeau.autograd import gradcheck, gradgradcheck


def softmax(x, dim):
    e = numpy.exp(x - x.max(axis=dim, keepdims=True))
    return e / e.sum(axis=dim, keepdims=True)


@pytest.mark.parametrize("shape, dim", [((4,), 0), ((3, 17), 1), ((3, 17), 0), ((2, 5, 40), 1), ((2, 5, 40), -1)])
def test_values(shape, dim):
    x = numpy.random.default_rng(0).normal(size=shape) * 3
    for dtype, tolerance in ((torch.float64, 1e-14), (torch.float32, 2e-6), (torch.bfloat16, 2e-2)):
        t = torch.from_numpy(x).to(dtype)
        exact = softmax(t.to(torch.float64).numpy(), dim)
        soft, log = torch.softmax(t, dim), torch.log_softmax(t, dim)
        assert soft.dtype == log.dtype == dtype
        numpy.testing.assert_allclose(soft.to(torch.float64).numpy(), exact, tolerance, tolerance)
        numpy.testing.assert_allclose(log.to(torch.float64).numpy(), numpy.log(exact), tolerance, tolerance)


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
@pytest.mark.parametrize("dim", [0, 1, 2])
def test_derivatives(name, dim):
    x = torch.from_numpy(numpy.random.default_rng(1).normal(size=(2, 3, 4))).requires_grad_()
    op = getattr(torch, name)
    assert gradcheck(lambda t: op(t, dim), (x,))
    assert gradgradcheck(lambda t: op(t, dim), (x,))


def test_dtype_argument():
    x = torch.randn(3, 4, dtype=torch.float16, requires_grad=True)
    y = torch.softmax(x, 1, dtype=torch.float32)
    assert y.dtype == torch.float32
    y.sum().backward()
    assert x.grad.dtype == torch.float16


def test_any_number_of_threads_gives_the_same_rows():
    x = torch.from_numpy(numpy.random.default_rng(2).normal(size=(300, 257)).astype("float32"))
    whole = torch.softmax(x, 1).numpy()
    for i in (0, 7, 299):
        numpy.testing.assert_array_equal(whole[i], torch.softmax(x[i], 0).numpy())


def test_edges():
    assert torch.softmax(torch.tensor(3.0), 0).item() == 1
    assert torch.softmax(torch.zeros(0, 3), 1).shape == (0, 3)
    assert torch.softmax(torch.zeros(3, 0), 1).shape == (3, 0)
    inf = float("inf")
    assert torch.softmax(torch.tensor([0.0, -inf, 0.0]), 0).tolist() == [0.5, 0, 0.5]
    assert all(v != v for v in torch.softmax(torch.tensor([-inf, -inf]), 0).tolist())
    with pytest.raises(NotImplementedError, match="\"softmax_lastdim_kernel_impl\" not implemented for 'Long'"):
        torch.softmax(torch.zeros(3, dtype=torch.int64), 0)
