"""Bad input gets a clear error in PyTorch's words, and nothing is lost."""

import subprocess
import sys

import pytest

import flambeau as torch


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: torch.empty(-1), RuntimeError, r"Trying to create tensor with negative dimension -1: \[-1\]"),
        (lambda: torch.empty(2**40, 2**40), RuntimeError, "numel: integer multiplication overflow|overflow"),
        (lambda: torch.empty(2**62), RuntimeError, "Storage size calculation overflowed|allocate"),
        (lambda: torch.zeros(2, 3).view(7), RuntimeError, r"shape '\[7\]' is invalid for input of size 6"),
        (lambda: torch.zeros(2, 3).view(-1, -1), RuntimeError, "only one dimension can be inferred"),
        (
            lambda: torch.zeros(2, 3) + torch.zeros(4),
            RuntimeError,
            r"The size of tensor a \(3\) must match the size of tensor b \(4\) at non-singleton dimension 1",
        ),
        (
            lambda: torch.zeros(2, 3) @ torch.zeros(2, 3),
            RuntimeError,
            r"mat1 and mat2 shapes cannot be multiplied \(2x3 and 2x3\)",
        ),
        (lambda: torch.zeros(3)[5], IndexError, "index 5 is out of bounds for dimension 0 with size 3"),
        (
            lambda: torch.zeros(3)[torch.tensor([0, 7])],
            IndexError,
            "index 7 is out of bounds for dimension 0 with size 3",
        ),
        (lambda: torch.zeros(3)[0, 0], IndexError, "too many indices for tensor of dimension 1"),
        (
            lambda: torch.zeros(3).sum(1),
            IndexError,
            r"Dimension out of range \(expected to be in range of \[-1, 0\], but got 1\)",
        ),
        (lambda: torch.zeros(2, 2).transpose(0, 2), IndexError, "Dimension out of range"),
        (
            lambda: torch.zeros(3).expand(4),
            RuntimeError,
            r"The expanded size of the tensor \(4\) must match the existing size \(3\)",
        ),
        (lambda: torch.zeros(4).as_strided((5,), (1,)), RuntimeError, "out of bounds for storage of size 16"),
        (lambda: torch.zeros(4).as_strided((2,), (-1,)), RuntimeError, "Negative strides are not supported"),
        (lambda: torch.zeros(3, dtype=torch.int64).requires_grad_(), RuntimeError, "only Tensors of floating point"),
        (lambda: torch.zeros(3).item(), RuntimeError, "a Tensor with 3 elements cannot be converted to Scalar"),
        (lambda: bool(torch.zeros(3)), RuntimeError, "Boolean value of Tensor with more than one value is ambiguous"),
        (lambda: torch.add(torch.zeros(1), "x"), TypeError, "must be (Tensor|Number)|invalid combination"),
        (lambda: torch.zeros(1).add(), TypeError, "missing|invalid combination"),
        (
            lambda: torch.zeros(2, dtype=torch.int64).add_(1.5),
            RuntimeError,
            "result type Float can't be cast to the desired output type Long",
        ),
        (lambda: torch.zeros(3, device="cuda"), AssertionError, "Torch not compiled with CUDA enabled"),
        (lambda: torch.tensor([[1, 2], [3]]), ValueError, r"expected sequence of length 2 at dim 1 \(got 1\)"),
        (
            lambda: torch.nn.functional.embedding(torch.tensor([9]), torch.zeros(3, 2)),
            IndexError,
            "index out of range in self",
        ),
        (
            lambda: torch.nn.functional.cross_entropy(torch.zeros(1, 3), torch.tensor([5])),
            IndexError,
            "Target 5 is out of bounds.",
        ),
        (
            lambda: torch.multinomial(torch.tensor([-1.0, 2.0]), 1),
            RuntimeError,
            "probability tensor contains either `inf`, `nan` or element < 0",
        ),
        (
            lambda: torch.zeros(1).expand(3).add_(1),
            RuntimeError,
            "more than one element of the written-to tensor refers to a single memory location",
        ),
        (
            lambda: torch.arange(0, 10, -1),
            RuntimeError,
            "upper bound and lower bound inconsistent with step sign|inconsistent",
        ),
        (lambda: torch.ones(2, dtype=torch.int64) // 0, RuntimeError, "ZeroDivisionError"),
    ],
)
def test_errors_are_pytorchs(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_a_failed_in_place_call_changes_nothing():
    x = torch.arange(4)
    with pytest.raises(RuntimeError):
        x.add_(torch.ones(3, dtype=torch.int64))
    with pytest.raises(RuntimeError):
        x.div_(2)
    assert x.tolist() == [0, 1, 2, 3] and x._version == 0


def test_deep_nesting_and_cyclic_lists_are_refused():
    nested = 1
    for _ in range(100):
        nested = [nested]
    with pytest.raises((ValueError, RuntimeError)):
        torch.tensor(nested)
    cyclic = []
    cyclic.append(cyclic)
    with pytest.raises((ValueError, RuntimeError)):
        torch.tensor(cyclic)


def test_ctrl_c_in_a_long_computation():
    code = """
import os, signal, threading, time
import flambeau as torch
x = torch.randn(600, 600)
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    deadline = time.time() + 20
    while time.time() < deadline:
        x @ x
    print("never interrupted")
except KeyboardInterrupt:
    print("interrupted", (x + 1).shape[0])
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert out.stdout.strip() == "interrupted 600", out.stderr


def test_a_forked_child_computes():
    code = """
import os
import flambeau as torch
torch.set_num_threads(3)
x = torch.randn(200, 200)
wanted = (x @ x).sum().item()
pid = os.fork()
if pid == 0:
    os._exit(0 if (x @ x).sum().item() == wanted else 1)
print(os.waitpid(pid, 0)[1])
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert out.stdout.strip() == "0", out.stderr
