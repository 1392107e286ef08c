"""Parameter groups, state dicts, hooks, and the words of errors."""

from __future__ import annotations

import copy
import pickle

import pytest

import flambeau as torch
from flambeau import optim
from flambeau.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
    required,
)


def parameter(*values):
    return torch.nn.Parameter(torch.tensor(values or (1.0, 2.0)))


def stepped(optimizer):
    for group in optimizer.param_groups:
        for p in group["params"]:
            p.grad = torch.ones_like(p)
    optimizer.step()
    return optimizer


def test_groups_take_defaults():
    a, b = parameter(), parameter()
    optimizer = optim.SGD([{"params": a, "lr": 0.5}, {"params": [b]}], lr=0.1, momentum=0.9)
    assert [g["lr"] for g in optimizer.param_groups] == [0.5, 0.1]
    assert [g["momentum"] for g in optimizer.param_groups] == [0.9, 0.9]
    assert optimizer.param_groups[0]["params"][0] is a


def test_repr():
    optimizer = optim.SGD([parameter()], lr=0.1)
    assert repr(optimizer) == (
        "SGD (\nParameter Group 0\n    dampening: 0\n    differentiable: False\n"
        "    foreach: None\n    fused: None\n    lr: 0.1\n    maximize: False\n"
        "    momentum: 0\n    nesterov: False\n    weight_decay: 0\n)"
    )


@pytest.mark.parametrize(
    ("params", "error", "words"),
    [
        (lambda: [], ValueError, "optimizer got an empty parameter list"),
        (lambda: torch.zeros(2), TypeError, "params argument given to the optimizer should be an"),
        (lambda: [3], TypeError, "optimizer can only optimize Tensors, but one of the params is"),
        (lambda: [parameter() * 2], ValueError, "can't optimize a non-leaf Tensor"),
        (lambda: [{"params": {parameter()}}], TypeError, "need to be organized in ordered"),
        (lambda: [("a", parameter()), parameter()], ValueError, "Some param names are missing"),
    ],
)
def test_unfit_parameters(params, error, words):
    with pytest.raises(error, match=words):
        optim.SGD(params())


def test_add_param_group_checks():
    a, b = parameter(), parameter()
    optimizer = optim.SGD([a])
    with pytest.raises(TypeError, match="param_group must be a dict, but got"):
        optimizer.add_param_group([b])
    with pytest.raises(ValueError, match="some parameters appear in more than one"):
        optimizer.add_param_group({"params": [a]})
    with pytest.raises(ValueError, match="cannot add param group with names to the optimizer"):
        optimizer.add_param_group({"params": [("b", b)]})
    with pytest.warns(UserWarning, match="duplicate parameters"):
        optimizer.add_param_group({"params": [b, b]})


def test_required_option():
    class Needs(optim.Optimizer):
        def __init__(self, params):
            super().__init__(params, {"lr": required})

        def step(self, closure=None):
            pass

    with pytest.raises(ValueError, match="didn't specify a value of required optimization"):
        Needs([parameter()])
    assert Needs([{"params": [parameter()], "lr": 1}]).param_groups[0]["lr"] == 1


def test_names():
    optimizer = optim.SGD([("w", parameter()), ("b", parameter())])
    assert optimizer.param_groups[0]["param_names"] == ["w", "b"]
    assert optimizer.state_dict()["param_groups"][0]["param_names"] == ["w", "b"]


def test_state_dict_layout():
    a, b, c = parameter(), parameter(), parameter()
    groups = [{"params": [a, b]}, {"params": [c], "lr": 0.5}]
    optimizer = stepped(optim.AdamW(groups, lr=0.1))
    state = optimizer.state_dict()
    assert list(state) == ["state", "param_groups"]
    assert [g["params"] for g in state["param_groups"]] == [[0, 1], [2]]
    assert list(state["state"]) == [0, 1, 2]
    assert list(state["state"][0]) == ["step", "exp_avg", "exp_avg_sq"]
    step = state["state"][0]["step"]
    assert (step.dtype, tuple(step.shape), step.item()) == (torch.float32, (), 1.0)


def test_state_dict_round_trip():
    a = parameter(1.0, 2.0, 3.0)
    first = stepped(stepped(optim.AdamW([a], lr=0.1)))
    b = torch.nn.Parameter(a.detach().clone())
    second = optim.AdamW([b], lr=0.7)
    # Loading shares tensors of the right type with the dict, as in PyTorch.
    second.load_state_dict(copy.deepcopy(first.state_dict()))
    assert second.param_groups[0]["lr"] == 0.1
    stepped(first)
    stepped(second)
    assert a.tolist() == b.tolist()


def test_loading_casts_to_the_parameter():
    a = parameter()
    state = stepped(optim.AdamW([a])).state_dict()
    b = torch.nn.Parameter(torch.zeros(2, dtype=torch.float64))
    optimizer = optim.AdamW([b])
    optimizer.load_state_dict(state)
    loaded = optimizer.state[b]
    assert loaded["exp_avg"].dtype == torch.float64
    assert loaded["step"].dtype == torch.float32


def test_loading_old_step_counts():
    a = parameter()
    optimizer = stepped(optim.AdamW([a]))
    state = optimizer.state_dict()
    state["state"][0]["step"] = 5
    optimizer.load_state_dict(state)
    assert optimizer.state[a]["step"].item() == 5.0


def test_loading_other_groups():
    state = optim.SGD([parameter(), parameter()]).state_dict()
    with pytest.raises(ValueError, match="doesn't match the size of optimizer's group"):
        optim.SGD([parameter()]).load_state_dict(state)
    groups = [{"params": [parameter()]}, {"params": [parameter()]}]
    with pytest.raises(ValueError, match="has a different number of parameter groups"):
        optim.SGD(groups).load_state_dict(state)


def test_zero_grad():
    a = parameter()
    optimizer = optim.SGD([a])
    a.grad = torch.ones(2)
    grad = a.grad
    optimizer.zero_grad(set_to_none=False)
    assert a.grad is grad
    assert grad.tolist() == [0.0, 0.0]
    optimizer.zero_grad()
    assert a.grad is None


def test_closure_runs_with_autograd():
    a = parameter()
    optimizer = optim.SGD([a], lr=0.5)

    def closure():
        optimizer.zero_grad()
        loss = (a * a).sum()
        loss.backward()
        return loss

    with torch.no_grad():
        assert optimizer.step(closure).item() == 5.0
    assert a.tolist() == [0.0, 0.0]


def test_parameters_without_gradient_stay():
    a, b = parameter(), parameter()
    optimizer = optim.AdamW([a, b])
    a.grad = torch.ones(2)
    optimizer.step()
    assert b.tolist() == [1.0, 2.0]
    assert b not in optimizer.state


def test_step_hooks():
    seen = []
    optimizer = optim.SGD([parameter()])
    handles = [
        register_optimizer_step_pre_hook(lambda *a: seen.append("all before")),
        optimizer.register_step_pre_hook(lambda *a: seen.append("before")),
        optimizer.register_step_post_hook(lambda *a: seen.append("after")),
        register_optimizer_step_post_hook(lambda *a: seen.append("all after")),
    ]
    stepped(optimizer)
    assert seen == ["all before", "before", "after", "all after"]
    for handle in handles:
        handle.remove()
    stepped(optimizer)
    assert len(seen) == 4
    optimizer.register_step_pre_hook(lambda *a: 3)
    with pytest.raises(RuntimeError, match="must return None or a tuple of"):
        stepped(optimizer)


def test_state_dict_hooks():
    optimizer = optim.SGD([parameter()], lr=0.1)
    order = []
    optimizer.register_state_dict_pre_hook(lambda o: order.append("second"))
    optimizer.register_state_dict_pre_hook(lambda o: order.append("first"), prepend=True)
    optimizer.register_state_dict_post_hook(lambda o, state: {**state, "extra": 1})
    assert optimizer.state_dict()["extra"] == 1
    assert order == ["first", "second"]

    def faster(o, state):
        state["param_groups"] = [{**g, "lr": 0.9} for g in state["param_groups"]]
        return state

    optimizer.register_load_state_dict_pre_hook(faster)
    optimizer.register_load_state_dict_post_hook(lambda o: order.append("loaded"))
    optimizer.load_state_dict(optimizer.state_dict())
    assert optimizer.param_groups[0]["lr"] == 0.9
    assert order[-1] == "loaded"


def test_hooks_of_a_derived_optimizer():
    class Mine(optim.SGD):
        pass

    optimizer = Mine([parameter()])
    seen = []
    optimizer.register_step_post_hook(lambda *a: seen.append(1))
    stepped(optimizer)
    assert seen == [1]


def test_pickle():
    optimizer = stepped(optim.AdamW([parameter(1.0, 2.0)], lr=0.1))
    loaded = pickle.loads(pickle.dumps(optimizer))
    (param,) = loaded.param_groups[0]["params"]
    assert loaded.state[param]["step"].item() == 1.0
    stepped(optimizer)
    stepped(loaded)
    assert param.tolist() == optimizer.param_groups[0]["params"][0].tolist()


def test_nanogpt_finds_fused_in_the_signature():
    import inspect

    assert "fused" in inspect.signature(optim.AdamW).parameters
    assert isinstance(optim.AdamW([parameter()]), optim.Adam)
