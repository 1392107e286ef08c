"""Every optimizer against PyTorch's: parameters and state bit for bit, step by step."""

from __future__ import annotations

import functools

import pytest

torch = pytest.importorskip("torch")

import flambeau  # noqa: E402

SHAPES = [(3,), (4, 5), (2, 3, 4), (), (67,)]

CASES = [
    ("SGD", {}),
    ("SGD", {"lr": 0.1, "momentum": 0.9}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.3, "weight_decay": 0.01}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01, "maximize": True}),
    ("Adam", {}),
    ("Adam", {"lr": 0.01, "weight_decay": 0.1, "amsgrad": True, "maximize": True}),
    ("Adam", {"betas": (0.3, 0.4), "weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("Adam", {"differentiable": True, "amsgrad": True, "weight_decay": 0.1}),
    ("AdamW", {}),
    ("AdamW", {"lr": 6e-4, "betas": (0.9, 0.95), "weight_decay": 0.1}),
    ("AdamW", {"lr": 6e-4, "amsgrad": True, "maximize": True, "eps": 1e-3}),
    ("RMSprop", {}),
    ("RMSprop", {"momentum": 0.9, "weight_decay": 0.1, "maximize": True}),
    ("RMSprop", {"centered": True}),
    ("RMSprop", {"centered": True, "momentum": 0.1, "differentiable": True}),
    ("Adagrad", {}),
    ("Adagrad", {"lr_decay": 0.5, "weight_decay": 0.1, "initial_accumulator_value": 0.1}),
    ("Adagrad", {"maximize": True, "differentiable": True}),
    ("Adadelta", {}),
    ("Adadelta", {"rho": 0.95, "weight_decay": 0.9, "maximize": True}),
    ("Adadelta", {"differentiable": True}),
    ("Adamax", {}),
    ("Adamax", {"weight_decay": 0.1, "maximize": True}),
    ("Adamax", {"differentiable": True}),
    ("NAdam", {}),
    ("NAdam", {"weight_decay": 0.1, "momentum_decay": 6e-3, "decoupled_weight_decay": True}),
    ("NAdam", {"weight_decay": 0.1, "maximize": True}),
    ("NAdam", {"differentiable": True}),
    ("RAdam", {}),
    ("RAdam", {"weight_decay": 0.1, "betas": (0.5, 0.6)}),
    ("RAdam", {"weight_decay": 0.1, "decoupled_weight_decay": True, "maximize": True}),
    ("Rprop", {}),
    ("Rprop", {"lr": 2e-4, "etas": (0.4, 1.5), "step_sizes": (2e-6, 0.1), "maximize": True}),
    ("ASGD", {}),
    ("ASGD", {"t0": 3, "lambd": 0.02, "weight_decay": 0.1, "maximize": True}),
    ("Adafactor", {}),
    ("Adafactor", {"lr": 0.1, "weight_decay": 0.1, "d": 1.5, "eps": (1e-3, 1e-2), "maximize": True}),
    ("Muon", {}),
    ("Muon", {"nesterov": False, "adjust_lr_fn": "match_rms_adamw", "weight_decay": 0.0}),
    ("LBFGS", {"lr": 0.5, "max_iter": 5}),
    ("LBFGS", {"line_search_fn": "strong_wolfe", "history_size": 3}),
]


def shapes_for(name):
    return [(4, 5), (5, 3)] if name == "Muon" else SHAPES


# What an update is made of that this build may not round as PyTorch does. Where it does not,
# such an update is close, and says so as an expected failure.
DELICATE = {
    "LBFGS": "the square root",
    "Muon": "a product in bfloat16",
    **dict.fromkeys(
        ("Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "NAdam", "RAdam", "RMSprop"),
        "the square root",
    ),
}


def same(ours, theirs, tolerance=0.0):
    """Whether the bits are equal; asserts equal structure, and values within the tolerance."""
    if isinstance(theirs, torch.Tensor):
        assert str(ours.dtype).split(".")[-1] == str(theirs.dtype).split(".")[-1]
        assert tuple(ours.shape) == tuple(theirs.shape)
        if repr(ours.tolist()) == repr(theirs.tolist()):
            return True
        copy = torch.tensor(ours.tolist(), dtype=theirs.dtype)
        assert torch.allclose(copy, theirs, rtol=tolerance, atol=tolerance / 100)
        return False
    if isinstance(theirs, dict):
        assert list(ours) == list(theirs)
        return all([same(ours[key], theirs[key], tolerance) for key in theirs])
    if isinstance(theirs, (list, tuple)):
        assert len(ours) == len(theirs)
        return all([same(a, b, tolerance) for a, b in zip(ours, theirs)])
    if isinstance(theirs, float):
        assert ours == pytest.approx(theirs, rel=tolerance)
    else:
        assert ours == theirs
    return ours == theirs


def tolerance_for(name):
    if name not in DELICATE:
        return 0.0
    return 0.3 if name == "Muon" else 1e-3


class Problem:
    """Half the sum of scale * (weight - goal)**2 with the gradient written out.

    Both libraries get the gradients that PyTorch computes from the weights, so that nothing
    but the optimizer is compared.
    """

    def __init__(self, shapes):
        generator = torch.Generator().manual_seed(7)

        def draw():
            return [torch.randn(shape, generator=generator) for shape in shapes]

        self.starts, self.goals = draw(), draw()
        self.scales = [s.abs() + 0.1 for s in draw()]

    def at(self, lib, params):
        values = [torch.tensor(p.tolist()) for p in params]
        loss = sum((s * (w - g) ** 2).sum() / 2 for w, g, s in zip(values, self.goals, self.scales))
        for p, w, g, s in zip(params, values, self.goals, self.scales):
            p.grad = lib.tensor((s * (w - g)).tolist())
        return lib.tensor(loss.item())


@pytest.mark.parametrize(("name", "options"), CASES, ids=lambda v: str(v))
def test_same_bits_for_many_steps(name, options):
    problem = Problem(shapes_for(name))
    runs = []
    for lib in (flambeau, torch):
        params = [lib.tensor(s.tolist()) for s in problem.starts]
        if not options.get("differentiable"):
            params = [lib.nn.Parameter(p) for p in params]
        runs.append((lib, params, getattr(lib.optim, name)(params, **options)))
    exact, tolerance = True, tolerance_for(name)
    for _ in range(12):
        for lib, params, optimizer in runs:
            if name == "LBFGS":
                optimizer.step(functools.partial(problem.at, lib, params))
            else:
                problem.at(lib, params)
                optimizer.step()
        exact &= same(runs[0][1], runs[1][1], tolerance)
        exact &= same(runs[0][2].state_dict(), runs[1][2].state_dict(), tolerance)
    if not exact:
        pytest.xfail(f"close, not the same bits: {DELICATE[name]} rounds differently here")


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "LBFGS", "Adagrad", "NAdam"])
def test_repr_and_signature(name):
    import inspect

    ours, theirs = getattr(flambeau.optim, name), getattr(torch.optim, name)
    parameters = [
        [(p.name, p.default, p.kind) for p in inspect.signature(cls).parameters.values()] for cls in (ours, theirs)
    ]
    assert parameters[0] == parameters[1]
    one = ours([flambeau.nn.Parameter(flambeau.zeros(2))])
    other = theirs([torch.nn.Parameter(torch.zeros(2))])
    assert repr(one) == repr(other)
    assert list(one.state_dict()["param_groups"][0]) == list(other.state_dict()["param_groups"][0])


def raised(make):
    with pytest.raises(Exception) as info:
        make()
    return type(info.value).__name__, str(info.value).replace("flambeau", "torch")


BAD = [
    ("SGD", {"lr": -1}),
    ("SGD", {"momentum": -1}),
    ("SGD", {"weight_decay": -1}),
    ("SGD", {"nesterov": True}),
    ("SGD", {"fused": True, "differentiable": True}),
    ("SGD", {"fused": True, "foreach": True}),
    ("Adam", {"lr": -1}),
    ("Adam", {"eps": -1}),
    ("Adam", {"betas": (1.0, 0.5)}),
    ("Adam", {"betas": (0.5, -1.0)}),
    ("Adam", {"betas": (0, 0.5)}),
    ("AdamW", {"weight_decay": -1}),
    ("RMSprop", {"alpha": -1}),
    ("Adagrad", {"initial_accumulator_value": -1}),
    ("Adadelta", {"rho": 1.1}),
    ("NAdam", {"momentum_decay": -1}),
    ("Rprop", {"etas": (1.0, 0.5)}),
    ("Adafactor", {"lr": -1}),
    ("Adafactor", {"d": 0.5}),
    ("Adafactor", {"beta2_decay": 0.8}),
    ("Adafactor", {"eps": (-1, 1e-3)}),
    ("Muon", {"adjust_lr_fn": "other"}),
    ("Muon", {}),
]


@pytest.mark.parametrize(("name", "options"), BAD, ids=lambda v: str(v))
def test_errors_in_the_same_words(name, options):
    messages = [
        raised(functools.partial(getattr(lib.optim, name), [lib.nn.Parameter(lib.zeros(2))], **options))
        for lib in (flambeau, torch)
    ]
    assert messages[0] == messages[1]


def test_state_dicts_load_across():
    problem = Problem(SHAPES)
    theirs = [torch.nn.Parameter(s.clone()) for s in problem.starts]
    optimizer = torch.optim.AdamW(theirs, lr=0.01)
    for _ in range(3):
        problem.at(torch, theirs)
        optimizer.step()

    def ported(value):
        if isinstance(value, torch.Tensor):
            return flambeau.tensor(value.tolist())
        if isinstance(value, dict):
            return {k: ported(v) for k, v in value.items()}
        return value

    ours = [flambeau.nn.Parameter(flambeau.tensor(p.tolist())) for p in theirs]
    resumed = flambeau.optim.AdamW(ours)
    resumed.load_state_dict(ported(optimizer.state_dict()))
    for _ in range(3):
        for lib, params, opt in ((torch, theirs, optimizer), (flambeau, ours, resumed)):
            problem.at(lib, params)
            opt.step()
    same(ours, theirs, tolerance_for("AdamW"))
