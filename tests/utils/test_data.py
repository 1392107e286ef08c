"""Datasets, samplers and the loader: orders and seeds beside those of PyTorch."""

from __future__ import annotations

import random

import pytest

import flambeau as torch
from flambeau.utils import data


class Numbers(data.Dataset):
    def __init__(self, n=10):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return i


def lists(loader):
    return [batch.tolist() for batch in loader]


# The orders below were recorded from PyTorch 2.13.0 with this seed.
def test_orders():
    torch.manual_seed(1337)
    assert list(data.RandomSampler(range(10))) == [3, 4, 2, 8, 9, 7, 5, 1, 6, 0]
    repeated = data.RandomSampler(range(5), replacement=True, num_samples=12)
    assert list(repeated) == [2, 3, 2, 1, 1, 1, 3, 0, 1, 2, 1, 2]
    assert list(data.SubsetRandomSampler([5, 7, 1, 9])) == [9, 1, 5, 7]
    weighted = data.WeightedRandomSampler([0.1, 0.9, 0.4, 3.0], 6)
    assert list(weighted) == [3, 1, 3, 1, 3, 3]


def test_random_split():
    parts = data.random_split(range(10), [0.55, 0.25, 0.2], torch.Generator().manual_seed(42))
    assert [part.indices for part in parts] == [[2, 6, 1, 8, 4, 5], [0, 9], [3, 7]]


def test_distributed():
    assert list(data.DistributedSampler(range(11), 3, 1, seed=5)) == [5, 10, 6, 4]
    shares = [list(data.DistributedSampler(range(10), 4, r, shuffle=False)) for r in range(4)]
    assert shares == [[0, 4, 8], [1, 5, 9], [2, 6, 0], [3, 7, 1]]


def test_shuffled_epoch_and_the_draws_after_it():
    torch.manual_seed(1337)
    loader = data.DataLoader(Numbers(), batch_size=4, shuffle=True)
    assert lists(loader) == [[7, 1, 0, 4], [2, 6, 9, 8], [3, 5]]
    assert torch.rand(1).item() == 0.2003883719444275


def noisy(batch):
    (i,) = batch
    info = data.get_worker_info()
    return i, info.id, info.seed, torch.rand(1).item(), random.random()


def test_seeds_of_workers():
    torch.manual_seed(1337)
    loader = data.DataLoader(Numbers(6), shuffle=True, num_workers=2, collate_fn=noisy)
    assert list(loader) == [
        (5, 0, 4833502145162436797, 0.948006808757782, 0.9159289370469071),
        (4, 1, 4833502145162436798, 0.9327712655067444, 0.608270280606458),
        (3, 0, 4833502145162436797, 0.4820517301559448, 0.4862407865391628),
        (0, 1, 4833502145162436798, 0.9277160167694092, 0.9865700989982087),
        (2, 0, 4833502145162436797, 0.2288217544555664, 0.7750162978908549),
        (1, 1, 4833502145162436798, 0.8507174849510193, 0.3870882733246298),
    ]
    assert torch.rand(1).item() == 0.2003883719444275
    assert data.get_worker_info() is None


def test_numpy_seed():
    from flambeau.utils.data.worker import numpy_seed

    words = [2305432219, 2919077593, 498355015, 361149616]
    assert numpy_seed(8914352367489132407, 3) == words


@pytest.mark.parametrize("workers", [0, 2])
def test_batches(workers):
    loader = data.DataLoader(Numbers(), batch_size=4, num_workers=workers)
    assert lists(loader) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert len(loader) == 3
    loader = data.DataLoader(Numbers(), batch_size=4, drop_last=True, num_workers=workers)
    assert lists(loader) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    loader = data.DataLoader(Numbers(3), batch_size=None, num_workers=workers)
    assert list(loader) == [0, 1, 2]


class Slow(data.TensorDataset):
    """A TensorDataset that has to go sample by sample."""


@pytest.mark.parametrize("order", [[0, 2, 1], [-1, 0], [5, 5]])
def test_fast_path_gives_the_same(order):
    x = torch.arange(12.0).reshape(6, 2)
    y = torch.arange(6)
    batches = [list(data.DataLoader(kind(x, y), batch_size=2, sampler=order)) for kind in (data.TensorDataset, Slow)]
    for fast, slow in zip(*batches):
        assert [t.tolist() for t in fast] == [t.tolist() for t in slow]
        assert [t.dtype for t in fast] == [t.dtype for t in slow]


def test_fast_path_of_subsets_and_its_errors():
    x = torch.arange(12.0).reshape(6, 2)
    part = data.Subset(data.Subset(data.TensorDataset(x), [5, 4, 3]), [2, 0])
    (batch,) = data.DataLoader(part, batch_size=2)
    assert batch[0].tolist() == [[6.0, 7.0], [10.0, 11.0]]
    with pytest.raises(IndexError):
        list(data.DataLoader(data.TensorDataset(x), sampler=[9]))


def test_samples_with_gradient_keep_it():
    x = torch.ones(4, 2, requires_grad=True)
    for (batch,) in data.DataLoader(data.TensorDataset(x), batch_size=2):
        batch.sum().backward()
    assert x.grad.tolist() == [[1.0, 1.0]] * 4


def test_collate():
    batch = data.default_collate([{"a": 1, "b": (2.5, "x")}, {"a": 3, "b": (4.5, "y")}])
    assert batch["a"].tolist() == [1, 3]
    assert batch["b"][0].dtype == torch.float64
    assert batch["b"][1] == ("x", "y")
    with pytest.raises(TypeError, match="^default_collate: batch must contain tensors, numpy"):
        data.default_collate([None])
    with pytest.raises(RuntimeError, match="each element in list of batch should be of equal"):
        data.default_collate([[1], [1, 2]])


class Countdown(data.IterableDataset):
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        info = data.get_worker_info()
        first, step = (0, 1) if info is None else (info.id, info.num_workers)
        return iter(range(self.n - first, 0, -step))


@pytest.mark.parametrize(
    ("workers", "batches"),
    [
        (0, [[7, 6], [5, 4], [3, 2], [1]]),
        (2, [[7, 5], [6, 4], [3, 1], [2]]),
    ],
)
def test_iterable(workers, batches):
    loader = data.DataLoader(Countdown(7), batch_size=2, num_workers=workers)
    assert lists(loader) == batches


def test_subclassing_as_in_typed_code():
    class Typed(data.Dataset[int]):
        def __getitem__(self, i):
            return i

    assert Typed()[3] == 3
    with pytest.raises(NotImplementedError, match="should implement __getitem__"):
        data.Dataset()[0]


def test_pin_memory_warns():
    with pytest.warns(UserWarning, match="'pin_memory' argument is set as true but no"):
        list(data.DataLoader(Numbers(2), pin_memory=True))
