"""Choice of the way scaled_dot_product_attention is computed. Follows torch/nn/attention/__init__.py.

On CPU there are two ways with bits of their own: flash attention and plain operators (MATH). Backends for which the
core has no switch can be named, which has no effect on CPU in PyTorch, either.
"""

from __future__ import annotations

import enum
from contextlib import contextmanager

from flambeau import _C

__all__ = ["SDPBackend", "sdpa_kernel"]


class SDPBackend(enum.IntEnum):
    """The ways, numbered as in PyTorch."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


# The switches of the core: (is it on, turn it on or off).
_SWITCHES = {
    SDPBackend.MATH: ("_get_math_sdp_enabled", "_set_sdp_use_math"),
    SDPBackend.FLASH_ATTENTION: ("_get_flash_sdp_enabled", "_set_sdp_use_flash"),
}


@contextmanager
def sdpa_kernel(backends, set_priority=False):
    """Allow nothing but the given backends inside the block."""
    if isinstance(backends, SDPBackend):
        backends = [backends]
    elif not isinstance(backends, list):
        raise AssertionError(
            "Backend must be an instance of SDPBackend or a list of SDPBackend instances, got "
            f"{type(backends).__name__}"
        )
    switches = {b: names for b, names in _SWITCHES.items() if hasattr(_C, names[1])}
    before = {backend: getattr(_C, names[0])() for backend, names in switches.items()}
    try:
        for backend, names in switches.items():
            getattr(_C, names[1])(backend in backends)
        yield {}
    finally:
        for backend, names in switches.items():
            getattr(_C, names[1])(before[backend])
