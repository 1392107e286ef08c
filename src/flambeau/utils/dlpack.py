"""DLPack: tensors handed to and taken from other libraries without copying."""

from __future__ import annotations

from typing import Any

from flambeau import _C

__all__ = ["from_dlpack", "to_dlpack"]


def to_dlpack(tensor: Any) -> Any:
    """A capsule that holds the tensor."""
    return tensor.__dlpack__()


def from_dlpack(ext_tensor: Any) -> Any:
    """A tensor over the memory of `ext_tensor`: a capsule, or an object with ``__dlpack__``."""
    if hasattr(ext_tensor, "__dlpack__"):
        ext_tensor = ext_tensor.__dlpack__()
    return _C._from_dlpack(ext_tensor)
