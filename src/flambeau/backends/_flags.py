"""Switches that scripts set and that change nothing here."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class Flags:
    """Attributes with known names; setting an unknown one is an error, as in PyTorch."""

    def __init__(self, owner: str, **values: Any) -> None:
        vars(self).update(values)
        vars(self)["_owner"] = owner

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in vars(self):
            raise AttributeError(f"Unknown attribute {name}")
        vars(self)[name] = value

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"Unknown attribute {name}")

    def __repr__(self) -> str:
        shown = {name: value for name, value in vars(self).items() if name != "_owner"}
        return f"{self._owner}({shown})"


class swapped:
    """Sets attributes of a module for a block (``with torch.backends.cudnn.flags(...)``)."""

    def __init__(self, module: str, **values: Any) -> None:
        self._module: ModuleType = sys.modules[module]
        self._values = {name: value for name, value in values.items() if value is not None}

    def __enter__(self) -> None:
        self._before = {name: getattr(self._module, name) for name in self._values}
        vars(self._module).update(self._values)

    def __exit__(self, *exception: object) -> None:
        vars(self._module).update(self._before)
