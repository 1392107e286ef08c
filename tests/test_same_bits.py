"""The same profile gives the same bits from every build of the kernels and with any number of real threads."""

import json
import os
import subprocess
import sys

import pytest

CODE = """
import hashlib, json, sys
import flambeau as torch
from flambeau import _C

def digest(t):
    return hashlib.sha256(t.detach().contiguous().numpy().tobytes()).hexdigest()[:16]

torch.set_num_threads(int(sys.argv[1]))
torch.numerics.use("auto", threads=2)
torch.manual_seed(0)
F = torch.nn.functional
out = {"isa": _C._isa()}
x = torch.randn(70, 1001, requires_grad=True)
w = torch.randn(333, 1001, requires_grad=True)
b = torch.randn(333, requires_grad=True)
big = torch.randn(100_003)
for name, f in {
    "exp": lambda: big.exp(), "tanh": lambda: big.tanh(), "sigmoid": lambda: big.sigmoid(), "gelu": lambda: F.gelu(big),
    "gelu_tanh": lambda: F.gelu(big, approximate="tanh"), "silu": lambda: F.silu(big), "log": lambda: big.abs().log(),
    "sum": lambda: big.sum(), "mean": lambda: big.mean(), "var": lambda: big.var(), "norm": lambda: big.norm(),
    "sum0": lambda: x.sum(0), "sum1": lambda: x.sum(1), "cumsum": lambda: big.cumsum(0),
    "softmax": lambda: x.softmax(-1),
    "softmax0": lambda: x.softmax(0), "log_softmax": lambda: x.log_softmax(-1), "linear": lambda: F.linear(x, w, b),
    "layer_norm": lambda: F.layer_norm(x, (1001,)), "mm": lambda: x.t() @ x,
    "bmm": lambda: x.view(7, 10, 1001) @ x.view(7, 1001, 10),
    "attention": lambda: F.scaled_dot_product_attention(*[x[:, :64].view(2, 5, 7, 64)] * 3, is_causal=True),
    "conv": lambda: F.conv2d(x.view(7, 10, 77, 13), w[:20, :90].reshape(20, 10, 3, 3)),
    "batch_norm": lambda: F.batch_norm(x.view(70, 7, 143), None, None, training=True),
    "rand": lambda: torch.rand(1000), "randn": lambda: torch.randn(1000), "dropout": lambda: F.dropout(big, 0.3),
}.items():
    y = f()
    out[name] = digest(y)
    if y.requires_grad:
        for leaf in (x, w, b):
            leaf.grad = None
        y.backward(torch.ones_like(y).cumsum(-1))
        out[name + ".grad"] = [digest(leaf.grad) for leaf in (x, w, b) if leaf.grad is not None]
print(json.dumps(out))
"""


def run(threads: int, isa: str | None = None) -> dict:
    env = dict(os.environ)
    if isa:
        env["FLAMBEAU_ISA"] = isa
    out = subprocess.run([sys.executable, "-c", CODE, str(threads)], capture_output=True, text=True, env=env)
    assert out.returncode == 0, out.stderr
    return json.loads(out.stdout)


@pytest.fixture(scope="module")
def reference() -> dict:
    return run(1)


@pytest.mark.parametrize("threads", [2, 3])
def test_real_threads_do_not_reach_the_bits(reference, threads):
    assert run(threads) == reference


def test_every_build_of_the_kernels_gives_the_same_bits(reference):
    other = run(2, "v3")
    if other["isa"] == reference["isa"]:
        pytest.skip(f"this build or machine has {other['isa']} only")
    assert {**other, "isa": ""} == {**reference, "isa": ""}
