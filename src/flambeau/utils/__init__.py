"""Utilities, with PyTorch's names. Submodules load when they are first used."""

from __future__ import annotations

from . import hooks as hooks

_LAZY = ("checkpoint", "data", "tensorboard")


def __getattr__(name: str):
    if name in _LAZY:
        import importlib

        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
