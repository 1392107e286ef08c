"""Activations as functions. Part of torch/nn/functional.py.

Names that are an operator of the core are bound to it; the others choose between it and its in-place form.
"""

from __future__ import annotations

from flambeau import contiguous_format
from flambeau.nn._operators import _VF, _nn

__all__ = [
    "celu",
    "celu_",
    "elu",
    "elu_",
    "gelu",
    "glu",
    "gumbel_softmax",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hardtanh_",
    "leaky_relu",
    "leaky_relu_",
    "log_softmax",
    "logsigmoid",
    "mish",
    "prelu",
    "relu",
    "relu6",
    "relu_",
    "rrelu",
    "rrelu_",
    "selu",
    "selu_",
    "sigmoid",
    "silu",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "tanh",
    "tanhshrink",
    "threshold",
    "threshold_",
]

celu_ = _VF.celu_
elu_ = _nn.elu_
gelu = _nn.gelu
hardshrink = _VF.hardshrink
hardtanh_ = _nn.hardtanh_
leaky_relu_ = _nn.leaky_relu_
logsigmoid = _nn.log_sigmoid
prelu = _VF.prelu
relu_ = _VF.relu_
rrelu_ = _VF.rrelu_
selu_ = _VF.selu_
sigmoid = _VF.sigmoid
softplus = _nn.softplus
softshrink = _nn.softshrink
tanh = _VF.tanh
threshold_ = _VF.threshold_


def threshold(input, threshold, value, inplace=False):
    """x where x > threshold, else value."""
    if inplace:
        return _VF.threshold_(input, threshold, value)
    return _VF.threshold(input, threshold, value)


def relu(input, inplace=False):
    """max(x, 0)"""
    if inplace:
        return _VF.relu_(input)
    return _VF.relu(input)


def relu6(input, inplace=False):
    """min(max(x, 0), 6)"""
    if inplace:
        return _nn.relu6_(input)
    return _nn.relu6(input)


def glu(input, dim=-1):
    """a * sigmoid(b) for the halves a, b of the input along `dim`."""
    if input.dim() == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    return _nn.glu(input, dim)


def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    """min(max(x, min_val), max_val)"""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    if inplace:
        return _nn.hardtanh_(input, min_val, max_val)
    return _nn.hardtanh(input, min_val, max_val)


def elu(input, alpha=1.0, inplace=False):
    """x where x > 0, else alpha * (exp(x) - 1)."""
    if inplace:
        return _nn.elu_(input, alpha)
    return _nn.elu(input, alpha)


def selu(input, inplace=False):
    """scale * elu(x, alpha), with the constants that keep mean and variance."""
    if inplace:
        return _VF.selu_(input)
    return _VF.selu(input)


def celu(input, alpha=1.0, inplace=False):
    """max(0, x) + min(0, alpha * (exp(x / alpha) - 1))"""
    if inplace:
        return _VF.celu_(input, alpha)
    return _VF.celu(input, alpha)


def leaky_relu(input, negative_slope=0.01, inplace=False):
    """x where x > 0, else negative_slope * x."""
    if inplace:
        return _nn.leaky_relu_(input, negative_slope)
    return _nn.leaky_relu(input, negative_slope)


def rrelu(input, lower=1.0 / 8, upper=1.0 / 3, training=False, inplace=False):
    """leaky_relu with slopes drawn from [lower, upper], or their mean when not training."""
    if inplace:
        return _VF.rrelu_(input, lower, upper, training)
    return _VF.rrelu(input, lower, upper, training)


def tanhshrink(input):
    """x - tanh(x)"""
    return input - input.tanh()


def softsign(input):
    """x / (|x| + 1)"""
    return input / (input.abs() + 1)


def hardsigmoid(input, inplace=False):
    """relu6(x + 3) / 6"""
    if inplace:
        return _nn.hardsigmoid_(input)
    return _nn.hardsigmoid(input)


def silu(input, inplace=False):
    """x * sigmoid(x)"""
    if inplace:
        return _nn.silu_(input)
    return _nn.silu(input)


def mish(input, inplace=False):
    """x * tanh(softplus(x))"""
    if inplace:
        return _nn.mish_(input)
    return _nn.mish(input)


def hardswish(input, inplace=False):
    """x * relu6(x + 3) / 6"""
    if inplace:
        return _nn.hardswish_(input)
    return _nn.hardswish(input)


def softmin(input, dim=None, _stacklevel=3, dtype=None):
    """softmax(-x)"""
    if dim is None:
        dim = _get_softmax_dim("softmin", input.dim(), _stacklevel)
    if dtype is None:
        return (-input).softmax(dim)
    return (-input).softmax(dim, dtype=dtype)


def softmax(input, dim=None, _stacklevel=3, dtype=None):
    """exp(x) / sum(exp(x)) along `dim`."""
    if dim is None:
        dim = _get_softmax_dim("softmax", input.dim(), _stacklevel)
    if dtype is None:
        return input.softmax(dim)
    return input.softmax(dim, dtype=dtype)


def log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    """log(softmax(x))"""
    if dim is None:
        dim = _get_softmax_dim("log_softmax", input.dim(), _stacklevel)
    if dtype is None:
        return input.log_softmax(dim)
    return input.log_softmax(dim, dtype=dtype)


def _get_softmax_dim(name, ndim, stacklevel):
    """The dimension that softmax takes when none is given."""
    import warnings

    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
        stacklevel=stacklevel,
    )
    return 0 if ndim in (0, 1, 3) else 1


def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
    """Softmax of the logits with Gumbel noise at temperature tau; `hard` rounds it to one-hot, gradients unchanged."""
    if eps != 1e-10:
        import warnings

        warnings.warn("`eps` parameter is deprecated and has no effect.", stacklevel=2)
    noise = -_VF.empty_like(logits, memory_format=contiguous_format).exponential_().log()
    soft = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    index = soft.max(dim, keepdim=True)[1]
    one_hot = _VF.zeros_like(logits, memory_format=contiguous_format).scatter_(dim, index, 1.0)
    return one_hot - soft.detach() + soft
