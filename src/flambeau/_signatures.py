"""What an operator tells of itself: the text of its calls for help(), and a Signature for inspect.

Both come from the signatures that the core parses calls by. Loaded when first asked for.
"""

from __future__ import annotations

import ast
from inspect import Parameter, Signature
from typing import Any

_OUT = 8  # the form that takes `out=`, as in bindings/bind.h
_OPTIONS = (
    "dtype=None",
    "layout=None",
    "device=None",
    "pin_memory=False",
    "requires_grad=False",
    "memory_format=None",
)


def split_arguments(text: str) -> list[str]:
    """The arguments of a signature: parts between commas outside of brackets."""
    parts: list[str] = []
    depth = start = 0
    for index, char in enumerate(text + ","):
        depth += char in "([" and 1 or -(char in ")]")
        if char == "," and depth == 0 or index == len(text):
            parts.append(text[start:index].strip())
            start = index + 1
    return [part for part in parts if part]


def _arguments(signature: str, forms: int, method: bool, inplace: bool) -> list[str]:
    parts = split_arguments(signature[signature.index("(") + 1 : signature.rindex(")")])
    if not method and parts and parts[0].partition("=")[0] == "self":
        parts[0] = "input" + parts[0][4:]
    if "**options" in parts:
        at = parts.index("**options")
        parts[at : at + 1] = _OPTIONS if "*" in parts else ("*", *_OPTIONS)
    if forms & _OUT and not inplace:
        parts += ["out=None"] if "*" in parts else ["*", "out=None"]
    return parts


def doc(operator: Any, method: bool, inplace: bool) -> str:
    """One line for each way to call it."""
    name = operator.__name__
    lines = []
    for signature, _, forms, result in operator._signatures:
        names = signature.rpartition("->")[2].strip() if "->" in signature else ""
        kind = f"({names})" if names else result
        lines.append(f"{name}({', '.join(_arguments(signature, forms, method, inplace))}) -> {kind}")
    return "\n".join(lines)


def signature(operator: Any, method: bool, inplace: bool) -> Signature:
    """That of the first overload."""
    text, _, forms, _ = operator._signatures[0]
    kind: Any = Parameter.POSITIONAL_OR_KEYWORD
    parameters = []
    for part in _arguments(text, forms, method, inplace):
        if part == "*":
            kind = Parameter.KEYWORD_ONLY
            continue
        name, equals, default = part.partition("=")
        # `from` is a keyword of Python's: such parameters can't be named.
        name = f"{name}_" if name == "from" else name
        value = ast.literal_eval(default) if equals else Parameter.empty
        parameters.append(Parameter(name, kind, default=value))
    return Signature(parameters)
