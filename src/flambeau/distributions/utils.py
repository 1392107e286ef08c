"""What the distributions share. Part of torch/distributions/utils.py."""

from __future__ import annotations

from numbers import Number

import flambeau
from flambeau.nn.functional import binary_cross_entropy_with_logits, softmax

__all__ = ["broadcast_all", "clamp_probs", "lazy_property", "logits_to_probs", "probs_to_logits"]

euler_constant = 0.57721566490153286060


def broadcast_all(*values):
    """Numbers and tensors as tensors of one shape; numbers take the type of the first tensor."""
    if not all(isinstance(value, (flambeau.Tensor, Number)) for value in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."
        )
    if not all(isinstance(value, flambeau.Tensor) for value in values):
        options = {"dtype": flambeau.get_default_dtype()}
        for value in values:
            if isinstance(value, flambeau.Tensor):
                options = {"dtype": value.dtype}
                break
        values = [v if isinstance(v, flambeau.Tensor) else flambeau.tensor(v, **options) for v in values]
    return flambeau.broadcast_tensors(*values)


def _standard_normal(shape, dtype, device=None):
    return flambeau.normal(flambeau.zeros(shape, dtype=dtype), flambeau.ones(shape, dtype=dtype))


def _sum_rightmost(value, dim):
    """The sum over the last `dim` dimensions."""
    return value if dim == 0 else value.reshape(*value.shape[:-dim], -1).sum(-1)


def logits_to_probs(logits, is_binary=False):
    return flambeau.sigmoid(logits) if is_binary else softmax(logits, dim=-1)


def clamp_probs(probs):
    """Probabilities kept off 0 and 1, so that their logarithms are finite."""
    eps = flambeau.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs, is_binary=False):
    clamped = clamp_probs(probs)
    if is_binary:
        return flambeau.log(clamped) - flambeau.log1p(-clamped)
    return flambeau.log(clamped)


def binary_entropy(logits, probs):
    return binary_cross_entropy_with_logits(logits, probs, reduction="none")


class lazy_property:
    """A method whose result becomes the attribute when it is first asked for."""

    def __init__(self, wrapped):
        self.wrapped = wrapped
        self.__doc__ = wrapped.__doc__

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        with flambeau.enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value
