"""How things are called in a file: by PyTorch's names, so that either library reads the other's."""

from __future__ import annotations

from typing import Any

_OURS, _THEIRS = "flambeau", "torch"
# Moved in PyTorch since some files were written.
_MOVED = {"torch.tensor": "torch._tensor"}
# What PyTorch keeps in another module than we do: module there, name, module here.
_ELSEWHERE = [("torch._tensor", "_rebuild_from_type_v2", "flambeau._utils")]


def to_torch(module: str) -> str:
    """``flambeau.nn.x`` as ``torch.nn.x``; other modules keep their name."""
    if module == _OURS or module.startswith(_OURS + "."):
        return _THEIRS + module[len(_OURS) :]
    return module


def to_ours(module: str, name: str) -> str:
    """The reverse of `to_torch`, with what is kept elsewhere."""
    for theirs, moved, ours in _ELSEWHERE:
        if (module, name) == (theirs, moved):
            return ours
    module = _MOVED.get(module, module)
    if module == _THEIRS or module.startswith(_THEIRS + "."):
        return _OURS + module[len(_THEIRS) :]
    return module


def torch_global(obj: Any, name: str) -> tuple[str, str] | None:
    """The module and name of our `obj` in a file, or None where it is not ours."""
    import flambeau
    from flambeau import _C

    module = getattr(obj, "__module__", None)
    if obj is _C.UntypedStorage:
        return "torch.storage", "UntypedStorage"
    if isinstance(obj, flambeau.dtype):
        return _THEIRS, name
    if not isinstance(module, str) or to_torch(module) == module:
        return None
    for theirs, moved, ours in _ELSEWHERE:
        if (module, name) == (ours, moved):
            return theirs, name
    # What the core defines is found at the top level (Size, device, Generator).
    if getattr(flambeau, name, None) is obj:
        return _THEIRS, name
    return to_torch(module), name
