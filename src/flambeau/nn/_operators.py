"""The core's operators as nn uses them: `_VF`, `_nn` and `_linalg`.

An operator that the core does not have (yet) says so when it is called, so that nn can be imported without it.
"""

from __future__ import annotations

from flambeau import _C, _missing

__all__ = ["_VF", "_linalg", "_nn"]


class _Operators:
    """One of the core's namespaces."""

    def __init__(self, namespace):
        self.__dict__.update((name, getattr(namespace, name)) for name in dir(namespace) if name[:2] != "__")

    def __getattr__(self, name):
        if name[:2] == "__":
            raise AttributeError(name)

        def absent(*args, **kwargs):
            raise _missing.attribute_error("torch.nn.functional", name)

        absent.__name__ = name
        return absent


_VF = _Operators(_C._VariableFunctions)
_nn = _Operators(_C._nn)
_linalg = _Operators(_C._linalg)
