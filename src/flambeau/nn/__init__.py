"""Neural networks: modules, functions, initialization. Follows torch/nn/__init__.py.

Recurrent layers, quantization and data parallelism are left out.
"""

from __future__ import annotations

from flambeau._missing import module_getattr
from flambeau.nn import attention, functional, init, modules, utils
from flambeau.nn.modules import *  # noqa: F403
from flambeau.nn.modules import __all__ as _layers
from flambeau.nn.parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter

__getattr__ = module_getattr(__name__, lazy=("parallel",))

__all__ = [
    *_layers,
    "Buffer",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "attention",
    "functional",
    "init",
    "modules",
    "utils",
]
