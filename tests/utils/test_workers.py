"""What can go wrong with worker processes, and that none of them is left."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import flambeau as torch
from flambeau.utils import data

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")


class Numbers(data.Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, i):
        return i


class Killed(Numbers):
    def __getitem__(self, i):
        if i == 9:
            os.kill(os.getpid(), signal.SIGKILL)
        return i


class Exits(Numbers):
    def __getitem__(self, i):
        os._exit(3)


class Slow(Numbers):
    def __getitem__(self, i):
        time.sleep(0.5)
        return i


class Large(Numbers):
    def __getitem__(self, i):
        return torch.zeros(500_000)


class Fails(Numbers):
    def __getitem__(self, i):
        raise KeyError("no such sample")


@pytest.fixture(autouse=True)
def no_process_is_left():
    yield
    gc.collect()
    assert multiprocessing.active_children() == []


def test_killed_worker():
    with pytest.raises(RuntimeError, match=r"DataLoader worker \(pid\(s\) \d+\) exited") as info:
        list(data.DataLoader(Killed(), batch_size=2, num_workers=2))
    assert "is killed by signal: Killed" in str(info.value.__cause__)


def test_worker_that_exits():
    with pytest.raises(RuntimeError, match="exited unexpectedly") as info:
        list(data.DataLoader(Exits(), num_workers=1))
    assert "exited unexpectedly with exit code 3. Details are lost" in str(info.value.__cause__)


def test_timeout():
    with pytest.raises(RuntimeError, match="DataLoader timed out after 0.3 seconds"):
        list(data.DataLoader(Slow(), batch_size=20, num_workers=1, timeout=0.3))


def test_leaving_early_is_quick():
    start = time.monotonic()
    for _ in data.DataLoader(Large(), batch_size=4, num_workers=2):
        break
    gc.collect()
    assert multiprocessing.active_children() == []
    assert time.monotonic() - start < 4


def test_interrupt():
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        list(data.DataLoader(Slow(), batch_size=20, num_workers=2))
    assert multiprocessing.active_children() == []


def test_exception_of_a_worker():
    with pytest.raises(KeyError) as info:
        list(data.DataLoader(Fails(), num_workers=2))
    text = str(info.value)
    assert text.startswith("Caught KeyError in DataLoader worker process 0.\nOriginal Traceback (most recent")
    assert text.endswith("KeyError: 'no such sample'\n")


def unpicklable(batch):
    return lambda: batch


def test_batch_that_cannot_be_pickled():
    with pytest.raises(Exception, match="in DataLoader worker process 0"):
        list(data.DataLoader(Numbers(), num_workers=1, collate_fn=unpicklable))


def failing_init(worker_id):
    raise ValueError(f"worker {worker_id} cannot start")


def test_failing_init():
    with pytest.raises(ValueError, match="worker 0 cannot start"):
        list(data.DataLoader(Numbers(), num_workers=2, worker_init_fn=failing_init))


class Ids(Numbers):
    def __getitem__(self, i):
        return os.getpid()


def test_persistent_workers_stay():
    loader = data.DataLoader(Ids(), num_workers=2, persistent_workers=True)
    epochs = [{batch.item() for batch in loader} for _ in range(3)]
    assert epochs[0] == epochs[1] == epochs[2]
    assert len(epochs[0]) == 2


def test_long_lists_of_indices():
    class Many(data.Dataset):
        def __len__(self):
            return 400_000

        def __getitems__(self, indices):
            return indices

    loader = data.DataLoader(Many(), batch_size=100_000, num_workers=1, prefetch_factor=4, collate_fn=len)
    assert list(loader) == [100_000] * 4


def test_spawn():
    loader = data.DataLoader(range(5), batch_size=2, num_workers=1, multiprocessing_context="spawn")
    assert [batch.tolist() for batch in loader] == [[0, 1], [2, 3], [4]]


def test_workers_end_with_their_program():
    code = """
import os, sys, time
import flambeau
from flambeau.utils import data

class Numbers(data.Dataset):
    def __len__(self): return 10
    def __getitem__(self, i): return os.getpid()

batches = iter(data.DataLoader(Numbers(), num_workers=2))
print(next(batches).item(), next(batches).item(), flush=True)
os._exit(0) if sys.argv[1] == "abrupt" else None
"""
    for how in ("abrupt", "normal"):
        out = subprocess.run([sys.executable, "-c", code, how], capture_output=True, text=True, timeout=60)
        assert out.stderr == ""
        pids = [int(pid) for pid in out.stdout.split()]
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and any(map(is_running, pids)):
            time.sleep(0.05)
        assert not any(map(is_running, pids))


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
