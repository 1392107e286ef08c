"""Every schedule against PyTorch's: rates, momenta and state dicts, over hundreds of steps."""

from __future__ import annotations

import warnings

import pytest

torch = pytest.importorskip("torch")

import flambeau  # noqa: E402

CASES = [
    ("LambdaLR", {"lr_lambda": lambda epoch: 0.95**epoch}),
    ("LambdaLR", {"lr_lambda": [lambda epoch: 1 / (epoch + 1), lambda epoch: 0.5**epoch]}),
    ("MultiplicativeLR", {"lr_lambda": lambda epoch: 0.99}),
    ("StepLR", {"step_size": 7, "gamma": 0.7}),
    ("MultiStepLR", {"milestones": [3, 9, 9, 40], "gamma": 0.3}),
    ("ConstantLR", {"factor": 0.3, "total_iters": 11}),
    ("LinearLR", {"start_factor": 0.1, "end_factor": 0.7, "total_iters": 60}),
    ("ExponentialLR", {"gamma": 0.97}),
    ("PolynomialLR", {"total_iters": 150, "power": 1.7}),
    ("CosineAnnealingLR", {"T_max": 30, "eta_min": 0.001}),
    ("CosineAnnealingWarmRestarts", {"T_0": 7, "T_mult": 2, "eta_min": 0.01}),
    ("CosineAnnealingWarmRestarts", {"T_0": 13}),
    ("CyclicLR", {"base_lr": 0.01, "max_lr": 0.1, "step_size_up": 7, "step_size_down": 11}),
    ("CyclicLR", {"base_lr": 0.01, "max_lr": 0.1, "step_size_up": 5, "mode": "triangular2"}),
    (
        "CyclicLR",
        {"base_lr": 0.01, "max_lr": [0.1, 0.2], "step_size_up": 5, "mode": "exp_range", "gamma": 0.99},
    ),
    (
        "CyclicLR",
        {"base_lr": 0.01, "max_lr": 0.1, "step_size_up": 5, "scale_fn": lambda x: 1 / (x + 1)},
    ),
    ("OneCycleLR", {"max_lr": 0.5, "total_steps": 301}),
    ("OneCycleLR", {"max_lr": [0.5, 0.2], "epochs": 31, "steps_per_epoch": 10, "three_phase": True}),
    ("OneCycleLR", {"max_lr": 0.5, "total_steps": 400, "anneal_strategy": "linear"}),
]


def optimizer_of(lib, kind="SGD"):
    groups = [
        {"params": [lib.nn.Parameter(lib.zeros(2))], "lr": 0.3},
        {"params": [lib.nn.Parameter(lib.zeros(2))], "lr": 0.07},
    ]
    options = {"momentum": 0.9} if kind == "SGD" else {}
    return getattr(lib.optim, kind)(groups, lr=0.1, **options)


def snapshot(optimizer, scheduler):
    keys = ("lr", "momentum", "betas", "initial_lr", "max_lr", "min_lr")
    groups = [{k: g[k] for k in keys if k in g} for g in optimizer.param_groups]
    return groups, scheduler.get_last_lr()


def plain(state):
    """A state dict without what belongs to a library or cannot be compared."""
    if isinstance(state, dict):
        return {k: plain(v) for k, v in state.items() if k != "_scale_fn_ref"}
    if isinstance(state, list):
        return [plain(v) for v in state]
    return state


def follow(make, kind="SGD", steps=300):
    runs = []
    for lib in (flambeau, torch):
        optimizer = optimizer_of(lib, kind)
        runs.append((optimizer, make(lib, optimizer)))
    for _ in range(steps):
        assert snapshot(*runs[0]) == snapshot(*runs[1])
        for optimizer, scheduler in runs:
            optimizer.step()
            scheduler.step()
    assert plain(runs[0][1].state_dict()) == plain(runs[1][1].state_dict())
    return runs


@pytest.mark.parametrize("kind", ["SGD", "Adam"])
@pytest.mark.parametrize(("name", "options"), CASES, ids=lambda v: str(v)[:60])
def test_same_values(name, options, kind):
    follow(lambda lib, opt: getattr(lib.optim.lr_scheduler, name)(opt, **options), kind)


@pytest.mark.parametrize(("name", "options"), CASES, ids=lambda v: str(v)[:60])
def test_given_epochs(name, options):
    if name == "OneCycleLR":
        pytest.skip("keeps to its number of steps")
    values = []
    for lib in (flambeau, torch):
        optimizer = optimizer_of(lib)
        scheduler = getattr(lib.optim.lr_scheduler, name)(optimizer, **options)
        seen = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for epoch in (3, 4, 20, 21, 5, 150, 0, 63):
                scheduler.step(epoch)
                seen.append(snapshot(optimizer, scheduler))
        values.append(seen)
    assert values[0] == values[1]


@pytest.mark.parametrize(("name", "options"), CASES, ids=lambda v: str(v)[:60])
def test_resume_from_state(name, options):
    values = []
    for lib in (flambeau, torch):
        optimizer = optimizer_of(lib)
        scheduler = getattr(lib.optim.lr_scheduler, name)(optimizer, **options)
        for _ in range(17):
            optimizer.step()
            scheduler.step()
        again = optimizer_of(lib)
        resumed = getattr(lib.optim.lr_scheduler, name)(again, **options)
        again.load_state_dict(optimizer.state_dict())
        resumed.load_state_dict(scheduler.state_dict())
        seen = []
        for _ in range(40):
            again.step()
            resumed.step()
            seen.append(snapshot(again, resumed))
        values.append(seen)
    assert values[0] == values[1]


def test_sequential():
    def make(lib, optimizer):
        s = lib.optim.lr_scheduler
        return s.SequentialLR(
            optimizer,
            [
                s.LinearLR(optimizer, 0.01, total_iters=10),
                s.CosineAnnealingLR(optimizer, 90),
                s.StepLR(optimizer, 20),
            ],
            milestones=[10, 100],
        )

    follow(make)


def test_chained():
    def make(lib, optimizer):
        s = lib.optim.lr_scheduler
        return s.ChainedScheduler([s.ConstantLR(optimizer, 0.1, 20), s.ExponentialLR(optimizer, 0.99)])

    follow(make)


@pytest.mark.parametrize("mode", ["min", "max"])
@pytest.mark.parametrize("threshold_mode", ["rel", "abs"])
def test_plateau(mode, threshold_mode):
    import random

    metrics = [random.Random(3).gauss(0, 1) for _ in range(1)]
    source = random.Random(3)
    metrics = [source.gauss(1, 0.3) for _ in range(300)]
    values = []
    for lib in (flambeau, torch):
        optimizer = optimizer_of(lib)
        scheduler = lib.optim.lr_scheduler.ReduceLROnPlateau(
            optimizer,
            mode,
            factor=0.7,
            patience=3,
            cooldown=2,
            min_lr=[1e-4, 1e-3],
            threshold_mode=threshold_mode,
        )
        seen = []
        for metric in metrics:
            optimizer.step()
            scheduler.step(metric)
            seen.append(snapshot(optimizer, scheduler))
        values.append((seen, plain(scheduler.state_dict())))
    assert values[0] == values[1]


BAD = [
    ("LambdaLR", {"lr_lambda": [abs]}),
    ("MultiplicativeLR", {"lr_lambda": [abs]}),
    ("MultiplicativeLR", {"lr_lambda": 3}),
    ("ConstantLR", {"factor": 2.0}),
    ("LinearLR", {"start_factor": 0}),
    ("LinearLR", {"end_factor": 2}),
    ("CosineAnnealingWarmRestarts", {"T_0": 0}),
    ("CosineAnnealingWarmRestarts", {"T_0": 1, "T_mult": 0}),
    ("CosineAnnealingWarmRestarts", {"T_0": 1, "eta_min": "x"}),
    ("CyclicLR", {"base_lr": 1, "max_lr": 2, "mode": "x"}),
    ("CyclicLR", {"base_lr": [1], "max_lr": 2}),
    ("OneCycleLR", {"max_lr": 1}),
    ("OneCycleLR", {"max_lr": 1, "total_steps": -1}),
    ("OneCycleLR", {"max_lr": 1, "total_steps": 5, "pct_start": 2}),
    ("OneCycleLR", {"max_lr": 1, "total_steps": 5, "anneal_strategy": "x"}),
    ("OneCycleLR", {"max_lr": 1, "epochs": 1.5, "steps_per_epoch": 2}),
    ("ReduceLROnPlateau", {"factor": 1.0}),
    ("ReduceLROnPlateau", {"mode": "x"}),
    ("ReduceLROnPlateau", {"threshold_mode": "x"}),
    ("ReduceLROnPlateau", {"min_lr": [1]}),
    ("StepLR", {"step_size": 3, "last_epoch": 2}),
    ("SequentialLR", {"schedulers": [], "milestones": []}),
]


@pytest.mark.parametrize(("name", "options"), BAD, ids=lambda v: str(v)[:60])
def test_errors_in_the_same_words(name, options):
    messages = []
    for lib in (flambeau, torch):
        with pytest.raises(Exception) as info:
            getattr(lib.optim.lr_scheduler, name)(optimizer_of(lib), **options)
        messages.append((type(info.value), str(info.value)))
    assert messages[0] == messages[1]


def test_order_warning():
    texts = []
    for lib in (flambeau, torch):
        optimizer = optimizer_of(lib)
        scheduler = lib.optim.lr_scheduler.StepLR(optimizer, 2)
        with pytest.warns(UserWarning) as caught:
            scheduler.step()
            scheduler.get_lr()
        texts.append([str(w.message) for w in caught])
    assert texts[0] == texts[1]
