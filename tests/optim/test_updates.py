"""What each optimizer makes of one small problem, beside PyTorch's results.

The bits are compared in tests/live; here a difference means that the rule itself is wrong.
"""

from __future__ import annotations

import pytest

import flambeau as torch
from flambeau import optim

# Recorded from PyTorch 2.13.0: the weights after five steps, row by row.
RECORDED = [
    (
        "SGD",
        {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.01, "nesterov": True},
        [0.439106, 2.242034, -1.514924, 2.277948, -0.910142, 0.829474],
    ),
    (
        "Adam",
        {"lr": 0.1, "weight_decay": 0.1, "amsgrad": True},
        [0.523339, -1.501814, 0.004493, 2.505153, -1.004358, 0.719966],
    ),
    (
        "AdamW",
        {"lr": 0.1, "betas": (0.9, 0.95), "weight_decay": 0.1},
        [0.488991, -1.413188, -0.011622, 2.371815, -0.939842, 0.706745],
    ),
    (
        "RMSprop",
        {"lr": 0.1, "momentum": 0.9, "centered": True},
        [1.125281, 3.486113, -1.827797, 2.20871, 0.827797, 0.124719],
    ),
    (
        "Adagrad",
        {"lr": 0.1, "lr_decay": 0.1},
        [0.750675, -1.721964, 0.227044, 2.732452, -1.227044, 0.499325],
    ),
    (
        "Adadelta",
        {"lr": 10.0},
        [0.849121, -1.837825, 0.340016, 2.842245, -1.340021, 0.400882],
    ),
    ("Adamax", {"lr": 0.1}, [0.600184, -1.516964, 0.03448, 2.551554, -1.03448, 0.649816]),
    ("NAdam", {"lr": 0.1}, [0.659639, -1.603799, 0.113321, 2.623663, -1.113322, 0.590361]),
    (
        "RAdam",
        {"lr": 0.1, "betas": (0.5, 0.6)},
        [0.785397, 0.201019, -0.905023, 2.768246, -1.319447, 0.779484],
    ),
    ("Rprop", {"lr": 0.1}, [0.4632, -1.25584, -0.24416, 2.25584, -0.75584, 0.7868]),
    (
        "ASGD",
        {"lr": 0.1, "t0": 2, "lambd": 0.1},
        [0.761891, 0.026146, -0.730557, 2.649778, -1.258574, 0.695488],
    ),
    (
        "Adafactor",
        {"lr": 0.1},
        [0.881712, -1.126661, -0.636312, 2.878208, -1.126165, 0.742279],
    ),
    ("Muon", {"lr": 0.1}, [0.903441, -1.257625, 0.060092, 2.798334, -1.3896, 0.444007]),
    (
        "LBFGS",
        {"lr": 0.5, "max_iter": 3},
        [0.483224, 1.039955, -1.01751, 1.949142, -0.179299, 0.762309],
    ),
]


class Bowl:
    """Half the sum of scale * (weight - goal)**2."""

    def __init__(self):
        start = [[1.0, -2.0], [0.5, 3.0], [-1.5, 0.25]]
        self.weight = torch.nn.Parameter(torch.tensor(start))
        self.goal = torch.tensor([[0.5, 1.0], [-1.0, 2.0], [0.0, 0.75]])
        self.scale = torch.tensor([[1.0, 2.0], [3.0, 0.5], [0.25, 4.0]])

    def closure(self):
        away = self.weight.detach() - self.goal
        self.weight.grad = self.scale * away
        return (self.scale * away * away).sum() / 2

    def values(self):
        return self.weight.detach().reshape(-1).tolist()


@pytest.mark.parametrize(("name", "options", "expected"), RECORDED, ids=[r[0] for r in RECORDED])
def test_recorded(name, options, expected):
    bowl = Bowl()
    optimizer = getattr(optim, name)([bowl.weight], **options)
    for _ in range(5):
        optimizer.step(bowl.closure)
    # Muon's iteration runs in bfloat16, and multiplies its rounding errors.
    tolerance = 2e-2 if name == "Muon" else 5e-6
    assert bowl.values() == pytest.approx(expected, abs=tolerance)


def test_lion_against_its_formula():
    bowl = Bowl()
    w, m = bowl.values(), [0.0] * 6
    goal, scale = bowl.goal.reshape(-1).tolist(), bowl.scale.reshape(-1).tolist()
    optimizer = optim.Lion([bowl.weight], lr=0.1, betas=(0.8, 0.9), weight_decay=0.1)
    for _ in range(5):
        optimizer.step(bowl.closure)
        for i in range(6):
            g = scale[i] * (w[i] - goal[i])
            update = 0.8 * m[i] + (1 - 0.8) * g
            w[i] = w[i] * (1 - 0.1 * 0.1) - 0.1 * ((update > 0) - (update < 0))
            m[i] = 0.9 * m[i] + (1 - 0.9) * g
    assert bowl.values() == pytest.approx(w, abs=1e-5)


def test_sophia_against_its_formula():
    bowl = Bowl()
    w, m, h = bowl.values(), [0.0] * 6, [0.0] * 6
    goal, scale = bowl.goal.reshape(-1).tolist(), bowl.scale.reshape(-1).tolist()
    optimizer = optim.SophiaG([bowl.weight], lr=0.1, rho=0.04, weight_decay=0.1)
    for step in range(5):
        bowl.closure()
        if step % 2 == 0:
            optimizer.update_hessian()
        optimizer.step(bs=8)
        for i in range(6):
            g = scale[i] * (w[i] - goal[i])
            if step % 2 == 0:
                h[i] = 0.99 * h[i] + 0.01 * g * g
            m[i] = 0.965 * m[i] + 0.035 * g
            w[i] -= 0.1 * 0.1 * w[i]
            ratio = min(1.0, abs(m[i]) / (0.04 * 8 * h[i] + 1e-15))
            w[i] -= 0.1 * ((m[i] > 0) - (m[i] < 0)) * ratio
    assert bowl.values() == pytest.approx(w, abs=1e-5)


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "Adagrad"])
def test_fused_is_refused(name):
    bowl = Bowl()
    with pytest.raises(NotImplementedError, match=f"^{name}: fused=True is not supported"):
        getattr(optim, name)([bowl.weight], fused=True)


@pytest.mark.parametrize("name", ["Adam", "RMSprop", "Adadelta", "Adamax", "NAdam", "RAdam"])
def test_capturable_needs_another_device(name):
    bowl = Bowl()
    optimizer = getattr(optim, name)([bowl.weight], capturable=True)
    with pytest.raises(AssertionError, match="^If capturable=True, params"):
        optimizer.step(bowl.closure)


def test_foreach_changes_nothing():
    results = []
    for foreach in (None, True, False):
        bowl = Bowl()
        optimizer = optim.AdamW([bowl.weight], lr=0.1, foreach=foreach)
        for _ in range(3):
            optimizer.step(bowl.closure)
        results.append(bowl.values())
    assert results[0] == results[1] == results[2]


def test_maximize_climbs():
    up, down = Bowl(), Bowl()
    optim.SGD([up.weight], lr=0.1, maximize=True).step(up.closure)
    optim.SGD([down.weight], lr=0.1).step(down.closure)
    start = Bowl().values()
    assert [u + d for u, d in zip(up.values(), down.values())] == pytest.approx([2 * s for s in start])


def test_line_search_finds_the_minimum():
    bowl = Bowl()
    optimizer = optim.LBFGS([bowl.weight], line_search_fn="strong_wolfe", max_iter=30)
    optimizer.step(bowl.closure)
    assert bowl.values() == pytest.approx(bowl.goal.reshape(-1).tolist(), abs=1e-4)
    with pytest.raises(RuntimeError, match="only 'strong_wolfe' is supported"):
        bowl = Bowl()
        optim.LBFGS([bowl.weight], line_search_fn="x").step(bowl.closure)
