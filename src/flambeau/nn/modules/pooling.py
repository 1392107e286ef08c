"""Pooling layers. Follows torch/nn/modules/pooling.py.

Shapes: (N, C, *) or (C, *) with one, two or three spatial dimensions, of which each shrinks to
(n + 2 * padding - dilation * (kernel_size - 1) - 1) // stride + 1, or the ceiling with `ceil_mode`.
"""

from __future__ import annotations

from flambeau.nn import functional as F
from flambeau.nn._sizes import _ntuple, _pair, _single, _triple
from flambeau.nn.modules.module import Module

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
]


class _MaxPoolNd(Module):
    """y = max of x over each window; with its index if `return_indices`"""

    __constants__ = ["kernel_size", "stride", "padding", "dilation", "return_indices", "ceil_mode"]

    def __init__(
        self, kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False
    ):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input):
        return self._operator(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )

    def extra_repr(self):
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPoolNd):
    """y = max of x over each window; x (N, C, L) or (C, L)"""

    _operator = staticmethod(F.max_pool1d)


class MaxPool2d(_MaxPoolNd):
    """y = max of x over each window; x (N, C, H, W) or (C, H, W)"""

    _operator = staticmethod(F.max_pool2d)


class MaxPool3d(_MaxPoolNd):
    """y = max of x over each window; x (N, C, D, H, W) or (C, D, H, W)"""

    _operator = staticmethod(F.max_pool3d)


class _MaxUnpoolNd(Module):
    """y = x at the given indices, 0 elsewhere"""

    def __init__(self, kernel_size, stride=None, padding=0):
        super().__init__()
        ntuple = _ntuple(self._spatial_dims)
        self.kernel_size = ntuple(kernel_size)
        self.stride = ntuple(stride if stride is not None else kernel_size)
        self.padding = ntuple(padding)

    def forward(self, input, indices, output_size=None):
        return self._operator(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpoolNd):
    """y = x at the indices that MaxPool1d returned, 0 elsewhere; x (N, C, L) or (C, L)"""

    _spatial_dims = 1
    _operator = staticmethod(F.max_unpool1d)


class MaxUnpool2d(_MaxUnpoolNd):
    """y = x at the indices that MaxPool2d returned, 0 elsewhere; x (N, C, H, W) or (C, H, W)"""

    _spatial_dims = 2
    _operator = staticmethod(F.max_unpool2d)


class MaxUnpool3d(_MaxUnpoolNd):
    """y = x at the indices that MaxPool3d returned, 0 elsewhere; x (N, C, D, H, W) or (C, D, H, W)"""

    _spatial_dims = 3
    _operator = staticmethod(F.max_unpool3d)


class _AvgPoolNd(Module):
    __constants__ = ["kernel_size", "stride", "padding", "ceil_mode", "count_include_pad"]

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(_AvgPoolNd):
    """y = mean of x over each window; x (N, C, L) or (C, L)"""

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
        super().__init__()
        self.kernel_size = _single(kernel_size)
        self.stride = _single(stride if stride is not None else kernel_size)
        self.padding = _single(padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input):
        return F.avg_pool1d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad
        )


class _AvgPoolWithDivisor(_AvgPoolNd):
    __constants__ = [*_AvgPoolNd.__constants__, "divisor_override"]

    def __init__(
        self,
        kernel_size,
        stride=None,
        padding=0,
        ceil_mode=False,
        count_include_pad=True,
        divisor_override=None,
    ):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input):
        return self._operator(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )


class AvgPool2d(_AvgPoolWithDivisor):
    """y = mean of x over each window, or its sum / divisor_override; x (N, C, H, W) or (C, H, W)"""

    _operator = staticmethod(F.avg_pool2d)


class AvgPool3d(_AvgPoolWithDivisor):
    """y = mean of x over each window, or its sum / divisor_override; x (N, C, D, H, W) or (C, D, H, W)"""

    _operator = staticmethod(F.avg_pool3d)


class _FractionalMaxPoolNd(Module):
    __constants__ = ["kernel_size", "return_indices", "output_size", "output_ratio"]

    def __init__(
        self,
        kernel_size,
        output_size=None,
        output_ratio=None,
        return_indices=False,
        _random_samples=None,
    ):
        super().__init__()
        name = type(self).__name__
        self.kernel_size = self._ntuple(kernel_size)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = self._ntuple(output_size) if output_size is not None else None
        self.output_ratio = self._ntuple(output_ratio) if output_ratio is not None else None
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output size, or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(0 < ratio < 1 for ratio in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def forward(self, input):
        return self._operator(
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            self.return_indices,
            _random_samples=self._random_samples,
        )


class FractionalMaxPool2d(_FractionalMaxPoolNd):
    """y = max of x over windows with random steps; x (N, C, H, W) or (C, H, W)"""

    _ntuple = staticmethod(_pair)
    _operator = staticmethod(F.fractional_max_pool2d)


class FractionalMaxPool3d(_FractionalMaxPoolNd):
    """y = max of x over windows with random steps; x (N, C, D, H, W) or (C, D, H, W)"""

    _ntuple = staticmethod(_triple)
    _operator = staticmethod(F.fractional_max_pool3d)

    def __init__(
        self,
        kernel_size,
        output_size=None,
        output_ratio=None,
        return_indices=False,
        _random_samples=None,
    ):
        if min(_triple(kernel_size)) <= 0:
            raise ValueError(f"kernel_size must be greater than 0, but got {kernel_size}")
        super().__init__(kernel_size, output_size, output_ratio, return_indices, _random_samples)


class _LPPoolNd(Module):
    __constants__ = ["norm_type", "kernel_size", "stride", "ceil_mode"]

    def __init__(self, norm_type, kernel_size, stride=None, ceil_mode=False):
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def forward(self, input):
        return self._operator(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)

    def extra_repr(self):
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPoolNd):
    """y = (sum of x ** p over each window) ** (1 / p); x (N, C, L) or (C, L)"""

    _operator = staticmethod(F.lp_pool1d)


class LPPool2d(_LPPoolNd):
    """y = (sum of x ** p over each window) ** (1 / p); x (N, C, H, W) or (C, H, W)"""

    _operator = staticmethod(F.lp_pool2d)


class LPPool3d(_LPPoolNd):
    """y = (sum of x ** p over each window) ** (1 / p); x (N, C, D, H, W) or (C, D, H, W)"""

    _operator = staticmethod(F.lp_pool3d)


class _AdaptiveMaxPoolNd(Module):
    __constants__ = ["output_size", "return_indices"]

    def __init__(self, output_size, return_indices=False):
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def forward(self, input):
        return self._operator(input, self.output_size, self.return_indices)

    def extra_repr(self):
        return f"output_size={self.output_size}"


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """y = max of x over output_size windows that cover it; x (N, C, L) or (C, L)"""

    _operator = staticmethod(F.adaptive_max_pool1d)


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """y = max of x over output_size windows that cover it; x (N, C, H, W) or (C, H, W)"""

    _operator = staticmethod(F.adaptive_max_pool2d)


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """y = max of x over output_size windows that cover it; x (N, C, D, H, W) or (C, D, H, W)"""

    _operator = staticmethod(F.adaptive_max_pool3d)


class _AdaptiveAvgPoolNd(Module):
    __constants__ = ["output_size"]

    def __init__(self, output_size):
        super().__init__()
        self.output_size = output_size

    def forward(self, input):
        return self._operator(input, self.output_size)

    def extra_repr(self):
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """y = mean of x over output_size windows that cover it; x (N, C, L) or (C, L)"""

    _operator = staticmethod(F.adaptive_avg_pool1d)


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """y = mean of x over output_size windows that cover it; x (N, C, H, W) or (C, H, W)"""

    _operator = staticmethod(F.adaptive_avg_pool2d)


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """y = mean of x over output_size windows that cover it; x (N, C, D, H, W) or (C, D, H, W)"""

    _operator = staticmethod(F.adaptive_avg_pool3d)
