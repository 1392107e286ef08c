"""The loader; follows torch/utils/data/dataloader.py. Iteration with worker processes is in
`multiprocess.py`. Left out: data pipes, and pinning, which needs an accelerator."""

from __future__ import annotations

import os
import warnings

from .collate import default_collate, default_convert
from .dataset import IterableDataset, _Subscriptable
from .fetch import make_fetcher
from .sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler, draw_seed

_FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


class _InfiniteConstantSampler(Sampler):
    """The sampler of iterable datasets, which have no indices."""

    def __iter__(self):
        while True:
            yield None


class DataLoader(_Subscriptable):
    """Batches of a dataset, iterated over anew for each epoch.

    batch_size: None for samples that are not put together. shuffle, sampler, batch_sampler:
    the order, by one of them. num_workers: processes that load ahead, prefetch_factor batches
    each; 0 loads in this process. collate_fn: from a list of samples to a batch. timeout:
    seconds to wait for a batch. worker_init_fn: called with the id in each worker.
    persistent_workers: keep the processes for the next epoch. generator: of the order and of
    the workers' seeds. in_order: whether batches keep their order with workers.
    """

    _initialized = False

    def __init__(
        self,
        dataset,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler=None,
        batch_sampler=None,
        num_workers: int = 0,
        collate_fn=None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn=None,
        multiprocessing_context=None,
        generator=None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        _check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        if num_workers > 0 and prefetch_factor is None:
            prefetch_factor = 2
        self.dataset = dataset
        self.num_workers = num_workers
        self.prefetch_factor = prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order

        iterable = isinstance(dataset, IterableDataset)
        if iterable:
            _check_iterable(shuffle, sampler, batch_sampler)
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
                )
            batch_size = None
            drop_last = False
        elif batch_size is None and drop_last:
            raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")
        if sampler is None:
            if iterable:
                sampler = _InfiniteConstantSampler()
            elif shuffle:
                sampler = RandomSampler(dataset, generator=generator)
            else:
                sampler = SequentialSampler(dataset)
        if batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.generator = generator
        if collate_fn is None:
            collate_fn = default_collate if self._auto_collation else default_convert
        self.collate_fn = collate_fn
        self.persistent_workers = persistent_workers
        self._initialized = True
        self._IterableDataset_len_called: int | None = None
        self._iterator = None
        self.check_worker_number_rationality()

    def __setattr__(self, attr: str, val) -> None:
        if self._initialized and attr in _FIXED:
            raise ValueError(f"{attr} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(attr, val)

    @property
    def multiprocessing_context(self):
        return self._multiprocessing_context

    @multiprocessing_context.setter
    def multiprocessing_context(self, context) -> None:
        if context is not None:
            context = self._context_of(context)
        self._multiprocessing_context = context

    def _context_of(self, context):
        if self.num_workers == 0:
            raise ValueError(
                "multiprocessing_context can only be used with multi-process loading "
                f"(num_workers > 0), but got num_workers={self.num_workers}"
            )
        import multiprocessing
        import multiprocessing.context

        if isinstance(context, str):
            valid = multiprocessing.get_all_start_methods()
            if context not in valid:
                raise ValueError(
                    "multiprocessing_context option should specify a valid start method in "
                    f"{valid!r}, but got multiprocessing_context={context!r}"
                )
            context = multiprocessing.get_context(context)
        if not isinstance(context, multiprocessing.context.BaseContext):
            raise TypeError(
                "multiprocessing_context option should be a valid context object or a string "
                f"specifying the start method, but got multiprocessing_context={context}"
            )
        return context

    @property
    def _auto_collation(self) -> bool:
        return self.batch_sampler is not None

    @property
    def _index_sampler(self):
        return self.batch_sampler if self._auto_collation else self.sampler

    def __iter__(self):
        if not (self.persistent_workers and self.num_workers > 0):
            return self._get_iterator()
        if self._iterator is None or self._iterator._shutdown:
            self._iterator = self._get_iterator()
        else:
            self._iterator._reset(self)
        return self._iterator

    def _get_iterator(self):
        if self.num_workers == 0:
            return _SingleProcessDataLoaderIter(self)
        self.check_worker_number_rationality()
        from .multiprocess import _MultiProcessingDataLoaderIter

        return _MultiProcessingDataLoaderIter(self)

    def __len__(self) -> int:
        if not isinstance(self.dataset, IterableDataset):
            return len(self._index_sampler)
        # Kept to warn when the dataset turns out to be longer than it said.
        length = self._IterableDataset_len_called = len(self.dataset)  # type: ignore[arg-type]
        if self.batch_size is None:
            return length
        if self.drop_last:
            return length // self.batch_size
        return -(-length // self.batch_size)

    def check_worker_number_rationality(self) -> None:
        """Warn about more workers than this process may use processors."""
        if not self.num_workers:
            return
        counts_affinity = hasattr(os, "sched_getaffinity")
        limit = len(os.sched_getaffinity(0)) if counts_affinity else os.cpu_count()
        if limit is not None and self.num_workers <= limit:
            return
        if limit is None:
            advice = "DataLoader is not able to compute a suggested max number of worker in current system."
        else:
            note = "" if counts_affinity else " (`cpuset` is not taken into account)"
            advice = (
                f"Our suggested max number of worker in current system is {limit}{note}, "
                "which is smaller than what this DataLoader is going to create."
            )
        warnings.warn(
            f"This DataLoader will create {self.num_workers} worker processes in total. {advice} "
            "Please be aware that excessive worker creation might get DataLoader running slow or "
            "even freeze, lower the worker number to avoid potential slowness/freeze if necessary.",
            stacklevel=2,
        )


def _check_workers(num_workers, timeout, prefetch_factor, persistent_workers) -> None:
    if num_workers < 0:
        raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if num_workers == 0 and prefetch_factor is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing."
            "let num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None."
        )
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if persistent_workers and num_workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")


def _check_iterable(shuffle, sampler, batch_sampler) -> None:
    given = {"shuffle": shuffle or None, "sampler": sampler, "batch_sampler": batch_sampler}
    for option, value in given.items():
        if value is not None:
            raise ValueError(
                f"DataLoader with IterableDataset: expected unspecified {option} option, but got {option}={value}"
            )


class _BaseDataLoaderIter:
    """One pass over the data; what iteration with and without workers shares."""

    def __init__(self, loader: DataLoader) -> None:
        self._dataset = loader.dataset
        self._IterableDataset_len_called = loader._IterableDataset_len_called
        self._auto_collation = loader._auto_collation
        self._drop_last = loader.drop_last
        self._index_sampler = loader._index_sampler
        self._num_workers = loader.num_workers
        if loader.pin_memory:
            warnings.warn(
                "'pin_memory' argument is set as true but no accelerator is found, "
                "then device pinned memory won't be used.",
                stacklevel=4,
            )
        self._timeout = loader.timeout
        self._collate_fn = loader.collate_fn
        self._sampler_iter = iter(self._index_sampler)
        # Drawn without workers, too, as PyTorch does: the random numbers after it stay the same.
        self._base_seed = draw_seed(loader.generator)
        self._persistent_workers = loader.persistent_workers
        self._num_yielded = 0

    def __iter__(self):
        return self

    def _reset(self, loader: DataLoader, first_iter: bool = False) -> None:
        self._sampler_iter = iter(self._index_sampler)
        self._num_yielded = 0
        self._IterableDataset_len_called = loader._IterableDataset_len_called

    def _next_index(self):
        return next(self._sampler_iter)

    def _next_data(self):
        raise NotImplementedError

    def _make_fetcher(self):
        return make_fetcher(self._dataset, self._auto_collation, self._collate_fn, self._drop_last)

    def __next__(self):
        data = self._next_data()
        self._num_yielded += 1
        said = self._IterableDataset_len_called
        if isinstance(self._dataset, IterableDataset) and said is not None:
            if self._num_yielded > said:
                self._warn_about_length(said)
        return data

    def _warn_about_length(self, said: int) -> None:
        message = (
            f"Length of IterableDataset {self._dataset} was reported to be {said}"
            f"(when accessing len(dataloader)), but {self._num_yielded} samples have been fetched. "
        )
        if self._num_workers > 0:
            message += (
                "For multiprocessing data-loading, this could be caused by not properly "
                "configuring the IterableDataset replica at each worker. Please see "
                "https://pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset "
                "for examples."
            )
        warnings.warn(message, stacklevel=3)

    def __len__(self) -> int:
        return len(self._index_sampler)

    def __getstate__(self):
        raise NotImplementedError("{} cannot be pickled", self.__class__.__name__)


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    def __init__(self, loader: DataLoader) -> None:
        super().__init__(loader)
        if self._timeout != 0:
            raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
        self._fetcher = self._make_fetcher()

    def _next_data(self):
        return self._fetcher.fetch(self._next_index())
