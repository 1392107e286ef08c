"""``torch._dynamo``: the switches that scripts touch before ``torch.compile``."""

from __future__ import annotations

from flambeau._missing import module_getattr
from flambeau.compiler import allow_in_graph, disable, reset

__all__ = ["allow_in_graph", "config", "disable", "is_compiling", "reset"]

__getattr__ = module_getattr(__name__)


def is_compiling() -> bool:
    return False


class _Config:
    """Takes any setting: there is no compiler to configure."""

    suppress_errors = False
    cache_size_limit = 8
    verbose = False


config = _Config()
