"""Printed tensors. The expected texts were made with PyTorch 2.13; tests/live compares more."""

import math

import pytest

import flambeau as torch
from flambeau import _tensor_str
from flambeau._tensor_str import _str, get_printoptions, printoptions, set_printoptions

NAN, INF = math.nan, math.inf


@pytest.fixture(autouse=True)
def default_options():
    set_printoptions(profile="default")
    yield
    set_printoptions(profile="default")


@pytest.mark.parametrize(
    ("values", "dtype", "text"),
    [
        ([], "float32", "tensor([])"),
        ([], "int64", "tensor([], dtype=torch.int64)"),
        ([[], []], "float32", "tensor([], size=(2, 0))"),
        (1.0, "float32", "tensor(1.)"),
        (1.5, "float64", "tensor(1.5000, dtype=torch.float64)"),
        ([1.0, 2.0], "float32", "tensor([1., 2.])"),
        ([1.0, NAN, -INF], "float32", "tensor([1., nan, -inf])"),
        ([1.5, NAN, -INF], "float32", "tensor([1.5000,    nan,   -inf])"),
        ([0.5, 100.25], "float32", "tensor([  0.5000, 100.2500])"),
        ([0.5, 1000.25], "float32", "tensor([5.0000e-01, 1.0002e+03])"),
        ([1e-5], "float32", "tensor([1.0000e-05])"),
        ([1e9], "float32", "tensor([1.0000e+09])"),
        ([0.0, -0.0], "float32", "tensor([0., -0.])"),
        ([1, -20, 3], "int64", "tensor([  1, -20,   3])"),
        ([1, 2], "int32", "tensor([1, 2], dtype=torch.int32)"),
        ([True, False], "bool", "tensor([ True, False])"),
        ([0.1], "float16", "tensor([0.1000], dtype=torch.float16)"),
        ([0.1], "bfloat16", "tensor([0.1001], dtype=torch.bfloat16)"),
        ([[1, 2], [3, 4]], "int64", "tensor([[1, 2],\n        [3, 4]])"),
        ([[[1]], [[2]]], "int64", "tensor([[[1]],\n\n        [[2]]])"),
    ],
)
def test_texts(values, dtype, text):
    assert _str(torch.tensor(values, dtype=getattr(torch, dtype))) == text


def test_complex():
    formatter = _tensor_str._ComplexFormatter([1 + 2j, -0.5 - 1e-3j])
    assert formatter.format(1 + 2j) == " 1.0000+2.0000e+00j"
    assert formatter.format(-0.5 - 1e-3j) == "-0.5000-1.0000e-03j"


def test_summaries():
    assert _str(torch.arange(1001)) == "tensor([   0,    1,    2,  ...,  998,  999, 1000])"
    text = _str(torch.arange(10000).reshape(100, 100))
    assert text.splitlines()[:2] == [
        "tensor([[   0,    1,    2,  ...,   97,   98,   99],",
        "        [ 100,  101,  102,  ...,  197,  198,  199],",
    ]
    assert "\n        ...,\n" in text


def test_lines_are_broken():
    lines = _str(torch.arange(30) / 7).splitlines()
    assert len(lines) == 4 and all(len(line) <= 80 for line in lines)
    assert all(line.startswith("        ") for line in lines[1:])


def test_suffixes():
    leaf = torch.ones(2, requires_grad=True)
    assert _str(leaf) == "tensor([1., 1.], requires_grad=True)"
    assert _str(leaf + 1) == "tensor([2., 2.], grad_fn=<AddBackward0>)"


def test_options():
    tensor = torch.tensor([1.23456, 2.0])
    with printoptions(precision=2):
        assert _str(tensor) == "tensor([1.23, 2.00])"
    with printoptions(sci_mode=True):
        assert _str(tensor) == "tensor([1.2346e+00, 2.0000e+00])"
    with printoptions(threshold=1, edgeitems=1):
        assert _str(torch.arange(5)) == "tensor([0,  ..., 4])"
    with printoptions(threshold=1, edgeitems=0):
        assert _str(torch.arange(5)) == "tensor([...], size=(5,))"
    assert _str(tensor) == "tensor([1.2346, 2.0000])"
    set_printoptions(profile="short", linewidth=20)
    assert get_printoptions() == {
        "precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 20, "sci_mode": None,
    }  # fmt: skip


def test_repr_is_this():
    tensor = torch.tensor([[1.0, 2.5], [NAN, 3.0]])
    assert repr(tensor) == _tensor_str._str(tensor) == str(tensor)
