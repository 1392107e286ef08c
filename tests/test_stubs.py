"""The type stubs in the repository are those that tools/write_stubs.py writes today, and the package ships them."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

import flambeau

ROOT = Path(__file__).parent.parent


def write_stubs():
    spec = importlib.util.spec_from_file_location("write_stubs", ROOT / "tools/write_stubs.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


STUBS = write_stubs().render_all()


@pytest.mark.parametrize("name", sorted(STUBS))
def test_up_to_date(name):
    kept = ROOT / "src/flambeau/_C" / name
    assert kept.read_text() == STUBS[name], "run `make docs`"


def test_shipped():
    package = Path(flambeau.__file__).parent
    assert (package / "py.typed").exists()
    for name in STUBS:
        assert (package / "_C" / name).exists()


def test_signatures_are_pythons():
    for name, text in STUBS.items():
        compile(text, name, "exec")
