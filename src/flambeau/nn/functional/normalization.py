"""Normalizations and distances. Part of torch/nn/functional.py."""

from __future__ import annotations

from flambeau._composites import pdist
from flambeau.nn._operators import _VF, _nn

__all__ = [
    "batch_norm",
    "cosine_similarity",
    "group_norm",
    "instance_norm",
    "layer_norm",
    "local_response_norm",
    "normalize",
    "pairwise_distance",
    "pdist",
    "rms_norm",
]

cosine_similarity = _VF.cosine_similarity
layer_norm = _VF.layer_norm
pairwise_distance = _VF.pairwise_distance
rms_norm = _VF.rms_norm


def _verify_batch_size(size):
    count = size[0]
    for n in size[2:]:
        count *= n
    if count == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {size}")


def _verify_spatial_size(size):
    count = 1
    for n in size[2:]:
        count *= n
    if count == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {size}")


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    """(x - mean) / sqrt(var + eps) * weight + bias per channel, of the batch when training."""
    if training:
        _verify_batch_size(input.size())
        if eps <= 0.0:
            raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    elif eps < 0.0:
        raise ValueError(f"batch_norm eps must be non-negative, but got {eps}")
    return _VF.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, False)


def instance_norm(
    input,
    running_mean=None,
    running_var=None,
    weight=None,
    bias=None,
    use_input_stats=True,
    momentum=0.1,
    eps=1e-5,
):
    """batch_norm of each sample for itself."""
    if use_input_stats:
        _verify_spatial_size(input.size())
    return _VF.instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, False)


def group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    """(x - mean) / sqrt(var + eps) * weight + bias, statistics per sample and group of channels."""
    if input.dim() < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.dim()}")
    size = input.size()
    _verify_batch_size([size[0] * size[1] // num_groups, num_groups, *size[2:]])
    return _VF.group_norm(input, num_groups, weight, bias, eps)


def local_response_norm(input, size, alpha=1e-4, beta=0.75, k=1.0):
    """x / (k + alpha * mean of x * x over `size` channels) ** beta"""
    dim = input.dim()
    if dim < 3:
        raise ValueError(f"Expected 3D or higher dimensionality                          input (got {dim} dimensions)")
    if input.numel() == 0:
        return input
    square = input.mul(input)
    before = size // 2
    after = (size - 1) // 2
    if dim == 3:
        square = _nn.pad(square.unsqueeze(1), (0, 0, before, after))
        mean = _nn.avg_pool2d(square, (size, 1), stride=1).squeeze(1)
    else:
        sizes = input.size()
        square = square.view(sizes[0], 1, sizes[1], sizes[2], -1)
        square = _nn.pad(square, (0, 0, 0, 0, before, after))
        mean = _nn.avg_pool3d(square, (size, 1, 1), stride=1).squeeze(1)
        mean = mean.view(sizes)
    return input / mean.mul(alpha).add(k).pow(beta)


def normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    """x / max(norm(x, p), eps) along `dim`."""
    norm = input.norm(p, dim, keepdim=True)
    if out is None:
        return input / norm.clamp_min(eps).expand_as(input)
    return _VF.div(input, norm.clamp_min_(eps).expand_as(input), out=out)
