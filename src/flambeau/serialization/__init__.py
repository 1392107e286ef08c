"""Saving and loading in PyTorch's formats: either library reads the other's files."""

from .loading import get_unsafe_globals_in_checkpoint, load
from .saving import save
from .weights_only import (
    _get_layout,  # noqa: F401  (files name it here)
    add_safe_globals,
    clear_safe_globals,
    get_safe_globals,
    safe_globals,
)

__all__ = [
    "add_safe_globals",
    "clear_safe_globals",
    "get_safe_globals",
    "get_unsafe_globals_in_checkpoint",
    "load",
    "safe_globals",
    "save",
]
