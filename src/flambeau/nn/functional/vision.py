"""Images: resizing, sampling, padding and shuffling of pixels. Part of torch/nn/functional.py."""

from __future__ import annotations

import math
import warnings

from flambeau.nn._operators import _VF, _nn
from flambeau.nn.functional.pooling import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d

__all__ = [
    "affine_grid",
    "channel_shuffle",
    "grid_sample",
    "interpolate",
    "native_channel_shuffle",
    "pad",
    "pixel_shuffle",
    "pixel_unshuffle",
    "upsample",
    "upsample_bilinear",
    "upsample_nearest",
]

channel_shuffle = _VF.channel_shuffle
native_channel_shuffle = _VF.native_channel_shuffle
pad = _nn.pad
pixel_shuffle = _VF.pixel_shuffle
pixel_unshuffle = _VF.pixel_unshuffle

# The operators by the dimension of the input. Those of the second table take align_corners.
_NEAREST = {
    "nearest": {3: _nn.upsample_nearest1d, 4: _nn.upsample_nearest2d, 5: _nn.upsample_nearest3d},
    "nearest-exact": {
        3: _nn._upsample_nearest_exact1d,
        4: _nn._upsample_nearest_exact2d,
        5: _nn._upsample_nearest_exact3d,
    },
}
_INTERPOLATING = {
    "linear": {3: _nn.upsample_linear1d},
    "bilinear": {4: _nn.upsample_bilinear2d},
    "trilinear": {5: _nn.upsample_trilinear3d},
    "bicubic": {4: _nn.upsample_bicubic2d},
}
_AREA = {3: adaptive_avg_pool1d, 4: adaptive_avg_pool2d, 5: adaptive_avg_pool3d}
_ANTIALIAS = ("bilinear", "bicubic", "lanczos")
_NEEDED_DIM = {"linear": 3, "bilinear": 4, "trilinear": 5}


def interpolate(
    input,
    size=None,
    scale_factor=None,
    mode="nearest",
    align_corners=None,
    recompute_scale_factor=None,
    antialias=False,
):
    """Resize (N, C, *) to `size` or by `scale_factor`; one to three spatial dimensions, depending on the mode."""
    if mode in ("nearest", "area", "nearest-exact"):
        if align_corners is not None:
            raise ValueError(
                "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | "
                "trilinear"
            )
    elif align_corners is None:
        align_corners = False
    output_size, scale_factors = _output_size_or_factors(input, size, scale_factor)
    if recompute_scale_factor and size is not None:
        raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
    if recompute_scale_factor or (mode == "area" and output_size is None):
        output_size = [math.floor(float(n) * s) for n, s in zip(input.shape[2:], scale_factors)]
        scale_factors = None
    ndim = input.dim()
    if antialias and not (mode in _ANTIALIAS and ndim == 4):
        raise ValueError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input"
        )
    if mode in _NEAREST and ndim in _NEAREST[mode]:
        return _NEAREST[mode][ndim](input, output_size, scale_factors)
    if mode == "area" and ndim in _AREA:
        return _AREA[ndim](input, output_size)
    if mode == "lanczos" and ndim == 4:
        if align_corners:
            raise ValueError("Lanczos mode does not support align_corners=True")
        if not antialias:
            raise ValueError("Lanczos mode requires antialias=True")
        return _nn._upsample_lanczos2d_aa(input, output_size, align_corners, scale_factors)
    if mode in _INTERPOLATING and ndim in _INTERPOLATING[mode]:
        operator = _INTERPOLATING[mode][ndim]
        if antialias:
            operator = _nn._upsample_bilinear2d_aa if mode == "bilinear" else _nn._upsample_bicubic2d_aa
        return operator(input, output_size, align_corners, scale_factors)
    if mode in _NEEDED_DIM and ndim in (3, 4, 5):
        raise NotImplementedError(f"Got {ndim}D input, but {mode} mode needs {_NEEDED_DIM[mode]}D input")
    raise NotImplementedError(
        f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {ndim}D) for the modes: nearest | linear | "
        f"bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got {mode})"
    )


def _output_size_or_factors(input, size, scale_factor):
    """(sizes, None) or (None, factors), one for each spatial dimension."""
    spatial = input.dim() - 2
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is not None:
        if not isinstance(size, (list, tuple)):
            return [size] * spatial, None
        if len(size) != spatial:
            raise ValueError(
                "Input and output must have the same number of spatial dimensions, but got input with spatial "
                f"dimensions of {list(input.shape[2:])} and output size of {size}. Please provide input tensor in "
                "(N, C, d1, d2, ...,dK) format and output size in (o1, o2, ...,oK) format."
            )
        if not all(hasattr(n, "__index__") for n in size):
            raise TypeError(
                "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int], but got size "
                f"with types {[type(x) for x in size]}"
            )
        return size, None
    if scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    if not isinstance(scale_factor, (list, tuple)):
        return None, [scale_factor] * spatial
    if len(scale_factor) != spatial:
        raise ValueError(
            "Input and scale_factor must have the same number of spatial dimensions, but got input with spatial "
            f"dimensions of {list(input.shape[2:])} and scale_factor of shape {scale_factor}. Please provide input "
            "tensor in (N, C, d1, d2, ...,dK) format and scale_factor in (s1, s2, ...,sK) format."
        )
    return None, scale_factor


def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    """The old name of interpolate."""
    warnings.warn(
        "`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.", stacklevel=2
    )
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input, size=None, scale_factor=None):
    """The old name of interpolate to the nearest pixel."""
    warnings.warn(
        "`nn.functional.upsample_nearest` is deprecated. Use `nn.functional.interpolate` instead.",
        stacklevel=2,
    )
    return interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(input, size=None, scale_factor=None):
    """The old name of bilinear interpolate with aligned corners."""
    warnings.warn(
        "`nn.functional.upsample_bilinear` is deprecated. Use `nn.functional.interpolate` instead.",
        stacklevel=2,
    )
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


_SAMPLE_MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
_SAMPLE_PADDINGS = {"zeros": 0, "border": 1, "reflection": 2}
_ALIGN_CORNERS_CHANGED = (
    "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify "
    "align_corners=True if the old behavior is desired. See the documentation of grid_sample for details."
)


def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
    """The input (N, C, *) at the places of a grid with coordinates in [-1, 1], (N, *, 2) or (N, *, 3)."""
    if mode not in _SAMPLE_MODES:
        raise ValueError(
            "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: "
            f"'{mode}'"
        )
    if padding_mode not in _SAMPLE_PADDINGS:
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: "
            f"'{padding_mode}'"
        )
    if align_corners is None:
        warnings.warn(_ALIGN_CORNERS_CHANGED, stacklevel=2)
        align_corners = False
    return _VF.grid_sampler(
        input, grid, _SAMPLE_MODES[mode], _SAMPLE_PADDINGS[padding_mode], align_corners
    )


def affine_grid(theta, size, align_corners=None):
    """The grid of an affine map theta (N, 2, 3) or (N, 3, 4) for grid_sample."""
    if align_corners is None:
        warnings.warn(_ALIGN_CORNERS_CHANGED, stacklevel=2)
        align_corners = False
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    if len(size) not in (4, 5):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size "
            f"{size}."
        )
    spatial = len(size) - 2
    if theta.dim() != 3 or tuple(theta.shape[-2:]) != (spatial, spatial + 1):
        raise ValueError(
            f"Expected a batch of {spatial}D affine matrices of shape Nx{spatial}x{spatial + 1} for size {size}. Got "
            f"{theta.shape}."
        )
    if align_corners and min(size[-spatial:]) == 1:
        warnings.warn(
            "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. This "
            "is not an intended use case of affine_grid. See the documentation of affine_grid for details.",
            stacklevel=2,
        )
    elif min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    return _VF.affine_grid_generator(theta, size, align_corners)
