"""What a script is told when it asks for a part of PyTorch that is not here."""

from __future__ import annotations

# Every import of flambeau loads this file, so it imports nothing itself.

_COVERAGE = "docs/coverage.md lists what it has"


def describe(name: str) -> str:
    """The sentence for ``torch.<something>`` or ``flambeau.<something>``."""
    package, _, rest = name.partition(".")
    torch_name = f"torch.{rest}" if package == "flambeau" and rest else name
    return f"flambeau has no '{torch_name}' (yet); {_COVERAGE}"


def attribute_error(module: str, name: str) -> AttributeError:
    """For a package's ``__getattr__``: ``raise attribute_error(__name__, name)``."""
    return AttributeError(describe(f"{module}.{name}"), name=name)


def module_getattr(module: str, lazy: tuple[str, ...] = ()):  # type: ignore[no-untyped-def]
    """A ``__getattr__`` that imports the submodules in `lazy` when first asked for them."""
    submodules = frozenset(lazy)

    def __getattr__(name: str) -> object:
        if name in submodules:
            from importlib import import_module

            return import_module(f"{module}.{name}")
        raise attribute_error(module, name)

    return __getattr__
