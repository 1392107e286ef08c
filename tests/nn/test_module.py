"""Module: registration, the tree, state, conversion, hooks."""

from __future__ import annotations

import copy

import pytest

import flambeau
from flambeau import nn


def small():
    model = nn.Module()
    model.a = nn.Linear(2, 3)
    model.b = nn.Sequential(nn.ReLU(), nn.Linear(3, 1, bias=False))
    model.register_buffer("count", flambeau.zeros(1))
    model.register_buffer("scratch", flambeau.zeros(1), persistent=False)
    return model


def test_names_in_order():
    model = small()
    assert [name for name, _ in model.named_parameters()] == ["a.weight", "a.bias", "b.1.weight"]
    assert [name for name, _ in model.named_buffers()] == ["count", "scratch"]
    assert [name for name, _ in model.named_modules()] == ["", "a", "b", "b.0", "b.1"]
    assert [name for name, _ in model.named_children()] == ["a", "b"]
    assert list(model.state_dict()) == ["count", "a.weight", "a.bias", "b.1.weight"]


def test_shared_parameters_count_once():
    model = nn.Sequential(nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False))
    model[1].weight = model[0].weight
    assert [name for name, _ in model.named_parameters()] == ["0.weight"]
    assert len(list(model.named_parameters(remove_duplicate=False))) == 2
    twin = copy.deepcopy(model)
    assert twin[1].weight is twin[0].weight
    assert twin[0].weight is not model[0].weight


def test_parameter():
    p = nn.Parameter(flambeau.ones(2))
    assert p.requires_grad
    assert isinstance(p, nn.Parameter) and isinstance(p, flambeau.Tensor)
    assert not isinstance(flambeau.ones(2), nn.Parameter)
    assert not nn.Parameter(p, requires_grad=False).requires_grad
    assert repr(p).startswith("Parameter containing:\n")
    assert isinstance(copy.deepcopy(p), nn.Parameter)


def test_parameter_shares_storage():
    data = flambeau.zeros(2)
    p = nn.Parameter(data)
    data.fill_(3)
    assert p.tolist() == [3.0, 3.0]


def test_reassignment_moves_between_registries():
    model = small()
    model.count = nn.Parameter(flambeau.ones(1))
    assert "count" in model._parameters and "count" not in model._buffers
    model.a = nn.Parameter(flambeau.ones(1))
    assert "a" in model._parameters and "a" not in model._modules
    with pytest.raises(TypeError, match=r"as parameter 'a' \(torch.nn.Parameter or None expected\)"):
        model.a = 3
    with pytest.raises(TypeError, match=r"as child module 'b' \(torch.nn.Module or None expected\)"):
        model.b = 3
    model.a = None
    assert model.a is None


def test_before_init():
    class Early(nn.Module):
        def __init__(self):
            self.p = nn.Parameter(flambeau.ones(1))

    with pytest.raises(AttributeError, match=r"^cannot assign parameters before Module.__init__\(\) call$"):
        Early()


def test_missing_attribute():
    with pytest.raises(AttributeError, match="^'Linear' object has no attribute 'gone'$"):
        nn.Linear(1, 1).gone  # noqa: B018


def test_missing_forward():
    with pytest.raises(NotImplementedError, match=r'^Module \[Module\] is missing the required "forward" function$'):
        nn.Module()()


def test_missing_layer_is_named():
    with pytest.raises(AttributeError, match="torch.nn.NoSuchLayer"):
        nn.NoSuchLayer  # noqa: B018


def test_state_round_trip():
    source = small()
    target = small()
    result = target.load_state_dict(source.state_dict())
    assert repr(result) == "<All keys matched successfully>"
    for key, value in source.state_dict().items():
        assert target.state_dict()[key].tolist() == value.tolist()


def test_state_errors():
    state = small().state_dict()
    del state["count"]
    state["x"] = flambeau.ones(1)
    state["a.bias"] = flambeau.ones(4)
    with pytest.raises(RuntimeError) as caught:
        small().load_state_dict(state)
    assert str(caught.value) == (
        "Error(s) in loading state_dict for Module:\n"
        '\tMissing key(s) in state_dict: "count". \n'
        '\tUnexpected key(s) in state_dict: "x". \n'
        "\tsize mismatch for a.bias: copying a param with shape torch.Size([4]) from checkpoint, the shape in current "
        "model is torch.Size([3])."
    )
    del state["a.bias"]
    result = small().load_state_dict(state, strict=False)
    assert result.missing_keys == ["count", "a.bias"]
    assert result.unexpected_keys == ["x"]


def test_assign():
    source = small().double()
    target = small()
    target.load_state_dict(source.state_dict(), assign=True)
    assert target.a.weight.dtype == flambeau.float64
    assert isinstance(target.a.weight, nn.Parameter)


def test_conversion():
    model = small()
    weight = model.a.weight
    assert model.double() is model
    assert model.a.weight is weight and weight.dtype == flambeau.float64
    assert model.count.dtype == flambeau.float64
    assert model.to(flambeau.float32).a.weight.dtype == flambeau.float32
    with pytest.raises(TypeError, match="only accepts floating point or complex dtypes"):
        model.to(flambeau.int64)


def test_modes():
    model = small()
    assert not model.eval().b[0].training
    assert model.train().b[0].training
    with pytest.raises(ValueError, match="^training mode is expected to be boolean$"):
        model.train(1)


def test_forward_hooks_in_order():
    seen = []
    model = nn.Identity()
    model.register_forward_pre_hook(lambda module, args: (args[0] + 1,))
    model.register_forward_hook(lambda module, args, out: seen.append("second"))
    model.register_forward_hook(lambda module, args, out: seen.append("first"), prepend=True)
    replace = model.register_forward_hook(lambda module, args, out: out * 10)
    assert model(1) == 20
    assert seen == ["first", "second"]
    replace.remove()
    assert model(1) == 2


def test_full_backward_hooks():
    seen = []
    model = nn.Linear(2, 1)
    model.register_full_backward_pre_hook(lambda module, grad: (grad[0] * 2,))
    model.register_full_backward_hook(lambda module, grad_in, grad_out: seen.append(grad_out[0].tolist()))
    x = flambeau.ones(1, 2, requires_grad=True)
    model(x).sum().backward()
    assert seen == [[[2.0]]]
    assert x.grad.tolist() == [[2 * w for w in model.weight[0].tolist()]]


def test_zero_grad():
    model = nn.Linear(2, 1)
    model(flambeau.ones(1, 2)).sum().backward()
    model.zero_grad(set_to_none=False)
    assert model.bias.grad.tolist() == [0.0]
    model.zero_grad()
    assert model.bias.grad is None


def test_lazy():
    model = nn.Sequential(nn.LazyLinear(3), nn.LazyBatchNorm1d())
    assert isinstance(model[0].weight, nn.UninitializedParameter)
    model(flambeau.ones(4, 2))
    assert type(model[0]) is nn.Linear and type(model[1]) is nn.BatchNorm1d
    assert tuple(model[0].weight.shape) == (3, 2)
