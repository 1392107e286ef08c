"""``torch.overrides``: the ``__torch_function__`` protocol is not supported, and this says so.

Libraries that ask before they dispatch are told that no argument overrides anything.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    return False


def has_torch_function_unary(obj: Any) -> bool:
    return False


def has_torch_function_variadic(*args: Any) -> bool:
    return False


def is_tensor_like(inp: Any) -> bool:
    import flambeau

    return type(inp) is flambeau.Tensor or hasattr(inp, "__torch_function__")


def handle_torch_function(public_api: Any, relevant_args: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
    raise RuntimeError("__torch_function__ is not supported by flambeau (yet)")
