"""Names of a loss's reduction and their numbers in native calls. Follows torch/nn/_reduction.py."""

from __future__ import annotations

_NUMBERS = {"none": 0, "mean": 1, "sum": 2}


def get_enum(reduction):
    """0, 1 or 2 for `none`, `mean` or `sum`."""
    number = _NUMBERS.get(reduction)
    if number is not None:
        return number
    if reduction == "elementwise_mean":
        import warnings

        warnings.warn(
            "reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.",
            stacklevel=2,
        )
        return 1
    raise ValueError(f"{reduction} is not a valid value for reduction")


def legacy_get_string(size_average, reduce, emit_warning=True):
    """The reduction that the old arguments `size_average` and `reduce` stand for."""
    if reduce is not None and not reduce:
        reduction = "none"
    elif size_average is None or size_average:
        reduction = "mean"
    else:
        reduction = "sum"
    if emit_warning:
        import warnings

        warnings.warn(
            f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.",
            stacklevel=2,
        )
    return reduction


def legacy_get_enum(size_average, reduce, emit_warning=True):
    """`legacy_get_string` as a number."""
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))


def number_of(reduction, size_average=None, reduce=None):
    """The number of a reduction, the old arguments having precedence."""
    if size_average is not None or reduce is not None:
        return legacy_get_enum(size_average, reduce)
    return get_enum(reduction)
