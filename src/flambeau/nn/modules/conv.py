"""Convolutions. Follows torch/nn/modules/conv.py."""

from __future__ import annotations

import math

import flambeau
from flambeau.nn import init
from flambeau.nn._operators import _VF, _nn
from flambeau.nn._sizes import _ntuple, _reverse_repeat_tuple
from flambeau.nn.modules.lazy import LazyModuleMixin
from flambeau.nn.modules.module import Module
from flambeau.nn.parameter import Parameter, UninitializedParameter

__all__ = [
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
]


class _ConvNd(Module):
    """What all convolutions share; `_spatial_dims` is 1, 2 or 3."""

    __constants__ = [
        "stride",
        "padding",
        "dilation",
        "groups",
        "padding_mode",
        "output_padding",
        "in_channels",
        "out_channels",
        "kernel_size",
    ]
    _spatial_dims: int

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride,
        padding,
        dilation,
        transposed,
        output_padding,
        groups,
        bias,
        padding_mode,
        device=None,
        dtype=None,
    ):
        factory_kwargs = {"device": device, "dtype": dtype}
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        _check_padding(padding, padding_mode, stride)
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        # What `pad` takes where the padding is not of zeros: the last dimension first, both sides of each.
        if isinstance(padding, str):
            self._reversed_padding_repeated_twice = _padding_of_name(padding, kernel_size, dilation)
        else:
            self._reversed_padding_repeated_twice = _reverse_repeat_tuple(padding, 2)
        if transposed:
            shape = (in_channels, out_channels // groups, *kernel_size)
        else:
            shape = (out_channels, in_channels // groups, *kernel_size)
        self.weight = Parameter(flambeau.empty(shape, **factory_kwargs))
        if bias:
            self.bias = Parameter(flambeau.empty(out_channels, **factory_kwargs))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        # With a = sqrt(5) the bound of the weight is 1 / sqrt(fan_in), as that of the bias.
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            if fan_in != 0:
                bound = 1 / math.sqrt(fan_in)
                init.uniform_(self.bias, -bound, bound)

    def extra_repr(self):
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        if self.padding != (0,) * len(self.padding):
            text += f", padding={self.padding}"
        if self.dilation != (1,) * len(self.dilation):
            text += f", dilation={self.dilation}"
        if self.output_padding != (0,) * len(self.output_padding):
            text += f", output_padding={self.output_padding}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        if self.padding_mode != "zeros":
            text += f", padding_mode={self.padding_mode}"
        return text

    def __setstate__(self, state):
        state.setdefault("padding_mode", "zeros")
        super().__setstate__(state)


def _check_padding(padding, padding_mode, stride):
    if isinstance(padding, str):
        valid_padding_strings = {"same", "valid"}
        if padding not in valid_padding_strings:
            raise ValueError(
                f"Invalid padding string {padding!r}, should be one of {valid_padding_strings}"
            )
        if padding == "same" and any(s != 1 for s in stride):
            raise ValueError("padding='same' is not supported for strided convolutions")
    valid_padding_modes = {"zeros", "reflect", "replicate", "circular"}
    if padding_mode not in valid_padding_modes:
        raise ValueError(
            f"padding_mode must be one of {valid_padding_modes}, but got padding_mode='{padding_mode}'"
        )


def _padding_of_name(padding, kernel_size, dilation):
    """The two sides of each dimension, the last one first, for `same` and `valid`."""
    sides = []
    for k, d in zip(reversed(kernel_size), reversed(dilation)):
        total = d * (k - 1) if padding == "same" else 0
        sides += [total // 2, total - total // 2]
    return sides


class _Conv(_ConvNd):
    """The constructor and forward of Conv1d, Conv2d and Conv3d."""

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        bias=True,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ):
        ntuple = _ntuple(self._spatial_dims)
        super().__init__(
            in_channels,
            out_channels,
            ntuple(kernel_size),
            ntuple(stride),
            padding if isinstance(padding, str) else ntuple(padding),
            ntuple(dilation),
            False,
            ntuple(0),
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def _conv_forward(self, input, weight, bias):
        padding = self.padding
        if self.padding_mode != "zeros":
            input = _nn.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            padding = (0,) * self._spatial_dims
        return self._operator(input, weight, bias, self.stride, padding, self.dilation, self.groups)

    def forward(self, input):
        return self._conv_forward(input, self.weight, self.bias)


class Conv1d(_Conv):
    """y[n, o] = b[o] + sum over i of (A[o, i] correlated with x[n, i])

    x (N, in_channels, L) or (in_channels, L) -> y (N, out_channels, L');
    L' = (L + 2 * padding - dilation * (kernel_size - 1) - 1) // stride + 1;
    weight A (out_channels, in_channels / groups, kernel_size), bias b (out_channels).
    """

    _spatial_dims = 1
    _operator = staticmethod(_VF.conv1d)


class Conv2d(_Conv):
    """Conv1d in two dimensions

    x (N, in_channels, H, W) or (in_channels, H, W) -> y (N, out_channels, H', W');
    weight (out_channels, in_channels / groups, kH, kW).
    """

    _spatial_dims = 2
    _operator = staticmethod(_VF.conv2d)


class Conv3d(_Conv):
    """Conv1d in three dimensions

    x (N, in_channels, D, H, W) or (in_channels, D, H, W) -> y (N, out_channels, D', H', W');
    weight (out_channels, in_channels / groups, kD, kH, kW).
    """

    _spatial_dims = 3
    _operator = staticmethod(_VF.conv3d)


class _ConvTransposeNd(_ConvNd):
    """The constructor and forward of the transposed convolutions."""

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        output_padding=0,
        groups=1,
        bias=True,
        dilation=1,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ):
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        ntuple = _ntuple(self._spatial_dims)
        super().__init__(
            in_channels,
            out_channels,
            ntuple(kernel_size),
            ntuple(stride),
            ntuple(padding),
            ntuple(dilation),
            True,
            ntuple(output_padding),
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def forward(self, input, output_size=None):
        if self.padding_mode != "zeros":
            raise ValueError(f"Only `zeros` padding mode is supported for {type(self).__name__}")
        output_padding = self.output_padding
        if output_size is not None:
            output_padding = self._output_padding(input, output_size)
        return self._operator(
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            output_padding,
            self.groups,
            self.dilation,
        )

    def _output_padding(self, input, output_size):
        """What is to be added at the ends for the output to have `output_size`."""
        spatial = self._spatial_dims
        others = input.dim() - spatial
        if len(output_size) == others + spatial:
            output_size = output_size[others:]
        if len(output_size) != spatial:
            raise ValueError(
                f"ConvTranspose{spatial}D: for {input.dim()}D input, output_size must have {spatial} or "
                f"{others + spatial} elements (got {len(output_size)})"
            )
        min_sizes = [
            (input.size(d + others) - 1) * self.stride[d]
            - 2 * self.padding[d]
            + self.dilation[d] * (self.kernel_size[d] - 1)
            + 1
            for d in range(spatial)
        ]
        max_sizes = [low + stride - 1 for low, stride in zip(min_sizes, self.stride)]
        for size, low, high in zip(output_size, min_sizes, max_sizes):
            if size < low or size > high:
                raise ValueError(
                    f"requested an output size of {output_size}, but valid sizes range from {min_sizes} to {max_sizes} "
                    f"(for an input of {input.size()[2:]})"
                )
        return [size - low for size, low in zip(output_size, min_sizes)]


class ConvTranspose1d(_ConvTransposeNd):
    """The gradient of Conv1d with respect to its input, as a layer

    x (N, in_channels, L) or (in_channels, L) -> y (N, out_channels, L');
    L' = (L - 1) * stride - 2 * padding + dilation * (kernel_size - 1) + output_padding + 1;
    weight (in_channels, out_channels / groups, kernel_size), bias (out_channels).
    """

    _spatial_dims = 1
    _operator = staticmethod(_VF.conv_transpose1d)


class ConvTranspose2d(_ConvTransposeNd):
    """ConvTranspose1d in two dimensions; weight (in_channels, out_channels / groups, kH, kW)"""

    _spatial_dims = 2
    _operator = staticmethod(_VF.conv_transpose2d)


class ConvTranspose3d(_ConvTransposeNd):
    """ConvTranspose1d in three dimensions; weight (in_channels, out_channels / groups, kD, kH, kW)"""

    _spatial_dims = 3
    _operator = staticmethod(_VF.conv_transpose3d)


class _LazyConvXdMixin(LazyModuleMixin):
    """A convolution that takes in_channels from its first input."""

    def _make_lazy(self, out_channels, bias, device, dtype):
        """Forget the empty parameters that the constructor made for no channels."""
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_channels = out_channels
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self):
        if not self.has_uninitialized_params() and self.in_channels != 0:
            super().reset_parameters()

    def initialize_parameters(self, input, *args, **kwargs):
        if not self.has_uninitialized_params():
            return
        self.in_channels = self._get_in_channels(input)
        if self.in_channels % self.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if self.transposed:
            shape = (self.in_channels, self.out_channels // self.groups, *self.kernel_size)
        else:
            shape = (self.out_channels, self.in_channels // self.groups, *self.kernel_size)
        self.weight.materialize(shape)
        if self.bias is not None:
            self.bias.materialize((self.out_channels,))
        self.reset_parameters()

    def _get_in_channels(self, input):
        unbatched = self._spatial_dims + 1
        if input.dim() not in (unbatched, unbatched + 1):
            raise RuntimeError(
                f"Expected {unbatched}D (unbatched) or {unbatched + 1}D (batched) input to {type(self).__name__}, but "
                f"got input of size: {input.shape}"
            )
        return input.shape[1] if input.dim() == unbatched + 1 else input.shape[0]


class _LazyConv(_LazyConvXdMixin):
    """The constructor of the lazy convolutions."""

    def __init__(
        self,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        bias=True,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ):
        # Without a bias: an empty one would have to be replaced as well.
        super().__init__(
            0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode, device, dtype
        )
        self._make_lazy(out_channels, bias, device, dtype)


class _LazyConvTranspose(_LazyConvXdMixin):
    """The constructor of the lazy transposed convolutions."""

    def __init__(
        self,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        output_padding=0,
        groups=1,
        bias=True,
        dilation=1,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ):
        super().__init__(
            0,
            0,
            kernel_size,
            stride,
            padding,
            output_padding,
            groups,
            False,
            dilation,
            padding_mode,
            device,
            dtype,
        )
        self._make_lazy(out_channels, bias, device, dtype)


class LazyConv1d(_LazyConv, Conv1d):
    """A Conv1d that takes in_channels from its first input"""

    cls_to_become = Conv1d


class LazyConv2d(_LazyConv, Conv2d):
    """A Conv2d that takes in_channels from its first input"""

    cls_to_become = Conv2d


class LazyConv3d(_LazyConv, Conv3d):
    """A Conv3d that takes in_channels from its first input"""

    cls_to_become = Conv3d


class LazyConvTranspose1d(_LazyConvTranspose, ConvTranspose1d):
    """A ConvTranspose1d that takes in_channels from its first input"""

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyConvTranspose, ConvTranspose2d):
    """A ConvTranspose2d that takes in_channels from its first input"""

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyConvTranspose, ConvTranspose3d):
    """A ConvTranspose3d that takes in_channels from its first input"""

    cls_to_become = ConvTranspose3d
