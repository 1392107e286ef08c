"""``torch.compiler``: nothing is compiled, so nothing needs to be kept from it."""

from __future__ import annotations

from typing import Any

from flambeau._missing import module_getattr

__getattr__ = module_getattr(__name__)


def is_compiling() -> bool:
    return False


def is_dynamo_compiling() -> bool:
    return False


def is_exporting() -> bool:
    return False


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """Both ``@disable`` and ``@disable(recursive=False)``."""
    return fn if fn is not None else lambda function: function


def allow_in_graph(fn: Any) -> Any:
    return fn


def assume_constant_result(fn: Any) -> Any:
    return fn


def cudagraph_mark_step_begin() -> None:
    pass


def reset() -> None:
    pass


def list_backends(exclude_tags: Any = ()) -> list[str]:
    return []


def compile(
    model: Any = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: Any = None,
    mode: str | None = None,
    options: Any = None,
    name: str | None = None,
    disable: bool = False,
    recompile_limit: int | None = None,
    isolate_recompiles: bool = False,
    shapes_spec: Any = None,
) -> Any:
    """``torch.compile``: returns the model or function as it is.

    Flambeau's operators are compiled ahead of time and run as they are called. A script that asks
    for compilation gets the same results as without.
    """
    return model if model is not None else lambda function: function
