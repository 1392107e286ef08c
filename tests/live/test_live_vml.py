"""Unary functions that PyTorch gives to MKL's vector math, bit for bit in float32."""

from __future__ import annotations

import numpy
import pytest

torch = pytest.importorskip("torch")

import flambeau  # noqa: E402

EXACT = ["sqrt", "exp", "log", "tanh"]
EXACT_TO_10000 = ["sin", "cos"]


def floats(step: int) -> numpy.ndarray:
    """Every step-th float."""
    return numpy.arange(0, 1 << 32, step, dtype="u8").astype("u4").view("f4")


def assert_same(name: str, x: numpy.ndarray, ours, theirs) -> None:
    ours, theirs = ours.numpy(), theirs.numpy()
    differ = (ours.view("u4") != theirs.view("u4")) & ~(numpy.isnan(ours) & numpy.isnan(theirs))
    if differ.any():
        i = numpy.argmax(differ)
        values = ", ".join(f"{v} ({float(v).hex()})" for v in (x[i], ours[i], theirs[i]))
        pytest.fail(f"{name}: {differ.sum()} of {x.size} differ, first x, ours, theirs: {values}")


@pytest.mark.parametrize("name", EXACT + EXACT_TO_10000)
def test_every_scale(name):
    x = floats(1021)
    if name in EXACT_TO_10000:
        x = x[numpy.abs(x) <= 10000]
    assert_same(name, x, getattr(flambeau, name)(flambeau.from_numpy(x)), getattr(torch, name)(torch.from_numpy(x)))


@pytest.mark.parametrize("name", EXACT + EXACT_TO_10000)
def test_strided_and_short(name):
    x = numpy.random.default_rng(0).uniform(0.1, 9, 3000).astype("f4")
    for part in (x[::3], x[1:2], x[5:22], x.reshape(50, 60).T):
        ours, theirs = getattr(flambeau, name)(flambeau.from_numpy(part)), getattr(torch, name)(torch.from_numpy(part))
        assert_same(name, part.ravel(), ours.contiguous().view(-1), theirs.contiguous().view(-1))


@pytest.mark.parametrize("name", ["exp", "log", "sin"])
def test_rare_inputs_among_others(name):
    x = numpy.random.default_rng(2).uniform(0.5, 60, 1000).astype("f4")
    rare = [numpy.inf, -numpy.inf, numpy.nan, 0.0, -0.0, 1e-42, -3e-39, 88.5, -95.0, 89.5, 5000.0, -104.5]
    x[:984:82] = rare
    ours, theirs = flambeau.from_numpy(x.copy()), torch.from_numpy(x.copy())
    assert_same(name, x, getattr(ours, name + "_")(), getattr(theirs, name + "_")())


def test_pow_half_is_sqrt():
    x = numpy.random.default_rng(1).uniform(0, 100, 5000).astype("f4")
    assert_same("pow", x, flambeau.from_numpy(x) ** 0.5, torch.from_numpy(x) ** 0.5)
