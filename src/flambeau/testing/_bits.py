"""``assert_equal_bits``: the same dtype, the same shape, and every bit the same."""

from __future__ import annotations

import struct
from typing import Any

# For every dtype: struct's code for its bits, its width in hexadecimal digits, and the code that
# reads them as a number (bfloat16 is the upper half of a float32).
_LAYOUTS = {
    "float64": ("Q", "d"),
    "float32": ("I", "f"),
    "float16": ("H", "e"),
    "bfloat16": ("H", "bfloat16"),
    "int64": ("Q", "q"),
    "int32": ("I", "i"),
    "int16": ("H", "h"),
    "int8": ("B", "b"),
    "uint64": ("Q", "Q"),
    "uint32": ("I", "I"),
    "uint16": ("H", "H"),
    "uint8": ("B", "B"),
    "bool": ("B", "?"),
}


def assert_equal_bits(actual: Any, expected: Any, *, msg: str = "") -> None:
    """Asserts that two tensors have the same bits; all NaNs of a float dtype count as one.

    Takes tensors of flambeau, PyTorch and NumPy alike. The failure names the first difference:
    its index, both values in decimal and in hexadecimal, and their distance in units in the last
    place.
    """
    __tracebackhide__ = True
    left, right = _Bits(actual), _Bits(expected)
    if left.dtype != right.dtype:
        raise AssertionError(_headed(msg, f"dtypes differ: {left.dtype} and {right.dtype}"))
    if left.shape != right.shape:
        raise AssertionError(_headed(msg, f"shapes differ: {left.shape} and {right.shape}"))
    if left.data == right.data:
        return
    differing = [
        index
        for index, (one, other) in enumerate(zip(left.words(), right.words()))
        if one != other and not left.both_nan(one, other)
    ]
    if differing:
        raise AssertionError(_headed(msg, _describe(left, right, differing)))


def _headed(msg: str, text: str) -> str:
    return f"{msg}: {text}" if msg else text


def _describe(left: _Bits, right: _Bits, differing: list[int]) -> str:
    count = len(left.words())
    first = differing[0]
    words = left.words()[first], right.words()[first]
    lines = [f"{len(differing)} of {count} elements differ ({len(differing) / count:.1%})"]
    lines.append(f"first at index {left.index(first)}:")
    for name, bits, word in (("actual", left, words[0]), ("expected", right, words[1])):
        lines.append(f"  {name:<9} {bits.number(word)!r}  {bits.hexadecimal(word)}")
    if left.is_float:
        distances = [abs(left.rank(left.words()[index]) - right.rank(right.words()[index])) for index in differing]
        lines.append(f"  {distances[0]} ULP apart; {max(distances)} ULP at most")
    return "\n".join(lines)


class _Bits:
    """The elements of a tensor as unsigned integers, in row-major order."""

    def __init__(self, tensor: Any) -> None:
        self.dtype = str(tensor.dtype).rpartition(".")[2]
        self.shape = tuple(tensor.shape)
        if self.dtype.startswith("complex"):
            self.dtype = {"complex64": "float32", "complex128": "float64"}[self.dtype]
            self.shape = (*self.shape, 2)
        if self.dtype not in _LAYOUTS:
            raise TypeError(f"assert_equal_bits: {tensor.dtype} is not supported")
        self._word, self._value = _LAYOUTS[self.dtype]
        self.data = _row_major_bytes(tensor)
        self._words: tuple[int, ...] | None = None

    @property
    def is_float(self) -> bool:
        return "float" in self.dtype

    def words(self) -> tuple[int, ...]:
        if self._words is None:
            count = len(self.data) // struct.calcsize(self._word)
            self._words = struct.unpack(f"={count}{self._word}", self.data)
        return self._words

    def number(self, word: int) -> Any:
        if self._value == "bfloat16":
            return struct.unpack("=f", struct.pack("=I", word << 16))[0]
        return struct.unpack("=" + self._value, struct.pack("=" + self._word, word))[0]

    def hexadecimal(self, word: int) -> str:
        return f"0x{word:0{2 * struct.calcsize(self._word)}x}"

    def rank(self, word: int) -> int:
        """Consecutive integers for consecutive floats, the same for both zeros."""
        sign = 1 << (8 * struct.calcsize(self._word) - 1)
        return word if word < sign else sign - word

    def both_nan(self, one: int, other: int) -> bool:
        if not self.is_float:
            return False
        left, right = self.number(one), self.number(other)
        return left != left and right != right

    def index(self, flat: int) -> tuple[int, ...]:
        index = []
        for length in reversed(self.shape):
            flat, position = divmod(flat, length)
            index.append(position)
        return tuple(reversed(index))


def _row_major_bytes(tensor: Any) -> bytes:
    if not hasattr(tensor, "detach"):
        return tensor.tobytes()
    tensor = tensor.detach().contiguous()
    if tensor.dtype.is_complex:
        tensor = tensor.resolve_conj()
    begin = tensor.storage_offset() * tensor.dtype.itemsize
    size = tensor.numel() * tensor.dtype.itemsize
    if not size:
        return b""
    if type(tensor).__module__.partition(".")[0] == "torch":
        return _foreign_bytes(tensor, size)
    from flambeau import _storage_bytes

    return bytes(_storage_bytes.view(tensor.untyped_storage())[begin : begin + size])


def _foreign_bytes(tensor: Any, size: int) -> bytes:
    """PyTorch's tensors give their bytes without NumPy only by address."""
    import ctypes

    return ctypes.string_at(tensor.data_ptr(), size)
