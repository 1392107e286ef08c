"""Operators composed in Python, parts of numbers, and what operators and classes say of themselves."""

import inspect
import math

import numpy as np
import pytest

import flambeau as torch
from flambeau.autograd import gradcheck

T = torch.tensor


def test_isin():
    a = np.array([[3, 1, 2], [7, 0, 3]])
    for wanted in ([3, 0], [5], [2, 2, 7]):
        assert torch.isin(T(a), T(wanted)).tolist() == np.isin(a, wanted).tolist()
        assert torch.isin(T(a), T(wanted), invert=True).tolist() == np.isin(a, wanted, invert=True).tolist()
    assert torch.isin(T([1, 2]), T([2.5, 2.0])).tolist() == [False, True]
    assert torch.isin(1, T([1])).item() is True and torch.isin(T([1, 2]), 2).tolist() == [False, True]
    assert torch.isin(T([1]), T([], dtype=torch.int64), invert=True).tolist() == [True]
    assert torch.isin(T([math.nan]), T([math.nan])).tolist() == [False]


@pytest.mark.parametrize("edge_order", [1, 2])
def test_gradient(edge_order):
    x = np.random.RandomState(0).rand(4, 5)
    at = np.array([0.0, 1.0, 3.0, 4.5, 5.0])
    for got, wanted in zip(torch.gradient(T(x), edge_order=edge_order), np.gradient(x, edge_order=edge_order)):
        np.testing.assert_allclose(got.numpy(), wanted)
    (got,) = torch.gradient(T(x), spacing=2.0, dim=-1, edge_order=edge_order)
    np.testing.assert_allclose(got.numpy(), np.gradient(x, 2.0, axis=1, edge_order=edge_order))
    (got,) = torch.gradient(T(x), spacing=(T(at),), dim=1, edge_order=edge_order)
    np.testing.assert_allclose(got.numpy(), np.gradient(x, at, axis=1, edge_order=edge_order))


GRADIENT_WORDS = [
    (dict(edge_order=3), "torch.gradient only supports edge_order=1 and edge_order=2."),
    (dict(dim=(0, 0)), "dim 0 appears multiple times in the list of dims"),
    (
        dict(spacing=(1.0,)),
        "torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to 'self.dim() = 2', "
        "since dim argument was not given, but got a list of length 1",
    ),
    (
        dict(spacing=(1, 2), dim=0),
        "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments to have the same "
        "length, but got a spacing argument of length 2 and a dim argument of length 1.",
    ),
]


@pytest.mark.parametrize("options,words", GRADIENT_WORDS)
def test_gradient_words(options, words):
    with pytest.raises(RuntimeError) as caught:
        torch.gradient(torch.ones(3, 3), **options)
    assert str(caught.value) == words


def test_pdist():
    x = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
    rows = x.detach().numpy()
    wanted = [np.linalg.norm(rows[i] - rows[j]) for i in range(4) for j in range(i + 1, 4)]
    np.testing.assert_allclose(torch.pdist(x).detach().numpy(), wanted)
    assert gradcheck(lambda x: torch.nn.functional.pdist(x, 3.0), (x,))
    assert torch.pdist(torch.ones(1, 3)).shape == (0,)
    with pytest.raises(RuntimeError, match="pdist only supports 2D tensors, got: 1D"):
        torch.pdist(torch.ones(3))


def test_kaiser_window():
    for n in (1, 2, 7):
        np.testing.assert_allclose(torch.kaiser_window(n, False, 8.0).numpy(), np.kaiser(n, 8.0), rtol=1e-5)
    np.testing.assert_allclose(torch.kaiser_window(6).numpy(), np.kaiser(7, 12.0)[:6], rtol=1e-5)
    assert torch.kaiser_window(0).shape == (0,) and torch.kaiser_window(4, dtype=torch.float64).dtype == torch.float64


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_frexp(dtype):
    values = [1.0, -2.5, 0.0, 0.375, math.inf]
    mantissa, exponent = torch.frexp(T(values, dtype=dtype))
    assert mantissa.dtype == dtype and exponent.dtype == torch.int32
    assert mantissa.tolist() == [0.5, -0.625, 0.0, 0.75, math.inf]
    assert exponent.tolist()[:4] == [1, 2, 0, -1]
    with pytest.raises(RuntimeError, match=r"torch.frexp\(\) only supports floating-point dtypes"):
        torch.frexp(T([1]))


def test_frexp_gradient():
    x = T([1.0, -2.5, 0.375], requires_grad=True)
    x.frexp().mantissa.sum().backward()
    assert x.grad.tolist() == [0.5, 0.25, 2.0]


def test_angle():
    x = T([1.0, -2.0, 0.0, math.nan], requires_grad=True)
    y = torch.angle(x)
    assert y[:3].tolist() == [0, T(math.pi).item(), 0] and math.isnan(y[3])
    y[:3].sum().backward()
    assert x.grad.tolist() == [0] * 4
    assert torch.angle(T([1, -2])).dtype == torch.float32


def test_parts_of_real_numbers():
    x = torch.ones(2)
    assert x.real is x and torch.real(x) is x and x.conj() is x and torch.conj_physical(x) is x
    for part in (lambda: x.imag, lambda: torch.imag(x)):
        with pytest.raises(RuntimeError, match="imag is not implemented for tensors with non-complex dtypes."):
            part()


def test_transposes_words():
    x = torch.ones(2, 3, 4)
    assert x.mH.shape == (2, 4, 3) and x[0].H.shape == (4, 3)
    with pytest.raises(RuntimeError, match=r"tensor.H is only supported on matrices \(2-D tensors\). Got 3-D tensor."):
        x.H  # noqa: B018
    with pytest.raises(RuntimeError, match="tensor.mH is only supported on matrices or batches of matrices. Got 1-D"):
        x[0, 0].mH  # noqa: B018


def test_small_questions():
    x = torch.ones(2)
    assert torch.get_device(x) == -1 and torch.is_signed(x) and not torch.is_distributed(x)
    assert torch.ones(2).resize_as_(torch.ones(3, 1)).shape == (3, 1)
    assert torch.equal(x.polygamma(1), torch.polygamma(1, x))
    assert torch.get_default_device() == torch.device("cpu")
    assert not torch.is_autocast_enabled("cpu") and torch.get_autocast_dtype("cpu") == torch.bfloat16


def test_signatures():
    assert str(inspect.signature(torch.add)) == "(input, other, *, alpha=1, out=None)"
    assert str(inspect.signature(torch.Tensor.add_)) == "(self, other, *, alpha=1)"
    assert str(inspect.signature(torch.ones(1).sum)) == "(*, dtype=None, out=None)"
    assert str(inspect.signature(torch.ones(1).uniform_)) == "(from_=0, to=1, *, generator=None)"
    for name, operator in {**vars(torch._C._VariableFunctions), **vars(torch.Tensor)}.items():
        if hasattr(operator, "_signatures"):
            assert inspect.signature(operator) is not None, name
    assert torch.max.__doc__.splitlines()[2] == "max(input, dim, keepdim=False, *, out=None) -> (values, indices)"


def test_names_of_classes():
    assert f"{torch.Tensor.__module__}.{torch.Tensor.__qualname__}" == "flambeau.Tensor"
    assert torch.device.__module__ == "flambeau"
