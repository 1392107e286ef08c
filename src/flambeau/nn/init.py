"""Filling parameters with their first values. Follows torch/nn/init.py.

Each function draws as PyTorch's does, so a seed gives the same values. All work in place, without gradients.
"""

from __future__ import annotations

import math
import warnings

import flambeau

__all__ = [
    "calculate_gain",
    "constant",
    "constant_",
    "dirac",
    "dirac_",
    "eye",
    "eye_",
    "kaiming_normal",
    "kaiming_normal_",
    "kaiming_uniform",
    "kaiming_uniform_",
    "normal",
    "normal_",
    "ones_",
    "orthogonal",
    "orthogonal_",
    "sparse",
    "sparse_",
    "trunc_normal_",
    "uniform",
    "uniform_",
    "xavier_normal",
    "xavier_normal_",
    "xavier_uniform",
    "xavier_uniform_",
    "zeros_",
]

_LINEAR = (
    "linear",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "sigmoid",
)


def calculate_gain(nonlinearity, param=None):
    """The factor by which a nonlinearity shrinks standard deviations; `param` is leaky_relu's slope."""
    if nonlinearity in _LINEAR:
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        if param is None:
            negative_slope = 0.01
        elif not isinstance(param, bool) and isinstance(param, (int, float)):
            negative_slope = param
        else:
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + negative_slope**2))
    if nonlinearity == "selu":
        return 3.0 / 4
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


# Plain fills


def uniform_(tensor, a=0.0, b=1.0, generator=None):
    """U(a, b)"""
    with flambeau.no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor, mean=0.0, std=1.0, generator=None):
    """N(mean, std ** 2)"""
    with flambeau.no_grad():
        return tensor.normal_(mean, std, generator=generator)


def trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None):
    """N(mean, std ** 2) on [a, b]; what falls outside is drawn again."""
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be "
            "incorrect.",
            stacklevel=2,
        )
    inside = _norm_cdf((b - mean) / std) - _norm_cdf((a - mean) / std)
    with flambeau.no_grad():
        if inside > 0.3:
            _redraw_outside(tensor, mean, std, a, b, generator)
        else:
            _reject_under_bell(tensor, mean, std, a, b, generator)
    return tensor


def _norm_cdf(x):
    """The standard normal distribution function."""
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


def _redraw_outside(tensor, mean, std, a, b, generator):
    """Normal draws of the whole tensor, until all elements have had one inside [a, b]."""
    # The bounds as the tensor can represent them.
    low = tensor.new_tensor(a).item()
    high = tensor.new_tensor(b).item()
    result = tensor.normal_(mean, std, generator=generator)
    outside = (result < low) | (result > high)
    while outside.any():
        again = flambeau.empty_like(result).normal_(mean, std, generator=generator)
        result = flambeau.where(outside, again, result)
        outside = (result < low) | (result > high)
    if result is not tensor:
        tensor.copy_(result)


def _reject_under_bell(tensor, mean, std, a, b, generator):
    """Uniform draws from [a, b], each kept with a probability that is the density over its maximum there."""
    peak = max(a, min(mean, b))
    log_peak = -0.5 * ((peak - mean) / std) ** 2
    candidates = flambeau.empty_like(tensor)
    chances = flambeau.empty_like(tensor)

    def rejected():
        """Which candidates are not kept; they are overwritten by logarithms of their probabilities."""
        candidates.sub_(mean).div_(std).pow_(2).mul_(-0.5).sub_(log_peak)
        return chances.uniform_(generator=generator).log_().gt(candidates)

    result = tensor.uniform_(a, b, generator=generator)
    candidates.copy_(tensor)
    pending = rejected()
    while pending.any():
        candidates.uniform_(a, b, generator=generator)
        result = flambeau.where(pending, candidates, result)
        pending = flambeau.where(pending, rejected(), pending)
    if result is not tensor:
        tensor.copy_(result)


def constant_(tensor, val):
    """`val` everywhere."""
    with flambeau.no_grad():
        return tensor.fill_(val)


def ones_(tensor):
    """1 everywhere."""
    with flambeau.no_grad():
        return tensor.fill_(1.0)


def zeros_(tensor):
    """0 everywhere."""
    with flambeau.no_grad():
        return tensor.zero_()


def eye_(tensor):
    """The identity matrix."""
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with flambeau.no_grad():
        flambeau.eye(*tensor.shape, out=tensor, requires_grad=tensor.requires_grad)
    return tensor


def dirac_(tensor, groups=1):
    """The weight of a convolution that passes as many channels through as it can, per group."""
    dimensions = tensor.ndimension()
    if dimensions not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    sizes = tensor.size()
    if sizes[0] % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    out_channels = sizes[0] // groups
    center = tuple(n // 2 for n in sizes[2:])
    with flambeau.no_grad():
        tensor.zero_()
        for g in range(groups):
            for d in range(min(out_channels, sizes[1])):
                place = (g * out_channels + d, d, *center)
                tensor[place] = 1
    return tensor


# Fills scaled by the number of inputs and outputs


def _calculate_fan_in_and_fan_out(tensor):
    """How many inputs an output has, and how many outputs an input, for a weight (out, in, *)."""
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    receptive_field_size = 1
    for n in tensor.shape[2:]:
        receptive_field_size *= n
    return tensor.size(1) * receptive_field_size, tensor.size(0) * receptive_field_size


def _calculate_correct_fan(tensor, mode):
    mode = mode.lower()
    valid_modes = ["fan_in", "fan_out"]
    if mode not in valid_modes:
        raise ValueError(f"Mode {mode} not supported, please use one of {valid_modes}")
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return fan_in if mode == "fan_in" else fan_out


def xavier_uniform_(tensor, gain=1.0, generator=None):
    """U(-a, a) for a = gain * sqrt(6 / (fan_in + fan_out))"""
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    std = gain * math.sqrt(2.0 / float(fan_in + fan_out))
    a = math.sqrt(3.0) * std
    return uniform_(tensor, -a, a, generator)


def xavier_normal_(tensor, gain=1.0, generator=None):
    """N(0, std ** 2) for std = gain * sqrt(2 / (fan_in + fan_out))"""
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    std = gain * math.sqrt(2.0 / float(fan_in + fan_out))
    return normal_(tensor, 0.0, std, generator)


def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """U(-b, b) for b = gain * sqrt(3 / fan)"""
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=2)
        return tensor
    fan = _calculate_correct_fan(tensor, mode)
    std = calculate_gain(nonlinearity, a) / math.sqrt(fan)
    bound = math.sqrt(3.0) * std
    with flambeau.no_grad():
        return tensor.uniform_(-bound, bound, generator=generator)


def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """N(0, std ** 2) for std = gain / sqrt(fan)"""
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=2)
        return tensor
    fan = _calculate_correct_fan(tensor, mode)
    std = calculate_gain(nonlinearity, a) / math.sqrt(fan)
    with flambeau.no_grad():
        return tensor.normal_(0, std, generator=generator)


def orthogonal_(tensor, gain=1, generator=None):
    """A matrix with orthonormal rows or columns, times gain; further dimensions belong to the columns."""
    if tensor.ndimension() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows = tensor.size(0)
    cols = tensor.numel() // rows
    drawn = tensor.new_empty((rows, cols)).normal_(0, 1, generator=generator)
    if rows < cols:
        drawn = drawn.t()
    q, r = flambeau.linalg.qr(drawn)
    # With positive diagonals in r the factors are unique, and q is uniformly distributed.
    q *= flambeau.diag(r, 0).sign()
    if rows < cols:
        q = q.t()
    with flambeau.no_grad():
        tensor.view_as(q).copy_(q)
        tensor.mul_(gain)
    return tensor


def sparse_(tensor, sparsity, std=0.01, generator=None):
    """N(0, std ** 2) with the fraction `sparsity` of each column set to zero."""
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, cols = tensor.shape
    num_zeros = math.ceil(sparsity * rows)
    with flambeau.no_grad():
        tensor.normal_(0, std, generator=generator)
        for col in range(cols):
            zeroed = flambeau.randperm(rows)[:num_zeros]
            tensor[zeroed, col] = 0
    return tensor


# Old names


def _deprecated(function):
    new_name = function.__name__
    old_name = new_name[:-1]

    def call(*args, **kwargs):
        warnings.warn(
            f"`nn.init.{old_name}` is now deprecated in favor of `nn.init.{new_name}`.",
            FutureWarning,
            stacklevel=2,
        )
        return function(*args, **kwargs)

    call.__name__ = call.__qualname__ = old_name
    call.__doc__ = f"The old name of `{new_name}`."
    return call


uniform = _deprecated(uniform_)
normal = _deprecated(normal_)
constant = _deprecated(constant_)
eye = _deprecated(eye_)
dirac = _deprecated(dirac_)
xavier_uniform = _deprecated(xavier_uniform_)
xavier_normal = _deprecated(xavier_normal_)
kaiming_uniform = _deprecated(kaiming_uniform_)
kaiming_normal = _deprecated(kaiming_normal_)
orthogonal = _deprecated(orthogonal_)
sparse = _deprecated(sparse_)
