"""Parameters as one vector and back. Follows torch/nn/utils/convert_parameters.py."""

from __future__ import annotations

import flambeau
from flambeau import Tensor
from flambeau.nn.modules._naming import typename

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def parameters_to_vector(parameters):
    """All parameters, flattened and joined."""
    return flambeau.cat([param.view(-1) for param in parameters])


def vector_to_parameters(vec, parameters):
    """Let each parameter be its part of the vector."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {typename(vec)}")
    start = 0
    for param in parameters:
        stop = start + param.numel()
        param.data = vec[start:stop].view_as(param).data
        start = stop
