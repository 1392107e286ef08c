"""Linear maps, convolutions and lookups in tables. Part of torch/nn/functional.py."""

from __future__ import annotations

from flambeau.nn._operators import _VF, _nn
from flambeau.nn._sizes import _pair

__all__ = [
    "bilinear",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_tbc",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "embedding",
    "embedding_bag",
    "fold",
    "linear",
    "one_hot",
    "unfold",
]

bilinear = _VF.bilinear
conv1d = _VF.conv1d
conv2d = _VF.conv2d
conv3d = _VF.conv3d
conv_tbc = _VF.conv_tbc
conv_transpose1d = _VF.conv_transpose1d
conv_transpose2d = _VF.conv_transpose2d
conv_transpose3d = _VF.conv_transpose3d
linear = _nn.linear
one_hot = _nn.one_hot


def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """Columns of all windows: (N, C, H, W) -> (N, C * kH * kW, L)."""
    return _nn.im2col(input, _pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride))


def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """Sums of all windows where they lie: (N, C * kH * kW, L) -> (N, C, H, W)."""
    return _nn.col2im(
        input, _pair(output_size), _pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride)
    )


def embedding(
    input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False
):
    """Rows of weight (V, D) by index: (*) -> (*, D). The row `padding_idx` gets no gradient."""
    if padding_idx is None:
        padding_idx = -1
    else:
        padding_idx = _row_index(padding_idx, weight, "Padding_idx")
    if max_norm is not None:
        # The kernel that shortens rows in place wants its indices contiguous.
        input = input.contiguous()
        _VF.embedding_renorm_(weight.detach(), input, max_norm, norm_type)
    return _VF.embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)


def _row_index(padding_idx, weight, what):
    """`padding_idx` counted from the front."""
    rows = weight.size(0)
    if not -rows <= padding_idx < rows:
        raise AssertionError(f"{what} must be within num_embeddings")
    return padding_idx if padding_idx >= 0 else rows + padding_idx


_BAG_MODES = {"sum": 0, "mean": 1, "max": 2}


def embedding_bag(
    input,
    weight,
    offsets=None,
    max_norm=None,
    norm_type=2,
    scale_grad_by_freq=False,
    mode="mean",
    sparse=False,
    per_sample_weights=None,
    include_last_offset=False,
    padding_idx=None,
):
    """Sums, means or maxima of bags of rows of weight (V, D): (B, N), or (N) with offsets (B) -> (B, D)."""
    if not weight.is_floating_point() and input.is_floating_point():
        import warnings

        warnings.warn(
            "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` is "
            "deprecated, and should now be `embedding_bag(input, weight, ...)`.",
            stacklevel=2,
        )
        weight, input = input, weight
    if per_sample_weights is not None and input.size() != per_sample_weights.size():
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, then it must have the "
            f"same shape as the input ({input.shape})"
        )
    if weight.dim() != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.dim()}")
    input, offsets, per_sample_weights = _as_one_row(input, offsets, per_sample_weights)
    if mode not in _BAG_MODES:
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if mode == "max" and sparse:
        raise ValueError("max mode does not support sparse weights")
    if max_norm is not None:
        _VF.embedding_renorm_(weight.detach(), input, max_norm, norm_type)
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' "
            f"(got mode='{mode}'). Please open a feature request on GitHub."
        )
    bags = _VF.embedding_bag(
        weight,
        input,
        offsets,
        scale_grad_by_freq,
        _BAG_MODES[mode],
        sparse,
        per_sample_weights,
        include_last_offset,
        padding_idx,
    )
    return bags[0]


def _as_one_row(input, offsets, per_sample_weights):
    """Bags of one length become one row of indices with offsets."""
    if input.dim() == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
                f"sequences. However, found offsets of type {type(offsets)}"
            )
        offsets = _VF.arange(0, input.numel(), input.size(1), dtype=input.dtype, device=input.device)
        input = input.reshape(-1)
        if per_sample_weights is not None:
            per_sample_weights = per_sample_weights.reshape(-1)
    elif input.dim() == 1:
        if offsets is None:
            raise ValueError("offsets has to be a 1D Tensor but got None")
        if offsets.dim() != 1:
            raise ValueError("offsets has to be a 1D Tensor")
    else:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.dim()}")
    return input, offsets, per_sample_weights
