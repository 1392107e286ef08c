"""Nothing leaks: the resident size stays flat over thousands of training steps, with and without errors in between."""

import gc
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def resident() -> int:
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith("VmRSS"):
                return int(line.split()[1]) * 1024
    raise AssertionError("no VmRSS")


def growth(step, count: int, warm_up: int) -> int:
    for _ in range(warm_up):
        step()
    gc.collect()
    before = resident()
    for _ in range(count):
        step()
    gc.collect()
    return resident() - before


def test_ten_thousand_training_steps_keep_the_resident_size():
    # In a process of its own, so that other tests' leftovers do not hide or imitate growth.
    code = """
import sys; sys.path.insert(0, {folder!r})
import flambeau as torch
from test_memory import growth
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.GELU(), torch.nn.LayerNorm(16),
                            torch.nn.Dropout(0.1), torch.nn.Linear(16, 4))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
x, y = torch.randn(32, 8), torch.randint(4, (32,))
def step():
    loss = torch.nn.functional.cross_entropy(model(x), y)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
    return loss.item()
print(growth(step, 10_000, 500))
"""
    folder = __file__.rpartition("/")[0]
    out = subprocess.run([sys.executable, "-c", code.format(folder=folder)], capture_output=True, text=True, check=True)
    assert int(out.stdout) < 2_000_000, out.stdout


def test_views_in_place_hooks_indexing_and_errors_do_not_leak():
    import flambeau as torch

    def step():
        x = torch.randn(64, 64, requires_grad=True)
        y = x * 2
        y[1:3].mul_(2)
        y.register_hook(lambda grad: grad * y.numel())
        z = y.t()[torch.tensor([0, 5, 7])]
        z.sum().backward()
        for wrong in (lambda: x + torch.ones(3), lambda: x.view(7), lambda: x[100], lambda: torch.cat([x, "no"])):
            try:
                wrong()
            except (RuntimeError, IndexError, TypeError):
                pass

    assert growth(step, 1_000, 200) < 4_000_000
