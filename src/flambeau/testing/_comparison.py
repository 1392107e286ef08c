"""``assert_close``: equal up to the tolerance of the dtype, with PyTorch's messages.

Follows PyTorch's torch/testing/_comparison.py. Both arguments are first taken apart together, so
that a difference in structure is found before any value is compared; then the values are compared
in order and the first difference is reported with its place. Left out: sparse and quantized
tensors.
"""

from __future__ import annotations

import cmath
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import flambeau

# rtol and atol by dtype; integers and booleans are compared exactly.
_TOLERANCES = {
    "float16": (0.001, 1e-5),
    "bfloat16": (0.016, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
    "complex32": (0.001, 1e-5),
    "complex64": (1.3e-6, 1e-5),
    "complex128": (1e-7, 1e-7),
}
_NUMBER_DTYPES = {int: "int64", float: "float64", complex: "complex128"}


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    r"""Asserts ``|actual - expected| <= atol + rtol * |expected|`` for tensors, numbers, and
    sequences and mappings of them. Without tolerances the loosest of both dtypes' is used."""
    __tracebackhide__ = True
    options = _Options(
        allow_subclasses, rtol, atol, equal_nan, check_device, check_dtype, check_layout,
        check_stride,
    )  # fmt: skip
    try:
        pairs = list(_pairs(actual, expected, (), options))
    except _Difference as difference:
        # A message of the caller's speaks of values; PyTorch does not use it here either.
        raise difference.as_error(None) from None
    try:
        for pair in pairs:
            pair.compare()
    except _Difference as difference:
        raise difference.as_error(msg) from None


@dataclass(frozen=True)
class _Options:
    allow_subclasses: bool
    rtol: float | None
    atol: float | None
    equal_nan: bool
    check_device: bool
    check_dtype: bool
    check_layout: bool
    check_stride: bool

    def tolerances(self, place: tuple[Any, ...], *dtypes: str) -> tuple[float, float]:
        if (self.rtol is None) != (self.atol is None):
            missing = "rtol" if self.rtol is None else "atol"
            raise _Difference(
                f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}.",
                place,
                ValueError,
            )
        if self.rtol is not None and self.atol is not None:
            return self.rtol, self.atol
        known = [_TOLERANCES.get(dtype, (0.0, 0.0)) for dtype in dtypes]
        return max(rtol for rtol, _ in known), max(atol for _, atol in known)


class _Difference(Exception):
    """A finding, with the place in nested containers where it was made."""

    def __init__(self, text: str, place: tuple[Any, ...], kind: type[Exception] = AssertionError) -> None:
        super().__init__(text)
        self._text = text
        self._place = place
        self._kind = kind

    def as_error(self, message: str | Callable[[str], str] | None) -> Exception:
        if isinstance(message, str):
            return self._kind(message)
        text = self._text
        if self._place:
            item = "".join(f"[{key!r}]" for key in self._place)
            text += f"\n\nThe failure occurred for item {item}"
        return self._kind(message(text) if callable(message) else text)


def _pairs(actual: Any, expected: Any, place: tuple[Any, ...], options: _Options) -> Iterator[Any]:
    """The leaves of both arguments, side by side."""
    if _is_sequence(actual) and _is_sequence(expected):
        if len(actual) != len(expected):
            raise _Difference(f"The length of the sequences mismatch: {len(actual)} != {len(expected)}", place)
        for index, (left, right) in enumerate(zip(actual, expected)):
            yield from _pairs(left, right, (*place, index), options)
    elif isinstance(actual, Mapping) and isinstance(expected, Mapping):
        for key in _common_keys(actual, expected, place):
            yield from _pairs(actual[key], expected[key], (*place, key), options)
    else:
        yield _leaf(actual, expected, place, options)


def _is_sequence(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _common_keys(actual: Mapping[Any, Any], expected: Mapping[Any, Any], place: tuple[Any, ...]) -> list[Any]:
    if actual.keys() != expected.keys():
        missing = sorted(key for key in expected if key not in actual)
        additional = sorted(key for key in actual if key not in expected)
        raise _Difference(
            "The keys of the mappings do not match:\n"
            f"Missing keys in the actual mapping: {missing}\n"
            f"Additional keys in the actual mapping: {additional}",
            place,
        )
    try:
        return sorted(actual)
    except TypeError:
        return list(actual)


def _leaf(actual: Any, expected: Any, place: tuple[Any, ...], options: _Options) -> Any:
    if actual is None or expected is None:
        return _NonePair(actual, expected, place)
    left, right = _plain(actual), _plain(expected)
    if isinstance(left, bool) and isinstance(right, bool):
        return _BooleanPair(left, right, place)
    if isinstance(left, (int, float, complex)) and isinstance(right, (int, float, complex)):
        return _NumberPair(left, right, place, options)
    related = isinstance(actual, type(expected)) or isinstance(expected, type(actual))
    if related and (options.allow_subclasses or type(actual) is type(expected)):
        tensors = _as_tensor(actual), _as_tensor(expected)
        if None not in tensors:
            return _TensorPair(*tensors, place, options)
    raise _Difference(
        f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}.",
        place,
        TypeError,
    )


def _plain(value: Any) -> Any:
    """NumPy's scalars as Python's, without importing NumPy."""
    if type(value).__module__ == "numpy" and getattr(value, "shape", None) == ():
        return value.item() if not hasattr(value, "__array_finalize__") else value
    return value


def _as_tensor(value: Any) -> Any:
    if isinstance(value, flambeau.Tensor):
        return value
    try:
        return flambeau.as_tensor(value)
    except Exception:
        return None


class _NonePair:
    def __init__(self, actual: Any, expected: Any, place: tuple[Any, ...]) -> None:
        self._actual, self._expected, self._place = actual, expected, place

    def compare(self) -> None:
        if self._actual is not self._expected:
            raise _Difference(f"None mismatch: {self._actual} is not {self._expected}", self._place)


class _BooleanPair:
    def __init__(self, actual: bool, expected: bool, place: tuple[Any, ...]) -> None:
        self._actual, self._expected, self._place = actual, expected, place

    def compare(self) -> None:
        if self._actual is not self._expected:
            raise _Difference(f"Booleans mismatch: {self._actual} is not {self._expected}", self._place)


class _NumberPair:
    def __init__(self, actual: Any, expected: Any, place: tuple[Any, ...], options: _Options):
        self._actual, self._expected, self._place = actual, expected, place
        self._options = options
        dtypes = (_number_dtype(number) for number in (actual, expected))
        self._rtol, self._atol = options.tolerances(place, *dtypes)

    def compare(self) -> None:
        actual, expected = self._actual, self._expected
        if self._options.check_dtype and type(actual) is not type(expected):
            raise _Difference(f"The (d)types do not match: {type(actual)} != {type(expected)}.", self._place)
        if actual == expected:
            return
        if self._options.equal_nan and cmath.isnan(actual) and cmath.isnan(expected):
            return
        difference = abs(actual - expected)
        if cmath.isfinite(difference) and difference <= self._atol + self._rtol * abs(expected):
            return
        text = _describe_scalars(actual, expected, self._rtol, self._atol)
        raise _Difference(text, self._place)


def _number_dtype(number: Any) -> str:
    for kind, dtype in _NUMBER_DTYPES.items():
        if isinstance(number, kind):
            return dtype
    raise TypeError(f"Unknown number type {type(number)}.")


class _TensorPair:
    def __init__(self, actual: Any, expected: Any, place: tuple[Any, ...], options: _Options):
        self._actual, self._expected, self._place = actual, expected, place
        self._options = options
        dtypes = (str(tensor.dtype).rpartition(".")[2] for tensor in (actual, expected))
        self._rtol, self._atol = options.tolerances(place, *dtypes)

    def compare(self) -> None:
        self._compare_attributes()
        if "meta" in (self._actual.device.type, self._expected.device.type):
            return
        with flambeau.no_grad():
            self._compare_values(*self._with_one_dtype())

    def _compare_attributes(self) -> None:
        actual, expected, options = self._actual, self._expected, self._options
        attributes = [("shape", True, actual.shape, expected.shape)]
        attributes += [("layout", options.check_layout, actual.layout, expected.layout)]
        attributes += [("stride()", options.check_stride, actual.stride(), expected.stride())]
        attributes += [("device", options.check_device, actual.device, expected.device)]
        attributes += [("dtype", options.check_dtype, actual.dtype, expected.dtype)]
        for name, wanted, left, right in attributes:
            if wanted and left != right:
                raise _Difference(
                    f"The values for attribute '{name}' do not match: {left} != {right}.",
                    self._place,
                )

    def _with_one_dtype(self) -> tuple[Any, Any]:
        actual, expected = self._actual.detach(), self._expected.detach()
        if actual.dtype == expected.dtype:
            return actual, expected
        dtype = flambeau.promote_types(*map(_promotable, (actual.dtype, expected.dtype)))
        return actual.to(dtype), expected.to(dtype)

    def _compare_values(self, actual: Any, expected: Any) -> None:
        rtol, atol = self._rtol, self._atol
        matches = flambeau.isclose(actual, expected, rtol=rtol, atol=atol, equal_nan=self._options.equal_nan)
        if matches.all():
            return
        if actual.dim() == 0:
            text = _describe_scalars(actual.item(), expected.item(), rtol, atol)
        else:
            text = _describe_tensors(actual, expected, matches, rtol, atol)
        raise _Difference(text, self._place)


def _promotable(dtype: Any) -> Any:
    """The wide unsigned dtypes have no promotion of their own."""
    wide = ("torch.uint16", "torch.uint32", "torch.uint64")
    return flambeau.int64 if str(dtype) in wide else dtype


def _describe_scalars(actual: Any, expected: Any, rtol: float, atol: float) -> str:
    absolute = abs(actual - expected)
    relative = float("inf") if expected == 0 else absolute / abs(expected)
    equal = rtol == 0 and atol == 0
    return (
        f"Scalars are not {'equal' if equal else 'close'}!\n\n"
        f"Expected {expected} but got {actual}.\n"
        f"Absolute difference: {absolute}{_allowed(atol, equal)}\n"
        f"Relative difference: {relative}{_allowed(rtol, equal)}"
    )


def _describe_tensors(actual: Any, expected: Any, matches: Any, rtol: float, atol: float) -> str:
    count = matches.numel()
    mismatches = count - int(matches.sum())
    equal = rtol == 0 and atol == 0
    left, right, fits = actual.flatten(), expected.flatten(), matches.flatten()
    if not actual.dtype.is_floating_point and not actual.dtype.is_complex:
        # Differences of narrow integers would wrap around.
        left, right = left.to(flambeau.int64), right.to(flambeau.int64)
    absolute = (left - right).abs()
    absolute[fits] = 0
    relative = absolute / right.abs()
    relative[fits] = 0
    lines = [
        f"Tensor-likes are not {'equal' if equal else 'close'}!\n",
        f"Mismatched elements: {mismatches} / {count} ({mismatches / count:.1%})",
    ]
    for name, differences, allowed in (("absolute", absolute, atol), ("relative", relative, rtol)):
        greatest, at = differences.max(0)
        index = _unravel(int(at), tuple(matches.shape))
        lines.append(f"Greatest {name} difference: {greatest.item()} at index {index}{_allowed(allowed, equal)}")
    return "\n".join(lines)


def _allowed(tolerance: float, equal: bool) -> str:
    return "" if equal else f" (up to {tolerance} allowed)"


def _unravel(flat: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    index = []
    for length in reversed(shape):
        flat, position = divmod(flat, length)
        index.append(position)
    return tuple(reversed(index))
