"""autocast's checks and GradScaler against PyTorch's."""

from __future__ import annotations

import pickle
import warnings

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch.cuda.amp")

import flambeau  # noqa: E402
import flambeau.amp  # noqa: E402
import flambeau.cuda.amp  # noqa: E402

BOTH = (flambeau, torch)


def outcome(fn):
    """What a call gives or raises, with its warnings."""
    results = []
    for lib in BOTH:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                result = fn(lib)
            except Exception as error:
                result = type(error).__name__, str(error)
        texts = [(w.category.__name__, str(w.message)) for w in caught]
        results.append(repr((result, texts)).replace("flambeau", "torch"))
    assert results[0] == results[1]
    return results[0]


@pytest.mark.parametrize("device", ["cpu", "cuda", "mps", "xpu", "foo", "meta", "vulkan", "CPU", 3, "xla", "hpu"])
@pytest.mark.parametrize("enabled", [True, False])
def test_construction(device, enabled):
    def make(lib):
        context = lib.amp.autocast(device, enabled=enabled)
        return context._enabled, str(context.fast_dtype), context.device

    outcome(make)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_types(dtype):
    outcome(lambda lib: lib.amp.autocast("cpu", getattr(lib, dtype))._enabled)


def test_old_names():
    outcome(lambda lib: lib.cuda.amp.autocast()._enabled)
    outcome(lambda lib: lib.cuda.amp.autocast(False)._enabled)
    outcome(lambda lib: lib.cuda.amp.GradScaler().is_enabled())
    outcome(lambda lib: lib.amp.GradScaler().is_enabled())
    outcome(lambda lib: lib.amp.autocast("cpu")(3))
    outcome(lambda lib: lib.amp.is_autocast_available("meta"))
    outcome(lambda lib: lib.amp.is_autocast_available("cuda"))


def test_disabled_does_nothing():
    def run(lib):
        with lib.amp.autocast("cpu", enabled=False):
            a = lib.ones(2) @ lib.ones(2)
        decorated = lib.amp.autocast("cpu", enabled=False)(lambda x: x + 1)
        return str(a.dtype), decorated(3)

    outcome(run)


def training(lib, bad_steps, **options):
    """The scale and the weights along a run in which some gradients overflow."""
    w = lib.nn.Parameter(lib.tensor([1.0, -2.0, 3.0]))
    optimizer = lib.optim.SGD([w], lr=0.1)
    scaler = lib.amp.GradScaler("cpu", **options)
    seen = []
    for i in range(12):
        optimizer.zero_grad()
        loss = (w * w).sum() * (float("inf") if i in bad_steps else 1.0)
        scaler.scale(loss).backward()
        if i % 3 == 0:
            scaler.unscale_(optimizer)
        scaler.step(optimizer)
        scaler.update()
        seen.append((scaler.get_scale(), scaler._get_growth_tracker(), w.tolist()))
        scaler = pickle.loads(pickle.dumps(scaler)) if i == 5 else scaler
    return seen, scaler.state_dict()


@pytest.mark.parametrize("bad_steps", [(), (0,), (4, 5), (3, 11)])
@pytest.mark.parametrize("options", [{}, {"growth_interval": 2}, {"init_scale": 3.0e38, "growth_interval": 1}])
def test_grad_scaler(bad_steps, options):
    outcome(lambda lib: training(lib, bad_steps, **options))


def steps_of(lib, *names):
    w = lib.nn.Parameter(lib.ones(2))
    optimizer = lib.optim.SGD([w], lr=0.1)
    scaler = lib.amp.GradScaler("cpu")
    for name in names:
        if name == "scale":
            scaler.scale(w.sum()).backward()
        elif name == "update":
            scaler.update()
        else:
            getattr(scaler, name)(optimizer)


@pytest.mark.parametrize(
    "names",
    [
        ("unscale_",),
        ("step",),
        ("update",),
        ("scale", "update"),
        ("scale", "unscale_", "unscale_"),
        ("scale", "step", "unscale_"),
        ("scale", "step", "step"),
        ("scale", "step", "update", "step"),
    ],
)
def test_misuse(names):
    outcome(lambda lib: steps_of(lib, *names))


def test_other_misuse():
    outcome(lambda lib: lib.amp.GradScaler("cpu", growth_factor=1.0))
    outcome(lambda lib: lib.amp.GradScaler("cpu", backoff_factor=1.0))
    outcome(lambda lib: lib.amp.GradScaler("cpu").load_state_dict({}))
    outcome(lambda lib: lib.amp.GradScaler("cpu").scale(3))
    outcome(lambda lib: lib.amp.GradScaler("cpu", enabled=False).scale(3))
    outcome(lambda lib: lib.amp.GradScaler("cpu", enabled=False).state_dict())
    outcome(lambda lib: [t.tolist() for t in lib.amp.GradScaler("cpu").scale([lib.ones(2)] * 2)])
