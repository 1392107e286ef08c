"""Weight averaging against PyTorch's, bit for bit."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch.optim.swa_utils")

import flambeau  # noqa: E402
import flambeau.optim.swa_utils  # noqa: E402

BOTH = (flambeau, torch)


def model_of(lib):
    lib.manual_seed(0)
    return lib.nn.Sequential(lib.nn.Linear(3, 4), lib.nn.BatchNorm1d(4), lib.nn.Linear(4, 2))


def values(model):
    return {k: v.tolist() for k, v in model.state_dict().items()}


AVERAGES = {
    "default": lambda s: {},
    "swa": lambda s: {"avg_fn": s.get_swa_avg_fn()},
    "ema": lambda s: {"avg_fn": s.get_ema_avg_fn(0.9)},
    "multi swa": lambda s: {"multi_avg_fn": s.get_swa_multi_avg_fn()},
    "buffers": lambda s: {"avg_fn": s.get_swa_avg_fn(), "use_buffers": True},
    "multi ema": lambda s: {"multi_avg_fn": s.get_ema_multi_avg_fn(0.9)},
}


@pytest.mark.parametrize("name", AVERAGES)
def test_averages(name):
    results = []
    for lib in BOTH:
        swa = lib.optim.swa_utils
        model = model_of(lib)
        average = swa.AveragedModel(model, **AVERAGES[name](swa))
        for _ in range(5):
            with lib.no_grad():
                for p in model.parameters():
                    p.add_(lib.randn(p.shape))
            model(lib.randn(6, 3))
            average.update_parameters(model)
        batches = [lib.randn(5, 3), lib.randn(7, 3)]
        if name == "default":
            swa.update_bn(batches, average)
        results.append(values(average))
    assert results[0] == results[1]


@pytest.mark.parametrize("strategy", ["cos", "linear"])
@pytest.mark.parametrize("epochs", [0, 1, 10])
def test_swalr(strategy, epochs):
    results = []
    for lib in BOTH:
        parameter = lib.nn.Parameter(lib.zeros(1))
        optimizer = lib.optim.SGD([parameter], lr=0.3)
        scheduler = lib.optim.swa_utils.SWALR(optimizer, 0.05, epochs, strategy)
        seen = []
        for _ in range(25):
            seen.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            scheduler.step()
        results.append(seen)
    assert results[0] == results[1]
