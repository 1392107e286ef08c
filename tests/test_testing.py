"""assert_close, assert_equal_bits and make_tensor."""

import math

import pytest

import flambeau as torch
from flambeau.testing import assert_close, assert_equal_bits, make_tensor


def failure(*arguments, **options):
    with pytest.raises(AssertionError) as caught:
        assert_close(*arguments, **options)
    return str(caught.value)


def test_close():
    assert_close(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.0 + 1e-6]))
    assert_close(1.0, 1.0 + 1e-8)
    assert_close([None, True, {"a": torch.ones(2)}], (None, True, {"a": torch.ones(2)}))
    assert_close(math.nan, math.nan, equal_nan=True)
    assert_close(torch.ones(2), torch.ones(2, dtype=torch.float64), check_dtype=False)


def test_message_for_tensors():
    assert failure(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([[1.0, 2.0], [3.0, 5.0]])) == (
        "Tensor-likes are not close!\n\n"
        "Mismatched elements: 1 / 4 (25.0%)\n"
        "Greatest absolute difference: 1.0 at index (1, 1) (up to 1e-05 allowed)\n"
        "Greatest relative difference: 0.20000000298023224 at index (1, 1) (up to 1.3e-06 allowed)"
    )


def test_message_for_scalars():
    text = "Scalars are not equal!\n\nExpected 2 but got 1.\nAbsolute difference: 1\nRelative difference: 0.5"
    assert failure(1, 2, rtol=0, atol=0) == text
    assert failure(torch.tensor(1), torch.tensor(2), rtol=0, atol=0) == text
    assert failure([{"a": 1}], [{"a": 2}], rtol=0, atol=0) == (text + "\n\nThe failure occurred for item [0]['a']")


def test_messages_for_structure():
    assert failure([1], [1, 2]) == "The length of the sequences mismatch: 1 != 2"
    assert failure({"a": 1}, {"b": 1}).splitlines()[1:] == [
        "Missing keys in the actual mapping: ['b']",
        "Additional keys in the actual mapping: ['a']",
    ]
    shape = "The values for attribute 'shape' do not match: torch.Size([1]) != torch.Size([2])."
    assert failure(torch.ones(1), torch.ones(2)) == shape
    assert failure(None, 1) == "None mismatch: None is not 1"
    assert failure(1, 2, msg="mine") == "mine"
    assert failure(1, 2, msg=lambda text: text[:7]) == "Scalars"
    with pytest.raises(TypeError, match="No comparison pair was able to handle"):
        assert_close("a", "a")
    with pytest.raises(ValueError, match="but got no atol"):
        assert_close(1.0, 1.0, rtol=1)


def test_equal_bits():
    assert_equal_bits(torch.tensor([1.0, math.nan]), torch.tensor([1.0, math.nan]))
    for actual, expected, text in [
        (torch.tensor([0.0]), torch.tensor([-0.0]), "0x00000000\n  expected  -0.0  0x80000000"),
        (torch.tensor([1.0]), torch.tensor([1.0 + 2**-23]), "1 ULP apart; 1 ULP at most"),
        (torch.tensor([[1, 2], [3, 4]]), torch.tensor([[1, 2], [0, 4]]), "first at index (1, 0)"),
        (torch.ones(1), torch.ones(1, dtype=torch.float64), "dtypes differ: float32 and float64"),
        (torch.ones(1), torch.ones(2), "shapes differ: (1,) and (2,)"),
    ]:
        with pytest.raises(AssertionError) as caught:
            assert_equal_bits(actual, expected)
        assert text in str(caught.value)


@pytest.mark.parametrize("name", ["float32", "float16", "int64", "uint8", "bool"])
def test_make_tensor(name):
    dtype = getattr(torch, name)
    tensor = make_tensor(3, 4, dtype=dtype, device="cpu", exclude_zero=True)
    assert tensor.shape == (3, 4) and tensor.dtype == dtype
    assert not (tensor == 0).any()
    assert not make_tensor((3, 4), dtype=dtype, device="cpu", noncontiguous=True).is_contiguous()
    with pytest.raises(ValueError, match="cannot be NaN"):
        make_tensor(2, dtype=dtype, device="cpu", low=math.nan)
    with pytest.raises(ValueError, match="`low` must be less than `high`"):
        make_tensor(2, dtype=dtype, device="cpu", low=5, high=1)
