"""How messages name an object's type. Follows torch.typename."""

from __future__ import annotations

from flambeau import Tensor

__all__ = ["typename"]


def typename(obj):
    """`torch.FloatTensor` for a tensor, `str` for a builtin's object, else the class with its module."""
    if isinstance(obj, Tensor):
        return obj.type()
    cls = obj if isinstance(obj, type) else type(obj)
    if cls.__module__ in ("builtins", "__builtin__", None):
        return cls.__qualname__
    return f"{cls.__module__}.{cls.__qualname__}"
