"""Iteration with worker processes; follows _MultiProcessingDataLoaderIter of PyTorch.

Which worker gets which batch, and with it which random numbers, is decided as in PyTorch.
The transport is not PyTorch's: one pipe for each worker, without locks that a killed worker
could keep.
"""

from __future__ import annotations

import functools
import itertools
import multiprocessing
import os
import pickle
import signal
import sys
import time
import warnings
import weakref
from multiprocessing.connection import wait

from .dataloader import _BaseDataLoaderIter
from .fetch import make_fetcher
from .worker import CHECK_INTERVAL, ExceptionWrapper, IterationEnd, Resume, worker_loop

# The loader's ends of the pipes of all workers; a forked worker has to close its copies.
_loader_ends: weakref.WeakSet = weakref.WeakSet()


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    def __init__(self, loader) -> None:
        super().__init__(loader)
        self._prefetch_factor = loader.prefetch_factor
        self._in_order = loader.in_order
        if self._prefetch_factor <= 0:
            raise AssertionError("prefetch_factor must be greater than 0 for MultiProcessingDataLoaderIter")
        self._owner = os.getpid()
        self._workers: list = []
        self._pipes: list = []
        self._shutdown = False
        try:
            for worker_id in range(self._num_workers):
                self._start_worker(worker_id, loader)
            self._reset(loader, first_iter=True)
        except BaseException:
            self._shutdown_workers()
            raise

    def _start_worker(self, worker_id: int, loader) -> None:
        context = loader.multiprocessing_context or multiprocessing.get_context()
        ours, theirs = context.Pipe()
        forked = context.get_start_method() == "fork"
        fetcher = functools.partial(
            make_fetcher, self._dataset, self._auto_collation, self._collate_fn, self._drop_last
        )
        worker = context.Process(
            target=worker_loop,
            args=(
                theirs,
                [ours, *_loader_ends] if forked else [],
                self._dataset,
                fetcher,
                self._base_seed,
                loader.worker_init_fn,
                worker_id,
                self._num_workers,
            ),
            daemon=True,
        )
        try:
            worker.start()
        except (TypeError, AttributeError, pickle.PicklingError):
            warnings.warn(
                "Got pickle error when attempting to start a worker Process. "
                "This might be because the worker Process arguments are not picklable. "
                "Python 3.14+ changed the multiprocessing start method in non-Mac POSIX platforms "
                "to 'forkserver', which requires the worker Process arguments to be picklable. "
                "You can also try multiprocessing.set_start_method('fork').",
                stacklevel=6,
            )
            raise
        theirs.close()
        _loader_ends.add(ours)
        self._workers.append(worker)
        self._pipes.append(ours)

    def _reset(self, loader, first_iter: bool = False) -> None:
        super()._reset(loader, first_iter)
        self._send_idx = 0  # number of the next task to send
        self._rcvd_idx = 0  # number of the next result to give out
        # From numbers of tasks not given out yet to (worker,), or (worker, result) once it is here.
        self._task_info: dict[int, tuple] = {}
        # Whether a worker still has samples in this pass.
        self._workers_status = [True] * self._num_workers
        self._workers_num_tasks = [0] * self._num_workers
        self._worker_cycle = itertools.cycle(range(self._num_workers))
        if not first_iter:
            self._resume_workers()
        for _ in range(self._prefetch_factor * self._num_workers):
            self._try_put_index()

    def _resume_workers(self) -> None:
        for worker_id in range(self._num_workers):
            self._send(worker_id, (Resume, None))
        missing = self._num_workers
        while missing > 0:
            # Results of a pass that was not finished come first, and are dropped.
            number, _ = self._receive()
            if number is Resume:
                missing -= 1

    # -- tasks

    def _next_data(self):
        while True:
            if not self._skip_finished_tasks():
                if not self._persistent_workers:
                    self._shutdown_workers()
                raise StopIteration
            info = self._task_info[self._rcvd_idx]
            if len(info) == 2:
                return self._give_out(self._rcvd_idx, info[1])

            number, data = self._receive()
            if isinstance(data, IterationEnd):
                self._mark_ended(self._task_info[number][0])
                self._try_put_index()
            elif number == self._rcvd_idx or not self._in_order:
                return self._give_out(number, data)
            else:
                self._task_info[number] += (data,)

    def _skip_finished_tasks(self) -> bool:
        """Move on to the first task that gives a result; false if there is none."""
        while self._rcvd_idx < self._send_idx:
            info = self._task_info.get(self._rcvd_idx)
            if info is not None:
                if len(info) == 2 or self._workers_status[info[0]]:
                    return True
                # Sent to a worker that had already come to its end.
                del self._task_info[self._rcvd_idx]
            self._rcvd_idx += 1
        return False

    def _give_out(self, number: int, data):
        worker_id = self._task_info.pop(number)[0]
        if number == self._rcvd_idx:
            self._rcvd_idx += 1
        self._workers_num_tasks[worker_id] -= 1
        self._try_put_index()
        if isinstance(data, ExceptionWrapper):
            data.reraise()
        return data

    def _try_put_index(self) -> None:
        """Send the next task, to the next worker in turn that still has samples."""
        max_tasks = self._prefetch_factor * self._num_workers
        try:
            index = self._next_index()
        except StopIteration:
            return
        for _ in range(self._num_workers):
            worker_id = next(self._worker_cycle)
            if not self._workers_status[worker_id]:
                continue
            share = max_tasks // sum(self._workers_status)
            if self._in_order or self._workers_num_tasks[worker_id] < share:
                break
        else:
            return
        self._send(worker_id, (self._send_idx, index))
        self._task_info[self._send_idx] = (worker_id,)
        self._workers_num_tasks[worker_id] += 1
        self._send_idx += 1

    def _mark_ended(self, worker_id: int) -> None:
        self._workers_status[worker_id] = False
        if not self._persistent_workers:
            self._send(worker_id, None)

    # -- messages

    def _send(self, worker_id: int, task) -> None:
        try:
            self._pipes[worker_id].send(task)
        except (BrokenPipeError, ConnectionResetError):
            # It has ended as it was told, or is dead, which the next receive reports.
            pass

    def _receive(self):
        """The next (number, result) of any worker."""
        deadline = time.monotonic() + self._timeout if self._timeout > 0 else None
        try:
            while True:
                # Workers that were told to end close their pipes; nothing more comes from them.
                pipes = [
                    pipe for pipe, alive in zip(self._pipes, self._workers_status) if alive or self._persistent_workers
                ]
                left = CHECK_INTERVAL if deadline is None else deadline - time.monotonic()
                ready = wait(pipes, timeout=max(left, 0))
                if ready:
                    return self._read(self._pipes.index(ready[0]))
                if deadline is not None and time.monotonic() >= deadline:
                    raise RuntimeError(f"DataLoader timed out after {self._timeout} seconds")
        except BaseException:
            # Ctrl-C, a dead worker, or no answer: there is no going on.
            self._shutdown_workers(patience=0.5)
            raise

    def _read(self, worker_id: int):
        try:
            message = self._pipes[worker_id].recv_bytes()
        except (EOFError, OSError) as error:
            worker = self._workers[worker_id]
            worker.join(timeout=CHECK_INTERVAL)
            raise RuntimeError(f"DataLoader worker (pid(s) {worker.pid}) exited unexpectedly") from _cause_of_death(
                worker, error
            )
        return pickle.loads(message)

    # -- the end

    def _shutdown_workers(self, patience: float = CHECK_INTERVAL) -> None:
        """End all workers, by force after `patience` seconds."""
        # A forked worker has a copy of every iterator, which is not its to end.
        if self._shutdown or sys.is_finalizing() or self._owner != os.getpid():
            return
        self._shutdown = True
        self._workers_status = [False] * self._num_workers
        self._send_idx = self._rcvd_idx = 0
        for worker_id in range(len(self._workers)):
            self._send(worker_id, None)
        for pipe in self._pipes:
            # A worker that is sending a batch nobody wants gets an error, and ends.
            pipe.close()
        deadline = time.monotonic() + patience
        for worker in self._workers:
            worker.join(timeout=max(deadline - time.monotonic(), 0))
        for worker in self._workers:
            if worker.is_alive():
                worker.terminate()
                worker.join(timeout=CHECK_INTERVAL)

    def __del__(self) -> None:
        if hasattr(self, "_shutdown"):
            self._shutdown_workers()


def _cause_of_death(worker, error: Exception) -> Exception:
    code = worker.exitcode
    if code is None:
        return error
    if code < 0:
        name = signal.strsignal(-code)
        return RuntimeError(f"DataLoader worker (pid {worker.pid}) is killed by signal: {name}. ")
    return RuntimeError(
        f"DataLoader worker (pid {worker.pid}) exited unexpectedly with exit code {code}. "
        "Details are lost due to multiprocessing. Rerunning with num_workers=0 may give better "
        "error trace."
    )
