"""Neural networks: modules, functions, initialization. Follows torch/nn/__init__.py.

Quantization is left out; DataParallel exists for scripts that ask whether a model is one.
"""

from __future__ import annotations

from flambeau._missing import module_getattr
from flambeau.nn import functional, init, modules, parallel, utils
from flambeau.nn.modules import *  # noqa: F403
from flambeau.nn.modules import __all__ as _layers
from flambeau.nn.parallel import DataParallel
from flambeau.nn.parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter

__getattr__ = module_getattr(__name__, lazy=("attention", "common_types"))

__all__ = [
    *_layers,
    "Buffer",
    "DataParallel",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "functional",
    "init",
    "modules",
    "parallel",
    "utils",
]
