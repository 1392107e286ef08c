"""finfo and iinfo: the limits of the element types; and the names that stand for the same types."""

from __future__ import annotations

from flambeau import _C

_FLOATS = {
    # mantissa bits, smallest and largest exponent
    _C.float64: (52, -1022, 1023),
    _C.float32: (23, -126, 127),
    _C.float16: (10, -14, 15),
    _C.bfloat16: (7, -126, 127),
}
_INTS = {_C.uint8: (8, False), _C.int8: (8, True), _C.int16: (16, True), _C.int32: (32, True), _C.int64: (64, True)}


def _name(dtype) -> str:
    return str(dtype).rpartition(".")[2]


class finfo:
    """Limits of a floating-point dtype: bits, eps, max, min, tiny, smallest_normal, resolution."""

    def __init__(self, dtype=None) -> None:
        dtype = _C.get_default_dtype() if dtype is None else dtype
        if dtype not in _FLOATS:
            raise TypeError(f"torch.finfo() requires a floating point input type. Use torch.iinfo to handle '{dtype}'")
        mantissa, low, high = _FLOATS[dtype]
        self.dtype = _name(dtype)
        self.bits = dtype.itemsize * 8
        self.eps = 2.0**-mantissa
        self.max = (2.0 - 2.0**-mantissa) * 2.0**high
        self.min = -self.max
        self.tiny = self.smallest_normal = 2.0**low
        digits = {52: 15, 23: 6, 10: 3, 7: 2}[mantissa]
        self.resolution = float(f"1e-{digits}")

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
            f"smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, dtype={self.dtype})"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, finfo) and self.dtype == other.dtype


class iinfo:
    """Limits of an integer dtype: bits, max, min."""

    def __init__(self, dtype) -> None:
        if dtype not in _INTS:
            raise TypeError(f"torch.iinfo() requires an integer input type. Use torch.finfo to handle '{dtype}'")
        self.bits, signed = _INTS[dtype]
        self.dtype = _name(dtype)
        self.max = 2 ** (self.bits - signed) - 1
        self.min = -(2 ** (self.bits - 1)) if signed else 0

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, iinfo) and self.dtype == other.dtype


ALIASES = {
    "float": _C.float32,
    "double": _C.float64,
    "half": _C.float16,
    "byte": _C.uint8,
    "char": _C.int8,
    "short": _C.int16,
    "int": _C.int32,
    "long": _C.int64,
    "cfloat": _C.complex64,
    "cdouble": _C.complex128,
}
