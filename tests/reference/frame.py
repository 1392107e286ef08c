"""What a case is, and how its outputs are told in a few characters.

A case is a function of the library (PyTorch, or Flambeau under its name) that returns tensors. Its inputs come from
the library's own random stream, so none are stored; the stream has cases of its own.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable
from typing import NamedTuple

FEW = 4  # outputs of so many elements are recorded by value

# Around the seams of 8 and 16 lanes, of blocks of two vectors, and once past every grain of threads.
SIZES = (1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 100003)
SMALL = SIZES[:-1]


class Case(NamedTuple):
    name: str
    operators: tuple[str, ...]  # what it is evidence for, by the names of the native operators
    function: Callable


TABLE: dict[str, Case] = {}


def add(name: str, operators: str, function: Callable) -> None:
    assert name not in TABLE, name
    TABLE[name] = Case(name, tuple(operators.split()), function)


def case(operators: str):
    """Enters a function under its own name, as evidence for the named operators."""

    def enter(function: Callable) -> Callable:
        add(function.__name__, operators, function)
        return function

    return enter


def run(torch, case: Case, seed: int = 0) -> list:
    torch.manual_seed(zlib.crc32(case.name.encode()) + seed)
    return list(case.function(torch))


def with_grads(torch, function: Callable, *inputs) -> list:
    """The outputs of a function of tensors, then the gradients of those inputs that are floating point."""
    inputs = [x.detach().requires_grad_() if x.is_floating_point() else x for x in inputs]
    outputs = function(*inputs)
    outputs = list(outputs) if isinstance(outputs, (tuple, list)) else [outputs]
    leaves = [x for x in inputs if x.requires_grad]
    wanted = [y for y in outputs if y.requires_grad]
    gradients = torch.autograd.grad(wanted, leaves, [torch.randn(y.shape) for y in wanted])
    return [*(y.detach() for y in outputs), *gradients]


def digest(tensor) -> str | list:
    """The first characters of the SHA-256 of an output's bytes, or its values where they are few."""
    flat = tensor.detach().contiguous().reshape(-1)
    if 0 < flat.numel() <= FEW:
        return flat.tolist()
    if "float16" in str(flat.dtype):  # NumPy has no bfloat16; float32 holds both halves exactly
        flat = flat.float()
    return hashlib.sha256(flat.numpy().tobytes()).hexdigest()[:8]
