"""autocast says what it cannot do; GradScaler works."""

from __future__ import annotations

import pickle

import pytest

import flambeau as torch
import flambeau.cuda.amp
from flambeau import optim
from flambeau.amp import GradScaler, autocast


def test_enabled_autocast_says_that_it_casts_nothing():
    context = autocast("cpu", dtype=torch.bfloat16)
    with pytest.raises(NotImplementedError, match="^autocast: device_type='cpu' with enabled=True"):
        with context:
            pass
    with pytest.raises(NotImplementedError):
        context(lambda: None)()


def test_disabled_autocast():
    with autocast("cpu", enabled=False):
        pass
    assert autocast("cpu", enabled=False)(lambda x: x + 1)(2) == 3
    with pytest.warns(UserWarning, match="CUDA is not available"):
        with autocast("cuda"):
            pass


def test_unknown_devices():
    with pytest.raises(RuntimeError, match="^Expected one of cpu, cuda, ipu, .*: foo$"):
        autocast("foo")
    with pytest.raises(ValueError, match="Expected `device_type` of type `str`, got: `<class"):
        autocast(3)


def test_old_names():
    with pytest.warns(FutureWarning, match="`torch.cuda.amp.GradScaler"):
        scaler = flambeau.cuda.amp.GradScaler(enabled=False)
    assert not scaler.is_enabled()
    assert scaler.scale(3) == 3


def test_scale_and_steps():
    w = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
    optimizer = optim.SGD([w], lr=0.25)
    scaler = GradScaler("cpu", init_scale=8.0, growth_interval=2)
    scales = []
    for factor in (1.0, 1.0, float("inf"), 1.0):
        optimizer.zero_grad()
        scaler.scale((w * w).sum() * factor).backward()
        scaler.step(optimizer)
        scaler.update()
        scales.append(scaler.get_scale())
    assert scales == [8.0, 16.0, 8.0, 8.0]
    # Three of the four steps were made, each of which halves the weights.
    assert w.tolist() == [0.125, 0.25]
    copy = pickle.loads(pickle.dumps(scaler))
    assert copy.state_dict() == scaler.state_dict()


def test_misuse():
    w = torch.nn.Parameter(torch.ones(1))
    optimizer = optim.SGD([w], lr=0.1)
    scaler = GradScaler("cpu")
    with pytest.raises(AssertionError, match="Attempted unscale_ but _scale is None"):
        scaler.unscale_(optimizer)
    scaler.scale(w.sum()).backward()
    scaler.unscale_(optimizer)
    with pytest.raises(RuntimeError, match="unscale_\\(\\) has already been called"):
        scaler.unscale_(optimizer)
