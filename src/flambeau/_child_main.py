"""Run by multiprocessing in place of the main script, in a process that it started afresh.

A child that is not a fork imports its parent's script under the name ``__mp_main__``. Under
``flambeau run`` that script says ``import torch``, so `install` has to come first. The variable
FLAMBEAU_MAIN says what the parent runs: "script:<path>" or "module:<name>".
"""

from __future__ import annotations

import os


def _code():  # type: ignore[no-untyped-def]
    from importlib.util import find_spec

    kind, _, name = os.environ["FLAMBEAU_MAIN"].partition(":")
    if kind == "module":
        return find_spec(name).loader.get_code(name)
    with open(name, "rb") as file:
        return compile(file.read(), name, "exec")


def redirect() -> None:
    """In the parent: lets children begin here. Costs nothing until multiprocessing is imported."""
    import sys
    from importlib.machinery import PathFinder

    class Finder:
        def find_spec(self, fullname, path=None, target=None):  # type: ignore[no-untyped-def]
            if fullname != "multiprocessing.spawn":
                return None
            sys.meta_path.remove(self)
            spec = PathFinder.find_spec(fullname, path)
            execute = spec.loader.exec_module

            def execute_and_patch(module):  # type: ignore[no-untyped-def]
                execute(module)
                _patch(module)

            spec.loader.exec_module = execute_and_patch
            return spec

    sys.meta_path.insert(0, Finder())


def _patch(spawn) -> None:  # type: ignore[no-untyped-def]
    prepare = spawn.get_preparation_data

    def get_preparation_data(name: str) -> dict[str, object]:
        data = prepare(name)
        if data.pop("init_main_from_name", None) or data.get("init_main_from_path"):
            data["init_main_from_path"] = __file__
        return data

    spawn.get_preparation_data = get_preparation_data


if __name__ == "__mp_main__":
    from flambeau._install import install

    install()
    redirect()
    exec(_code(), globals())
