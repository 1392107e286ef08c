"""Clipping of gradients. Follows torch/nn/utils/clip_grad.py.

`foreach` is accepted and has no effect: both of PyTorch's ways give the same bits on CPU.
"""

from __future__ import annotations

import types
import warnings

import flambeau
from flambeau import Tensor
from flambeau.nn._operators import _linalg

__all__ = [
    "clip_grad_norm",
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "get_total_norm",
]


def get_total_norm(tensors, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """The norm of all tensors as one vector: the norm of their norms."""
    tensors = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    norm_type = float(norm_type)
    if not tensors:
        return flambeau.tensor(0.0)
    with flambeau.no_grad():
        norms = [_linalg.linalg_vector_norm(t, norm_type) for t in tensors]
        total_norm = _linalg.linalg_vector_norm(flambeau.stack(norms), norm_type)
        if error_if_nonfinite and flambeau.logical_or(total_norm.isnan(), total_norm.isinf()):
            raise RuntimeError(
                f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be "
                "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
                "`error_if_nonfinite=False`"
            )
    return total_norm


def clip_grads_with_norm_(parameters, max_norm, total_norm, foreach=None):
    """Scale all gradients by max_norm / (total_norm + 1e-6), or by 1 if that is larger."""
    grads = _grads_of(parameters)
    if not grads:
        return
    with flambeau.no_grad():
        factor = float(max_norm) / (total_norm + 1e-6)
        # Multiplying by 1, too, spares a branch on the value.
        factor = flambeau.clamp(factor, max=1.0)
        for grad in grads:
            grad.mul_(factor)


def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """Scale all gradients so that their total norm is at most max_norm; returns what it was."""
    if isinstance(parameters, Tensor):
        parameters = [parameters]
    else:
        is_generator = isinstance(parameters, types.GeneratorType)
        parameters = list(parameters)
        if is_generator and not parameters:
            warnings.warn(
                "`parameters` is an empty generator, no gradient clipping will occur.", stacklevel=3
            )
    grads = [p.grad for p in parameters if p.grad is not None]
    total_norm = get_total_norm(grads, norm_type, error_if_nonfinite, foreach)
    clip_grads_with_norm_(parameters, max_norm, total_norm, foreach)
    return total_norm


def clip_grad_norm(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """The old name of `clip_grad_norm_`."""
    warnings.warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def clip_grad_value_(parameters, clip_value, foreach=None):
    """Clamp all gradients to [-clip_value, clip_value]."""
    clip_value = float(clip_value)
    with flambeau.no_grad():
        for grad in _grads_of(parameters):
            grad.clamp_(min=-clip_value, max=clip_value)


def _grads_of(parameters):
    parameters = [parameters] if isinstance(parameters, Tensor) else parameters
    return [p.grad for p in parameters if p.grad is not None]
