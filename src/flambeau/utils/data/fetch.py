"""Samples for one task of the loader; follows torch/utils/data/_utils/fetch.py."""

from __future__ import annotations

import flambeau

from .collate import default_collate
from .dataset import IterableDataset, Subset, TensorDataset


def make_fetcher(dataset, auto_collation: bool, collate_fn, drop_last: bool):
    """An object whose `fetch(index)` gives the batch, or sample, of one index of the sampler."""
    kind = IterableFetcher if isinstance(dataset, IterableDataset) else MapFetcher
    return kind(dataset, auto_collation, collate_fn, drop_last)


class MapFetcher:
    def __init__(self, dataset, auto_collation: bool, collate_fn, drop_last: bool) -> None:
        self.dataset = dataset
        self.auto_collation = auto_collation
        self.collate_fn = collate_fn

    def fetch(self, index):
        dataset = self.dataset
        if not self.auto_collation:
            return self.collate_fn(dataset[index])
        if self.collate_fn is default_collate:
            batch = gather_rows(dataset, index)
            if batch is not None:
                return batch
        if getattr(dataset, "__getitems__", None):
            return self.collate_fn(dataset.__getitems__(index))
        return self.collate_fn([dataset[i] for i in index])


class IterableFetcher:
    def __init__(self, dataset, auto_collation: bool, collate_fn, drop_last: bool) -> None:
        self.auto_collation = auto_collation
        self.collate_fn = collate_fn
        self.drop_last = drop_last
        self.dataset_iter = iter(dataset)
        self.ended = False

    def fetch(self, index):
        if self.ended:
            raise StopIteration
        if not self.auto_collation:
            return self.collate_fn(next(self.dataset_iter))
        samples = []
        for _ in index:
            try:
                samples.append(next(self.dataset_iter))
            except StopIteration:
                self.ended = True
                break
        if not samples or (self.drop_last and len(samples) < len(index)):
            raise StopIteration
        return self.collate_fn(samples)


def gather_rows(dataset, index):
    """The default batch of a TensorDataset, or of a Subset of one, with one copy a tensor.

    None where that could differ from stacking the samples: other datasets or kinds of index,
    gradients, and indices that are an error, which the slow way reports.
    """
    while type(dataset) is Subset:
        try:
            index = [dataset.indices[i] for i in index]
        except Exception:
            return None
        dataset = dataset.dataset
    if type(dataset) is not TensorDataset or any(type(i) is not int for i in index):
        return None
    tensors = dataset.tensors
    if any(type(t) is not flambeau.Tensor or t.requires_grad or t.is_sparse for t in tensors):
        return None
    if min(index) < 0 or max(index) >= len(dataset):
        return None
    rows = flambeau.tensor(index)
    return [tensor.index_select(0, rows) for tensor in tensors]
