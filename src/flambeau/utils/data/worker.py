"""What runs in a worker process of the loader; follows torch/utils/data/_utils/worker.py.

A worker has one pipe to the loader. Tasks come in, (number, index), and results go out as
(number, batch), pickled here so that a batch that cannot be pickled becomes an error message.
"""

from __future__ import annotations

import os
import pickle
import sys
from typing import Any

import flambeau

from .dataset import IterableDataset

# Seconds between looks at whether the other side is still alive.
CHECK_INTERVAL = 5.0

_worker_info: WorkerInfo | None = None


class WorkerInfo:
    """What a worker process knows about itself."""

    __slots__ = ("dataset", "id", "num_workers", "seed")

    def __init__(self, id: int, num_workers: int, seed: int, dataset) -> None:
        self.id = id
        self.num_workers = num_workers
        self.seed = seed
        self.dataset = dataset

    def __repr__(self) -> str:
        return (
            f"WorkerInfo(id={self.id!r}, num_workers={self.num_workers!r}, "
            f"seed={self.seed!r}, dataset={self.dataset!r})"
        )


def get_worker_info() -> WorkerInfo | None:
    """In a worker process its id, num_workers, seed and dataset; elsewhere None."""
    return _worker_info


class IterationEnd:
    """A worker's answer once its iterable dataset has no more samples."""


class Resume:
    """Asks a persistent worker to start over; it answers with the same."""


class _KeyErrorMessage(str):
    # KeyError shows the repr of its argument, which would put the traceback on one line.
    def __repr__(self) -> str:
        return str(self)


class ExceptionWrapper:
    """An exception with its traceback as text, on the way to the loader's process."""

    def __init__(self, where: str) -> None:
        import traceback

        exc_type, exc_value, exc_traceback = sys.exc_info()
        self.exc_type: Any = exc_type
        self.exc_msg = "".join(traceback.format_exception(exc_type, exc_value, exc_traceback))
        self.where = where

    def reraise(self) -> None:
        msg = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        if self.exc_type is KeyError:
            msg = _KeyErrorMessage(msg)
        elif getattr(self.exc_type, "message", None):
            raise self.exc_type(message=msg)
        try:
            exception = self.exc_type(msg)
        except Exception:
            # Its constructor wants other arguments.
            raise RuntimeError(msg) from None
        raise exception


def seed_worker(base_seed: int, worker_id: int) -> int:
    """Seed Python, the default generator, and NumPy where it is installed, as PyTorch does."""
    import random

    seed = base_seed + worker_id
    random.seed(seed)
    flambeau.manual_seed(seed)
    try:
        import numpy
    except ModuleNotFoundError:
        return seed
    numpy.random.seed(numpy_seed(base_seed, worker_id))
    return seed


def numpy_seed(base_seed: int, worker_id: int) -> list[int]:
    """Four words mixed from both numbers: the hash of NumPy's SeedSequence.

    Without it the streams of workers with neighbouring seeds would be related.
    """
    mask = 0xFFFFFFFF

    def hasher(constant: int, multiplier: int):
        def mix_in(value: int) -> int:
            nonlocal constant
            value = (value ^ constant) & mask
            constant = (constant * multiplier) & mask
            value = (value * constant) & mask
            return value ^ (value >> 16)

        return mix_in

    fill = hasher(0x43B0D7E5, 0x931E8875)
    pool = [fill(word) for word in (worker_id, base_seed & mask, base_seed >> 32, 0)]
    for source in range(4):
        for target in range(4):
            if source != target:
                value = (0xCA01F9DD * pool[target] - 0x4973F715 * fill(pool[source])) & mask
                pool[target] = value ^ (value >> 16)
    draw = hasher(0x8B51F9DD, 0x58F38DED)
    return [draw(word) for word in pool]


def worker_loop(pipe, foreign_pipes, dataset, make_fetcher, base_seed, init_fn, worker_id, num_workers) -> None:
    """Answer tasks until told to stop, or until the loader's process is gone."""
    global _worker_info
    try:
        # Ends that belong to the loader and came along with fork: open here they would hide
        # from other workers that the loader has closed them.
        for foreign in foreign_pipes:
            foreign.close()
        flambeau.set_num_threads(1)
        seed = seed_worker(base_seed, worker_id)
        _worker_info = WorkerInfo(worker_id, num_workers, seed, dataset)
        tasks = _Tasks(pipe)
        where = f"in DataLoader worker process {worker_id}"
        fetcher, failure = _start(lambda: init_fn and init_fn(worker_id), make_fetcher, where)
        ended = False
        for number, index in tasks:
            if number is Resume:
                fetcher, failure = _start(None, make_fetcher, where)
                ended = False
                pipe.send_bytes(pickle.dumps((Resume, worker_id)))
                continue
            if ended:
                continue
            if failure is not None:
                result, failure = failure, None
            else:
                result = _fetch(fetcher, index, dataset, where)
                ended = isinstance(result, IterationEnd)
            pipe.send_bytes(_encode(number, result, where))
    except (KeyboardInterrupt, BrokenPipeError, ConnectionResetError):
        pass
    finally:
        pipe.close()


def _start(init, make_fetcher, where: str):
    """The fetcher, or None and the exception that is the answer to the first task."""
    try:
        if init is not None:
            init()
        return make_fetcher(), None
    except Exception:
        return None, ExceptionWrapper(where)


def _fetch(fetcher, index, dataset, where: str):
    try:
        return fetcher.fetch(index)
    except Exception as error:
        if isinstance(error, StopIteration) and isinstance(dataset, IterableDataset):
            return IterationEnd()
        return ExceptionWrapper(where)


def _encode(number: int, result, where: str) -> bytes:
    try:
        return pickle.dumps((number, result), protocol=5)
    except Exception:
        if isinstance(result, ExceptionWrapper):
            # A class that cannot be pickled by name; its traceback still tells it.
            result.exc_type = RuntimeError
        else:
            result = ExceptionWrapper(where)
        return pickle.dumps((number, result), protocol=5)


class _Tasks:
    """Iterates over incoming tasks, which a thread takes out of the pipe.

    Without the thread both sides could wait for the other one to read: the loader with a long
    list of indices, the worker with a batch.
    """

    def __init__(self, pipe) -> None:
        import queue
        import threading

        self.pipe = pipe
        self.queue: queue.SimpleQueue = queue.SimpleQueue()
        self.stopped = False
        threading.Thread(target=self._receive, daemon=True).start()

    def _receive(self) -> None:
        import multiprocessing
        from multiprocessing.connection import wait

        loader: Any = multiprocessing.parent_process()
        loader_pid = os.getppid()
        try:
            while not self.stopped:
                ready = wait([self.pipe, loader.sentinel], timeout=CHECK_INTERVAL)
                if self.pipe in ready:
                    task = self.pipe.recv()
                    if task is None:
                        break
                    self.queue.put(task)
                elif ready or os.getppid() != loader_pid:
                    break
        except (EOFError, OSError):
            pass
        self.stopped = True
        self.queue.put(None)

    def __iter__(self):
        while True:
            task = self.queue.get()
            # Once stopped, tasks that wait are not wanted any more.
            if task is None or self.stopped:
                return
            yield task
