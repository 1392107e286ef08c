"""``torch.jit``: its questions and its markers. Compiling to TorchScript is not supported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NoReturn, TypeVar

from flambeau._missing import module_getattr

__all__ = ["Final", "export", "ignore", "is_scripting", "is_tracing", "script", "trace", "unused"]

__getattr__ = module_getattr(__name__)

_F = TypeVar("_F", bound=Callable[..., Any])


def is_scripting() -> bool:
    return False


def is_tracing() -> bool:
    return False


def export(fn: _F) -> _F:
    return fn


def unused(fn: _F) -> _F:
    return fn


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """Both ``@ignore`` and ``@ignore(drop=True)``."""
    return drop if callable(drop) else lambda fn: fn


def script_if_tracing(fn: _F) -> _F:
    return fn


def interface(obj: Any) -> Any:
    return obj


def annotate(the_type: Any, the_value: Any) -> Any:
    return the_value


def isinstance(obj: Any, target_type: Any) -> bool:
    import builtins

    return builtins.isinstance(obj, target_type)


class ScriptModule:
    """For ``isinstance`` tests; nothing is one."""

    def __init__(self) -> None:
        _unsupported("ScriptModule")


class ScriptFunction:
    """For ``isinstance`` tests; nothing is one."""

    def __init__(self) -> None:
        _unsupported("ScriptFunction")


def _unsupported(name: str) -> NoReturn:
    raise RuntimeError(
        f"torch.jit.{name} is not supported by flambeau: it has no TorchScript. Use the function or module itself."
    )


def script(obj: Any, *args: Any, **kwargs: Any) -> NoReturn:
    _unsupported("script")


def trace(func: Any, *args: Any, **kwargs: Any) -> NoReturn:
    _unsupported("trace")


def load(f: Any, *args: Any, **kwargs: Any) -> NoReturn:
    _unsupported("load")


def save(m: Any, f: Any, *args: Any, **kwargs: Any) -> NoReturn:
    _unsupported("save")
