"""Prints tensors as PyTorch prints them, character for character.

Follows PyTorch's torch/_tensor_str.py. One pass over the printed elements chooses the format
(integers, fixed or scientific) and the width, a second one writes. Only Python numbers are looked
at, so printing needs two operations per dimension of a large tensor and none for a small one.

Left out: sparse, quantized and nested tensors, and devices other than the CPU and meta.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class _Options:
    """Where the options live; their defaults are the profile "default"."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


PRINT_OPTS = _Options()

_PROFILES: dict[str | None, dict[str, float]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Sets how tensors are printed; `sci_mode` returns to automatic unless given."""
    chosen = dict(_PROFILES.get(profile, {}))
    given = {
        "precision": precision,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "linewidth": linewidth,
    }
    chosen.update({name: value for name, value in given.items() if value is not None})
    for name, value in chosen.items():
        setattr(PRINT_OPTS, name, value)
    PRINT_OPTS.sci_mode = sci_mode


def get_printoptions() -> dict[str, Any]:
    """The current options, as arguments of `set_printoptions`."""
    names = ("precision", "threshold", "edgeitems", "linewidth", "sci_mode")
    return {name: getattr(PRINT_OPTS, name) for name in names}


@contextmanager
def printoptions(**kwargs: Any) -> Iterator[None]:
    """`set_printoptions` for a block."""
    before = get_printoptions()
    set_printoptions(**kwargs)
    try:
        yield
    finally:
        set_printoptions(**before)


def _str(tensor: Any, *, tensor_contents: str | None = None) -> str:
    """``repr(tensor)``."""
    import flambeau

    kind = type(tensor)
    is_plain = kind is flambeau.Tensor or kind is _parameter_class()
    prefix = "tensor(" if is_plain else f"{kind.__name__}("
    suffixes = list(_suffixes(tensor))
    if tensor_contents is None:
        with flambeau.no_grad():
            tensor_contents = _contents(tensor.detach(), len(prefix))
    text = _add_suffixes(prefix + tensor_contents, suffixes, len(prefix))
    if not is_plain and isinstance(tensor, _parameter_class()):
        return f"Parameter({text})"
    return text


def _parameter_class() -> Any:
    from flambeau.nn.parameter import Parameter

    return Parameter


def _suffixes(tensor: Any) -> Iterator[str]:
    """What follows the elements: device, size and dtype where they do not go without saying."""
    import flambeau

    default = flambeau.get_default_dtype()
    default_complex = flambeau.complex128 if default == flambeau.float64 else flambeau.complex64
    is_meta = tensor.device.type == "meta"
    is_empty = tensor.numel() == 0
    if tensor.device.type != "cpu":
        yield f"device='{tensor.device}'"
    if is_meta or (is_empty and tensor.dim() != 1) or (not is_empty and not PRINT_OPTS.edgeitems):
        yield f"size={tuple(tensor.shape)}"
    # Elements tell the dtypes that literals have; with none shown only the default is silent.
    silent = [default]
    if not is_meta and not is_empty:
        silent += [default_complex, flambeau.int64, flambeau.bool]
    if tensor.dtype not in silent:
        yield f"dtype={tensor.dtype}"
    grad_fn_name = _grad_fn_name(tensor)
    if grad_fn_name is not None:
        yield f"grad_fn=<{grad_fn_name}>"
    elif tensor.requires_grad:
        yield "requires_grad=True"


def _grad_fn_name(tensor: Any) -> str | None:
    try:
        grad_fn = tensor.grad_fn
    except RuntimeError:
        # A view made without grad and then changed in place has no valid node.
        return "Invalid"
    if grad_fn is None:
        return None
    name = type(grad_fn).__name__
    return grad_fn.name().rpartition("::")[2] if name == "CppFunction" else name


def _add_suffixes(text: str, suffixes: list[str], indent: int) -> str:
    parts = [text]
    # One more than the characters of the last line, except on the first: as PyTorch counts.
    last_line = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if last_line + len(suffix) + 2 > PRINT_OPTS.linewidth:
            parts.append(",\n" + " " * indent + suffix)
            last_line = indent + len(suffix)
        else:
            parts.append(", " + suffix)
            last_line += len(suffix) + 2
    return "".join(parts) + ")"


def _contents(tensor: Any, indent: int) -> str:
    if tensor.device.type == "meta":
        return "..."
    if tensor.numel() == 0:
        return "[]"
    summarize = tensor.numel() > PRINT_OPTS.threshold
    shape = tuple(tensor.shape)
    if summarize and shape and not PRINT_OPTS.edgeitems:
        return _without_items(shape, indent)
    if summarize:
        tensor = _edges(tensor)
    values = tensor.tolist()
    shown = list(_flatten(values, len(shape)))
    dtype = tensor.dtype
    if dtype.is_complex:
        formatter: Any = _ComplexFormatter(shown)
    elif dtype.is_floating_point:
        formatter = _FloatFormatter(shown)
    else:
        formatter = _PlainFormatter(shown)
    cut = [summarize and length > 2 * PRINT_OPTS.edgeitems for length in shape]
    return _nested(values, cut, indent, formatter)


def _edges(tensor: Any) -> Any:
    """The elements that a summary shows, brought together."""
    import flambeau

    edge = PRINT_OPTS.edgeitems
    for dim, length in enumerate(tensor.shape):
        if length > 2 * edge:
            first, last = tensor.narrow(dim, 0, edge), tensor.narrow(dim, length - edge, edge)
            tensor = flambeau.cat((first, last), dim)
    return tensor


def _flatten(values: Any, dim: int) -> Iterator[Any]:
    if dim == 0:
        yield values
        return
    for value in values:
        yield from _flatten(value, dim - 1)


def _nested(values: Any, cut: list[bool], indent: int, formatter: Any) -> str:
    dim = len(cut)
    if dim == 0:
        return formatter.format(values)
    if dim == 1:
        items = [formatter.format(value) for value in values]
        if cut[0]:
            items.insert(PRINT_OPTS.edgeitems, " ...")
        return _lines(items, indent, formatter.width)
    slices = [_nested(value, cut[1:], indent + 1, formatter) for value in values]
    if cut[0]:
        slices.insert(PRINT_OPTS.edgeitems, "...")
    return _join(slices, dim, indent)


def _join(slices: list[str], dim: int, indent: int) -> str:
    return "[" + ("," + "\n" * (dim - 1) + " " * (indent + 1)).join(slices) + "]"


def _lines(items: list[str], indent: int, width: int) -> str:
    # An element takes its width, a comma and a space.
    per_line = max(1, math.floor((PRINT_OPTS.linewidth - indent) / (width + 2)))
    lines = [", ".join(items[at : at + per_line]) for at in range(0, len(items), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def _without_items(shape: tuple[int, ...], indent: int) -> str:
    """A summary with ``edgeitems=0``."""
    if len(shape) == 1:
        return "[...]"
    slices = ["..."] if shape[0] > 0 else []
    return _join(slices, len(shape), indent)


class _PlainFormatter:
    """Integers and booleans."""

    def __init__(self, values: list[Any]) -> None:
        self.width = max(1, *(len(str(value)) for value in values))

    def format(self, value: Any) -> str:
        return str(value).rjust(self.width)


class _FloatFormatter:
    """Whole numbers as ``1.``, others with `precision` digits, scientific for a wide range.

    The width is that of the finite values that are not zero: zeros, nan and inf may stick out.
    """

    def __init__(self, values: list[float]) -> None:
        precision = PRINT_OPTS.precision
        self._decimals = f"{{:.{precision}f}}"
        self._scientific = f"{{:.{precision}e}}"
        self._whole = True
        self._sci = False
        self.width = 1
        counted = [value for value in values if value != 0 and math.isfinite(value)]
        if not counted:
            return
        self._whole = all(value == math.ceil(value) for value in counted)
        self._sci = self._wants_scientific(counted)
        self.width = max(len(self._digits(value)) for value in counted)

    @staticmethod
    def _wants_scientific(values: list[float]) -> bool:
        if PRINT_OPTS.sci_mode is not None:
            return PRINT_OPTS.sci_mode
        sizes = [abs(value) for value in values]
        largest, smallest = max(sizes), min(sizes)
        return largest / smallest > 1000.0 or largest > 1.0e8 or smallest < 1.0e-4

    def _digits(self, value: float) -> str:
        if self._sci:
            return self._scientific.format(value)
        if self._whole:
            # The point tells a float from an integer; nan and inf tell it themselves.
            return f"{value:.0f}" + ("." if math.isfinite(value) else "")
        return self._decimals.format(value)

    def format(self, value: float) -> str:
        return self._digits(value).rjust(self.width)


class _ComplexFormatter:
    """Real and imaginary parts, each with a format of its own."""

    def __init__(self, values: list[complex]) -> None:
        self._real = _FloatFormatter([value.real for value in values])
        self._imag = _FloatFormatter([value.imag for value in values])
        # One more for the "j".
        self.width = self._real.width + self._imag.width + 1

    def format(self, value: complex) -> str:
        imag = self._imag.format(value.imag).lstrip() + "j"
        sign = "" if imag[0] in "+-" else "+"
        return self._real.format(value.real) + sign + imag
