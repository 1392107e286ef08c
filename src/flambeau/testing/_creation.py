"""``make_tensor``: random tensors of any dtype, drawn in PyTorch's order.

Follows PyTorch's torch/testing/_creation.py: with the same seed both libraries make the same
tensor. Left out: the 8-bit floats.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import flambeau


def make_tensor(
    *shape: Any,
    dtype: Any,
    device: Any,
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: Any = None,
) -> Any:
    """A tensor with values from ``[low, high)``: by default [-9, 9) for floats, [-9, 10) for
    signed and [0, 10) for unsigned integers, and both booleans."""
    if len(shape) == 1 and isinstance(shape[0], Sequence):
        shape = tuple(shape[0])
    is_float = dtype.is_floating_point or dtype.is_complex
    if noncontiguous and memory_format is not None:
        raise ValueError(
            "The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got "
            f"{noncontiguous=} and {memory_format=}"
        )
    if requires_grad and not is_float:
        raise ValueError(f"`requires_grad=True` is not supported for boolean and integral dtypes, but got {dtype=}")
    noncontiguous = noncontiguous and math.prod(shape) > 1
    if noncontiguous:
        # Twice as many values, so that those in between differ from the ones kept.
        shape = (*shape[:-1], 2 * shape[-1])
    low, high = _bounds(dtype, is_float, low, high)
    if is_float:
        result = flambeau.empty(shape, device=device, dtype=dtype)
        _fill_uniform(flambeau.view_as_real(result) if dtype.is_complex else result, low, high)
    else:
        result = flambeau.randint(low, high, shape, device=device, dtype=dtype)
    if noncontiguous:
        # From 1 on, so that the storage offset is not zero either.
        result = result[..., 1::2]
    elif memory_format is not None:
        result = result.clone(memory_format=memory_format)
    if exclude_zero:
        result[result == 0] = flambeau.finfo(dtype).tiny if is_float else 1
    if is_float:
        result.requires_grad = requires_grad
    return result


def _bounds(dtype: Any, is_float: bool, low: Any, high: Any) -> tuple[Any, Any]:
    lowest, highest, default_low, default_high = _ranges(dtype, is_float)
    low = default_low if low is None else low
    high = default_high if high is None else high
    if any(isinstance(value, float) and math.isnan(value) for value in (low, high)):
        raise ValueError(f"`low` and `high` cannot be NaN, but got {low=} and {high=}")
    if low == high and is_float:
        import warnings

        warnings.warn(
            "Passing `low==high` to `torch.testing.make_tensor` for floating or complex types is "
            "deprecated since 2.1 and will be removed in 2.3. Use `torch.full(...)` instead.",
            FutureWarning,
            stacklevel=4,
        )
    elif low >= high:
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    elif high < lowest or low >= highest:
        raise ValueError(
            f"The value interval specified by `low` and `high` is [{low}, {high}), but {dtype} "
            f"only supports [{lowest}, {highest})"
        )
    low, high = (min(max(value, lowest), highest) for value in (low, high))
    return (low, high) if is_float else (math.ceil(low), math.ceil(high))


def _ranges(dtype: Any, is_float: bool) -> tuple[Any, Any, Any, Any]:
    """The lowest value, the bound above the highest, and the default interval."""
    if is_float:
        info = flambeau.finfo(dtype)
        return info.min, info.max, -9, 9
    if dtype == flambeau.bool:
        return 0, 2, 0, 2
    info = flambeau.iinfo(dtype)
    # randint takes its bound as int64, so the largest int64 cannot be drawn.
    return info.min, info.max + (dtype != flambeau.int64), -9, 10


def _fill_uniform(tensor: Any, low: float, high: float) -> None:
    # uniform_ refuses an interval wider than the dtype's range: draw half of it.
    if high - low >= flambeau.finfo(tensor.dtype).max:
        tensor.uniform_(low / 2, high / 2).mul_(2)
    else:
        tensor.uniform_(low, high)
