"""Makes ``import torch`` mean flambeau in this process.

A finder at the head of ``sys.meta_path`` answers for ``torch`` and ``torch.<anything>`` with the
very modules of flambeau, so that ``torch.nn is flambeau.nn``. The same finder answers
``importlib.metadata.version("torch")``. What flambeau lacks does not exist: the import fails and
says so, and ``importlib.util.find_spec`` returns None.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from flambeau import _missing
from flambeau.version import __version__ as torch_version

_OURS, _THEIRS = "flambeau", "torch"


class _TorchFinder:
    """Finds and loads ``torch.x`` as ``flambeau.x``."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        package, _, rest = fullname.partition(".")
        if package != _THEIRS:
            return None
        found = _spec(f"{_OURS}.{rest}" if rest else _OURS)
        if found is None:
            _refuse(fullname)
            return None
        spec = ModuleSpec(fullname, self, origin=found.origin)  # type: ignore[arg-type]
        spec.submodule_search_locations = found.submodule_search_locations
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        # The import system gives out what it finds here, not the empty module it made.
        name = module.__name__
        sys.modules[name] = import_module(_OURS + name.removeprefix(_THEIRS))

    def find_distributions(self, context: Any) -> Iterable[Any]:
        if context.name in (None, _THEIRS):
            yield _torch_distribution()


class _MissingFinder:
    """Last of all finders: says which part of PyTorch a failed import was after."""

    def find_spec(self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> None:
        # ``from torch import x`` first looks for a submodule flambeau.x.
        if fullname.startswith(_OURS + "."):
            _refuse(_THEIRS + fullname.removeprefix(_OURS))


def install() -> None:
    """Lets every later ``import torch`` in this process find flambeau."""
    if any(isinstance(finder, _TorchFinder) for finder in sys.meta_path):
        return
    loaded = sys.modules.get(_THEIRS)
    ours = import_module(_OURS)
    if loaded is not None and loaded is not ours:
        raise RuntimeError(
            "flambeau.install: torch is already imported in this process; call it before the first "
            "'import torch', or start the script with 'flambeau run'"
        )
    sys.meta_path.insert(0, _TorchFinder())  # type: ignore[arg-type]
    sys.meta_path.append(_MissingFinder())  # type: ignore[arg-type]


def _spec(name: str) -> ModuleSpec | None:
    from importlib.util import find_spec

    try:
        return find_spec(name)
    except (ModuleNotFoundError, ValueError):
        return None


def _refuse(fullname: str) -> None:
    """Raises, except for those who only ask whether the module exists."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__") != "importlib.util":
        frame = frame.f_back  # type: ignore[assignment]
    if frame is None:
        raise ModuleNotFoundError(_missing.describe(fullname), name=fullname)


def _torch_distribution() -> Any:
    from importlib.metadata import Distribution

    class TorchDistribution(Distribution):
        """The metadata of the PyTorch release whose interface flambeau follows."""

        def read_text(self, filename: str) -> str | None:
            if filename != "METADATA":
                return None
            return f"Metadata-Version: 2.1\nName: torch\nVersion: {torch_version}\n"

        def locate_file(self, path: Any) -> Any:
            from pathlib import Path

            return Path(__file__).parent / path

    return TorchDistribution()
