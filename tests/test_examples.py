"""The examples run: a few steps each, with the package that is installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def run(script, *arguments):
    command = [sys.executable, str(ROOT / "examples" / script), *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=240, cwd=ROOT)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_gpt(tmp_path):
    out = run("gpt/train.py", "--steps", 4, "--batch", 4, "--sample", 20, "--out", tmp_path)
    assert "ms a step" in out
    assert (tmp_path / "checkpoint.pt").exists()


@pytest.mark.parametrize("model", ["mlp", "cnn"])
def test_digits(tmp_path, model):
    data = ROOT.parent / "shared/data"
    if not (data / "t10k-images-idx3-ubyte.gz").exists():
        pytest.skip("needs MNIST's test set")
    options = ("--model", model, "--steps", 3, "--data", data, "--out", tmp_path, "--library", "flambeau")
    out = run("digits/train.py", *options)
    assert "losses" in out


def test_optimizer():
    out = run("optimizer/own.py")
    assert all(name in out for name in ("SGD", "Lion", "SignMomentum"))
