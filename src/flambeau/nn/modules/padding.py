"""Padding layers. Follows torch/nn/modules/padding.py.

Shapes: (N, C, *) or (C, *) with one, two or three spatial dimensions. `padding` is a number for all sides or a tuple
(before, after) of the last dimension, then of the one before it, and so on.
"""

from __future__ import annotations

from flambeau.nn._operators import _nn
from flambeau.nn._sizes import _ntuple
from flambeau.nn.modules.module import Module

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]

pad = _nn.pad


class _PadNd(Module):
    __constants__ = ["padding"]
    _spatial_dims: int
    _mode: str

    def __init__(self, padding):
        super().__init__()
        self.padding = _ntuple(2 * self._spatial_dims)(padding)

    def forward(self, input):
        return pad(input, self.padding, self._mode)

    def extra_repr(self):
        return f"{self.padding}"


class _CircularPadNd(_PadNd):
    _mode = "circular"

    def _check_input_dim(self, input):
        n = self._spatial_dims + 1
        if input.dim() not in (n, n + 1):
            raise ValueError(f"expected {n}D or {n + 1}D input (got {input.dim()}D input)")

    def forward(self, input):
        self._check_input_dim(input)
        return pad(input, self.padding, "circular")


class CircularPad1d(_CircularPadNd):
    """Pads with the values from the other end"""

    _spatial_dims = 1


class CircularPad2d(_CircularPadNd):
    """Pads with the values from the other end"""

    _spatial_dims = 2


class CircularPad3d(_CircularPadNd):
    """Pads with the values from the other end"""

    _spatial_dims = 3


class _ConstantPadNd(_PadNd):
    __constants__ = ["padding", "value"]

    def __init__(self, padding, value):
        super().__init__(padding)
        self.value = value

    def forward(self, input):
        return pad(input, self.padding, "constant", self.value)

    def extra_repr(self):
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPadNd):
    """Pads with `value`"""

    _spatial_dims = 1


class ConstantPad2d(_ConstantPadNd):
    """Pads with `value`"""

    _spatial_dims = 2


class ConstantPad3d(_ConstantPadNd):
    """Pads with `value`"""

    _spatial_dims = 3


class _ReflectionPadNd(_PadNd):
    _mode = "reflect"


class ReflectionPad1d(_ReflectionPadNd):
    """Pads with the mirror image, the edge not repeated"""

    _spatial_dims = 1


class ReflectionPad2d(_ReflectionPadNd):
    """Pads with the mirror image, the edge not repeated"""

    _spatial_dims = 2


class ReflectionPad3d(_ReflectionPadNd):
    """Pads with the mirror image, the edge not repeated"""

    _spatial_dims = 3


class _ReplicationPadNd(_PadNd):
    _mode = "replicate"


class ReplicationPad1d(_ReplicationPadNd):
    """Pads with the value at the edge"""

    _spatial_dims = 1


class ReplicationPad2d(_ReplicationPadNd):
    """Pads with the value at the edge"""

    _spatial_dims = 2


class ReplicationPad3d(_ReplicationPadNd):
    """Pads with the value at the edge"""

    _spatial_dims = 3


class ZeroPad1d(ConstantPad1d):
    """Pads with zeros"""

    def __init__(self, padding):
        super().__init__(padding, 0.0)

    def extra_repr(self):
        return f"{self.padding}"


class ZeroPad2d(ConstantPad2d):
    """Pads with zeros"""

    def __init__(self, padding):
        super().__init__(padding, 0.0)

    def extra_repr(self):
        return f"{self.padding}"


class ZeroPad3d(ConstantPad3d):
    """Pads with zeros"""

    def __init__(self, padding):
        super().__init__(padding, 0.0)

    def extra_repr(self):
        return f"{self.padding}"
