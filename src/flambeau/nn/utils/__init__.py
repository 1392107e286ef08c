"""Helpers for training. Follows torch/nn/utils/__init__.py; weight_norm, parametrizations and fusion are left out."""

from __future__ import annotations

from flambeau.nn.utils import rnn
from flambeau.nn.utils.clip_grad import (
    clip_grad_norm,
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
)
from flambeau.nn.utils.convert_parameters import parameters_to_vector, vector_to_parameters
from flambeau.nn.utils.spectral_norm import remove_spectral_norm, spectral_norm

__all__ = [
    "clip_grad_norm",
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "get_total_norm",
    "parameters_to_vector",
    "remove_spectral_norm",
    "rnn",
    "spectral_norm",
    "vector_to_parameters",
]
