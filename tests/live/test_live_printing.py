"""Random tensors printed by both libraries, under random options."""

import math
import random

import pytest

import flambeau
from flambeau._tensor_str import _str, set_printoptions

torch = pytest.importorskip("torch")

FLOATS = ["float32", "float64", "float16", "bfloat16", "complex64", "complex128"]
INTEGERS = ["int64", "int32", "int16", "int8", "uint8", "bool"]
SPECIAL = [math.nan, math.inf, -math.inf, 0.0, -0.0, 1e30, 5e-324]


@pytest.fixture(autouse=True)
def default_options():
    yield
    set_printoptions(profile="default")
    torch.set_printoptions(profile="default")


def random_options(draw, numel):
    options = {"profile": draw.choice(["default", "default", "short"])}
    choices = {
        "precision": [0, 1, 2, 6, 10],
        "threshold": [0, 5, 100, math.inf if numel < 3000 else 10],
        "edgeitems": [0, 1, 2, 3, 5],
        "linewidth": [10, 20, 40, 120],
        "sci_mode": [True, False],
    }
    for name, values in choices.items():
        if draw.random() < 0.3:
            options[name] = draw.choice(values)
    return options


def random_tensor(draw, name):
    lengths = [1, 6, 7, 8, 33] if draw.random() < 0.1 else [0, 1, 2, 3, 5, 7, 8, 30]
    shape = [draw.choice(lengths) for _ in range(draw.choice([0, 1, 1, 2, 2, 3]))]
    dtype = getattr(torch, name)
    if name in INTEGERS:
        low = -100 if name.startswith("int") else 0
        return torch.randint(low, 2 if name == "bool" else 100, shape).to(dtype)
    wide = torch.complex128 if "complex" in name else torch.float64
    tensor = torch.randn(shape, dtype=wide)
    kind = draw.randrange(5)
    if kind == 1:
        tensor = torch.view_as_real(tensor).mul(10).round() if "complex" in name else (tensor * 10).round()
        tensor = torch.view_as_complex(tensor) if "complex" in name else tensor
    elif kind == 2:
        tensor = tensor * 10 ** draw.uniform(-9, 9)
    elif kind == 3:
        tensor = tensor * 10 ** (torch.randn(shape, dtype=torch.float64) * 3)
    elif kind == 4:
        tensor = tensor * 0
    tensor = tensor.to(dtype)
    if tensor.numel() and draw.random() < 0.3:
        for _ in range(3):
            tensor.view(-1)[draw.randrange(tensor.numel())] = draw.choice(SPECIAL)
    return tensor


def lacks(dtype):
    try:
        flambeau.tensor([0], dtype=dtype).tolist()
    except (TypeError, RuntimeError):
        return True
    return False


@pytest.mark.parametrize("name", [*FLOATS, *INTEGERS])
def test_same_text(name):
    if lacks(getattr(flambeau, name)):
        pytest.skip(f"no tensors of {name} (yet)")
    draw = random.Random(name)
    torch.manual_seed(0)
    for _ in range(300):
        theirs = random_tensor(draw, name)
        ours = flambeau.tensor(theirs.tolist(), dtype=getattr(flambeau, name)).reshape(theirs.shape)
        if name in FLOATS and draw.random() < 0.3:
            theirs.requires_grad_()
            ours.requires_grad_()
            if draw.random() < 0.5:
                theirs, ours = theirs * 1, ours * 1
        options = random_options(draw, theirs.numel())
        set_printoptions(**options)
        torch.set_printoptions(**options)
        assert _str(ours) == repr(theirs), options
