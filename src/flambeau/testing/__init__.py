"""Assertions about tensors, and tensors to test with."""

from ._bits import assert_equal_bits
from ._comparison import assert_close
from ._creation import make_tensor

__all__ = ["assert_close", "assert_equal_bits", "make_tensor"]
