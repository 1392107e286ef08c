"""Pooling. Part of torch/nn/functional.py.

Max pools return (values, indices) with `return_indices`, values alone without.
"""

from __future__ import annotations

from flambeau.nn._operators import _VF, _nn
from flambeau.nn._sizes import _list_with_default, _pair, _single, _triple

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool1d_with_indices",
    "adaptive_max_pool2d",
    "adaptive_max_pool2d_with_indices",
    "adaptive_max_pool3d",
    "adaptive_max_pool3d_with_indices",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "fractional_max_pool2d",
    "fractional_max_pool2d_with_indices",
    "fractional_max_pool3d",
    "fractional_max_pool3d_with_indices",
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "max_pool1d",
    "max_pool1d_with_indices",
    "max_pool2d",
    "max_pool2d_with_indices",
    "max_pool3d",
    "max_pool3d_with_indices",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
]

adaptive_avg_pool1d = _VF.adaptive_avg_pool1d
avg_pool1d = _VF.avg_pool1d
avg_pool2d = _nn.avg_pool2d
avg_pool3d = _nn.avg_pool3d


def _max_pool(name, values, values_and_indices):
    """The two functions of one max pool, from the operators without and with indices."""

    def with_indices(
        input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
    ):
        stride = [] if stride is None else stride
        return values_and_indices(input, kernel_size, stride, padding, dilation, ceil_mode)

    def pool(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
        stride = [] if stride is None else stride
        if return_indices:
            return values_and_indices(input, kernel_size, stride, padding, dilation, ceil_mode)
        return values(input, kernel_size, stride, padding, dilation, ceil_mode)

    pool.__name__ = pool.__qualname__ = name
    with_indices.__name__ = with_indices.__qualname__ = name + "_with_indices"
    return pool, with_indices


max_pool1d, max_pool1d_with_indices = _max_pool("max_pool1d", _VF.max_pool1d, _VF.max_pool1d_with_indices)
max_pool2d, max_pool2d_with_indices = _max_pool("max_pool2d", _VF.max_pool2d, _nn.max_pool2d_with_indices)
max_pool3d, max_pool3d_with_indices = _max_pool("max_pool3d", _VF.max_pool3d, _nn.max_pool3d_with_indices)


# Unpooling


def _unpool_output_size(input, kernel_size, stride, padding, output_size):
    """The spatial sizes of an unpooled input, `output_size` being checked against what pooling can have lost."""
    n = len(kernel_size)
    spatial = input.size()[-n:]
    default = [(spatial[d] - 1) * stride[d] + kernel_size[d] - 2 * padding[d] for d in range(n)]
    if output_size is None:
        sizes = default
    else:
        if len(output_size) == n + 2:
            output_size = output_size[2:]
        if len(output_size) != n:
            raise ValueError(
                f"output_size should be a sequence containing {n} or {n + 2} elements, but it has a length of "
                f"'{len(output_size)}'"
            )
        for d in range(n):
            low = default[d] - stride[d]
            high = default[d] + stride[d]
            if not low < output_size[d] < high:
                raise ValueError(
                    f'invalid output_size "{output_size}" (dim {d} must be between {low} and {high})'
                )
        sizes = output_size
    for d in range(n):
        if sizes[d] < 0:
            raise ValueError(
                "max_unpooling: output_size must contain non-negative spatial dimensions, but got "
                f"output_size[{d}]={sizes[d]}"
            )
    return list(sizes)


def max_unpool1d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Put the maxima back where they were, zeros elsewhere: (N, C, L) or (C, L)."""
    kernel_size = _single(kernel_size)
    stride = kernel_size if stride is None else _single(stride)
    size = _unpool_output_size(input, kernel_size, stride, _single(padding), output_size)
    return _nn.max_unpool2d(input.unsqueeze(-1), indices.unsqueeze(-1), [*size, 1]).squeeze(-1)


def max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Put the maxima back where they were, zeros elsewhere: (N, C, H, W) or (C, H, W)."""
    kernel_size = _pair(kernel_size)
    stride = kernel_size if stride is None else _pair(stride)
    size = _unpool_output_size(input, kernel_size, stride, _pair(padding), output_size)
    return _nn.max_unpool2d(input, indices, size)


def max_unpool3d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Put the maxima back where they were, zeros elsewhere: (N, C, D, H, W) or (C, D, H, W)."""
    kernel_size = _triple(kernel_size)
    stride = kernel_size if stride is None else _triple(stride)
    padding = _triple(padding)
    size = _unpool_output_size(input, kernel_size, stride, padding, output_size)
    return _nn.max_unpool3d(input, indices, size, stride, padding)


# Power-average pools


def _lp(average, cells, norm_type):
    """(sum of x ** p) ** (1 / p) from the mean of x ** p over `cells` cells."""
    return (_VF.sign(average) * _VF.relu(_VF.abs(average))).mul(cells).pow(1.0 / norm_type)


def lp_pool1d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """(sum of x ** p over the window) ** (1 / p)"""
    stride = [] if stride is None else stride
    average = avg_pool1d(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    return _lp(average, kernel_size if isinstance(kernel_size, int) else kernel_size[0], norm_type)


def lp_pool2d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """(sum of x ** p over the window) ** (1 / p)"""
    kh, kw = _pair(kernel_size)
    stride = [] if stride is None else stride
    average = avg_pool2d(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    return _lp(average, kh * kw, norm_type)


def lp_pool3d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """(sum of x ** p over the window) ** (1 / p)"""
    kd, kh, kw = _triple(kernel_size)
    stride = [] if stride is None else stride
    average = avg_pool3d(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    return _lp(average, kd * kh * kw, norm_type)


# Adaptive pools


def adaptive_avg_pool2d(input, output_size):
    """Means over windows that make an output of `output_size`; None keeps the input's size."""
    return _nn.adaptive_avg_pool2d(input, _list_with_default(output_size, input.size()))


def adaptive_avg_pool3d(input, output_size):
    """Means over windows that make an output of `output_size`; None keeps the input's size."""
    return _nn.adaptive_avg_pool3d(input, _list_with_default(output_size, input.size()))


def adaptive_max_pool1d_with_indices(input, output_size, return_indices=False):
    """Maxima over windows that make an output of `output_size`, and where they are."""
    return _VF.adaptive_max_pool1d(input, output_size)


def adaptive_max_pool2d_with_indices(input, output_size, return_indices=False):
    """Maxima over windows that make an output of `output_size`, and where they are."""
    return _nn.adaptive_max_pool2d(input, _list_with_default(output_size, input.size()))


def adaptive_max_pool3d_with_indices(input, output_size, return_indices=False):
    """Maxima over windows that make an output of `output_size`, and where they are."""
    return _nn.adaptive_max_pool3d(input, _list_with_default(output_size, input.size()))


def adaptive_max_pool1d(input, output_size, return_indices=False):
    """Maxima over windows that make an output of `output_size`."""
    both = adaptive_max_pool1d_with_indices(input, output_size)
    return both if return_indices else both[0]


def adaptive_max_pool2d(input, output_size, return_indices=False):
    """Maxima over windows that make an output of `output_size`."""
    both = adaptive_max_pool2d_with_indices(input, output_size)
    return both if return_indices else both[0]


def adaptive_max_pool3d(input, output_size, return_indices=False):
    """Maxima over windows that make an output of `output_size`."""
    both = adaptive_max_pool3d_with_indices(input, output_size)
    return both if return_indices else both[0]


# Fractional pools


def _fractional(name, ndim, ntuple, operator):
    """The function of one fractional max pool that returns indices, too."""

    def pool(
        input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None
    ):
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
        if output_size is None:
            ratio = ntuple(output_ratio)
            output_size = [int(input.size(d - ndim) * ratio[d]) for d in range(ndim)]
        if _random_samples is None:
            batch = 1 if input.dim() == ndim + 1 else input.size(0)
            _random_samples = _VF.rand(
                batch, input.size(-ndim - 1), ndim, dtype=input.dtype, device=input.device
            )
        return operator(input, kernel_size, output_size, _random_samples)

    pool.__name__ = pool.__qualname__ = name + "_with_indices"
    return pool


fractional_max_pool2d_with_indices = _fractional(
    "fractional_max_pool2d", 2, _pair, _nn.fractional_max_pool2d
)
fractional_max_pool3d_with_indices = _fractional(
    "fractional_max_pool3d", 3, _triple, _nn.fractional_max_pool3d
)


def fractional_max_pool2d(
    input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None
):
    """Maxima over windows whose steps are drawn at random."""
    both = fractional_max_pool2d_with_indices(
        input, kernel_size, output_size, output_ratio, _random_samples=_random_samples
    )
    return both if return_indices else both[0]


def fractional_max_pool3d(
    input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None
):
    """Maxima over windows whose steps are drawn at random."""
    both = fractional_max_pool3d_with_indices(
        input, kernel_size, output_size, output_ratio, _random_samples=_random_samples
    )
    return both if return_indices else both[0]
