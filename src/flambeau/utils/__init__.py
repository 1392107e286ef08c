"""Utilities, with PyTorch's names. Submodules load when they are first used."""

from __future__ import annotations

from flambeau._missing import module_getattr

from . import hooks as hooks

__getattr__ = module_getattr(__name__, lazy=("checkpoint", "data", "dlpack", "tensorboard"))
