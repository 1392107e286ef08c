"""DLPack: tensors handed to and taken from other libraries without copying."""

from __future__ import annotations

from typing import Any

__all__ = ["from_dlpack", "to_dlpack"]


def to_dlpack(tensor: Any) -> Any:
    """A capsule that holds the tensor."""
    return tensor.__dlpack__()


def from_dlpack(ext_tensor: Any) -> Any:
    """A tensor over the memory of `ext_tensor`: a capsule, or an object with ``__dlpack__``."""
    import flambeau

    if not hasattr(ext_tensor, "__dlpack__"):
        ext_tensor = _Exporter(ext_tensor)
    return flambeau.from_dlpack(ext_tensor)


class _Exporter:
    """A capsule in the shape of an object that hands it out."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **kwargs: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)
