"""Learning rates along the schedules, beside those of PyTorch; all of them are exact."""

from __future__ import annotations

import pytest

import flambeau as torch
from flambeau import optim
from flambeau.optim import lr_scheduler

STEPS = (0, 1, 8, 21, 50)

# Recorded from PyTorch 2.13.0: the rate before the steps above, from 0.3 on.
RECORDED = [
    (
        "StepLR",
        {"step_size": 7, "gamma": 0.7},
        [0.3, 0.3, 0.21, 0.10289999999999999, 0.024706289999999992],
    ),
    ("MultiStepLR", {"milestones": [3, 9, 9], "gamma": 0.3}, [0.3, 0.3, 0.09, 0.0081, 0.0081]),
    ("ConstantLR", {"factor": 0.3, "total_iters": 11}, [0.09, 0.09, 0.09, 0.3, 0.3]),
    (
        "LinearLR",
        {"start_factor": 0.1, "end_factor": 0.7, "total_iters": 20},
        [0.03, 0.039, 0.10200000000000001, 0.21, 0.21],
    ),
    (
        "ExponentialLR",
        {"gamma": 0.97},
        [0.3, 0.291, 0.23512300783130874, 0.15824415379168333, 0.06541961260422215],
    ),
    (
        "PolynomialLR",
        {"total_iters": 40, "power": 1.7},
        [0.3, 0.2873618436987875, 0.20529304319830818, 0.08462533308575725, 0.0],
    ),
    (
        "CosineAnnealingLR",
        {"T_max": 15, "eta_min": 0.001},
        [0.3, 0.2967330663097039, 0.13487299474148579, 0.10430195934094535, 0.07575000000000041],
    ),
    (
        "CosineAnnealingWarmRestarts",
        {"T_0": 7, "T_mult": 2, "eta_min": 0.01},
        [0.3, 0.2856404858458507, 0.2963645472663644, 0.3, 0.2997718881775834],
    ),
    (
        "CyclicLR",
        {
            "base_lr": 0.01,
            "max_lr": 0.1,
            "step_size_up": 7,
            "step_size_down": 11,
            "mode": "triangular2",
        },
        [
            0.01,
            0.02285714285714286,
            0.09181818181818183,
            0.029285714285714325,
            0.018181818181818188,
        ],
    ),
    (
        "OneCycleLR",
        {"max_lr": 0.5, "total_steps": 60},
        [
            0.020000000000000018,
            0.02408645607586357,
            0.23785559372880755,
            0.4888932458737294,
            0.05454391121447502,
        ],
    ),
]


def optimizer_at(lr=0.3):
    return optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=lr, momentum=0.9)


def rates(optimizer, scheduler, count):
    seen = []
    for _ in range(count):
        seen.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    return seen


@pytest.mark.parametrize(("name", "options", "expected"), RECORDED, ids=[r[0] for r in RECORDED])
def test_recorded(name, options, expected):
    optimizer = optimizer_at()
    scheduler = getattr(lr_scheduler, name)(optimizer, **options)
    seen = rates(optimizer, scheduler, 51)
    assert [seen[i] for i in STEPS] == expected
    assert scheduler.get_last_lr() == [optimizer.param_groups[0]["lr"]]


def test_lambda():
    optimizer = optimizer_at()
    scheduler = lr_scheduler.LambdaLR(optimizer, lambda epoch: 1 / (epoch + 1))
    assert rates(optimizer, scheduler, 3) == [0.3, 0.3 * (1 / 2), 0.3 * (1 / 3)]
    optimizer = optimizer_at()
    scheduler = lr_scheduler.MultiplicativeLR(optimizer, lambda epoch: 0.5)
    assert rates(optimizer, scheduler, 3) == [0.3, 0.3 * 0.5, 0.3 * 0.5 * 0.5]


def test_warmup_then_cosine():
    optimizer = optimizer_at(1.0)
    scheduler = lr_scheduler.SequentialLR(
        optimizer,
        [
            lr_scheduler.LinearLR(optimizer, 0.5, total_iters=2),
            lr_scheduler.CosineAnnealingLR(optimizer, 4),
        ],
        milestones=[2],
    )
    assert rates(optimizer, scheduler, 5) == pytest.approx([0.5, 0.75, 1.0, 0.853553, 0.5])


def test_chained():
    optimizer = optimizer_at(1.0)
    scheduler = lr_scheduler.ChainedScheduler(
        [
            lr_scheduler.ConstantLR(optimizer, 0.5, 2),
            lr_scheduler.ExponentialLR(optimizer, 0.5),
        ]
    )
    assert rates(optimizer, scheduler, 4) == [0.5, 0.25, 0.25, 0.125]


def test_plateau():
    optimizer = optimizer_at(1.0)
    scheduler = lr_scheduler.ReduceLROnPlateau(optimizer, patience=1, factor=0.5)
    seen = []
    for metric in (3.0, 2.0, 2.0, 2.0, 2.0, 2.0, 1.0):
        scheduler.step(metric)
        seen.append(optimizer.param_groups[0]["lr"])
    assert seen == [1.0, 1.0, 1.0, 0.5, 0.5, 0.25, 0.25]


def test_tensor_rates_change_in_place():
    lr = torch.tensor(0.5)
    optimizer = optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=lr)
    scheduler = lr_scheduler.ExponentialLR(optimizer, 0.5)
    optimizer.step()
    scheduler.step()
    assert optimizer.param_groups[0]["lr"] is lr
    assert lr.item() == 0.25
    assert scheduler.base_lrs[0].item() == 0.5


def test_order_warning():
    optimizer = optimizer_at()
    scheduler = lr_scheduler.StepLR(optimizer, 2)
    with pytest.warns(UserWarning, match="^Detected call of `lr_scheduler.step\\(\\)` before"):
        scheduler.step()


def test_resuming_needs_the_initial_rate():
    with pytest.raises(KeyError, match="param 'initial_lr' is not specified"):
        lr_scheduler.StepLR(optimizer_at(), 2, last_epoch=3)


def test_needs_an_optimizer():
    with pytest.raises(TypeError, match="^int is not an Optimizer$"):
        lr_scheduler.StepLR(3, 2)


def test_optimizer_is_not_kept_alive_by_its_schedule():
    import weakref

    optimizer = optimizer_at()
    scheduler = lr_scheduler.StepLR(optimizer, 2)
    alive = weakref.ref(optimizer)
    del optimizer, scheduler
    assert alive() is None
