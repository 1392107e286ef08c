"""Datasets, samplers and the loader against PyTorch's: orders, seeds, batches, messages."""

from __future__ import annotations

import collections
import random

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch.utils.data")

import flambeau  # noqa: E402
import flambeau.utils.data  # noqa: E402

BOTH = (flambeau, torch)


def plain(value):
    """Batches as lists; tensors with their type and shape."""
    if hasattr(value, "tolist"):
        kind = str(getattr(value, "dtype", "")).split(".")[-1]
        return kind, tuple(value.shape), value.tolist()
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, *map(plain, value)]
    return value


def on_both(fn, seed=1337):
    results = []
    for lib in BOTH:
        lib.manual_seed(seed)
        result = plain(fn(lib, lib.utils.data))
        after = lib.rand(1).item()
        results.append((result, after))
    assert results[0] == results[1]
    return results[0][0]


def raised(fn):
    messages = []
    for lib in BOTH:
        with pytest.raises(Exception) as info:
            fn(lib, lib.utils.data)
        messages.append((type(info.value), str(info.value)))
    assert messages[0] == messages[1]
    return messages[0]


class Squares:
    """A map dataset that is neither library's."""

    def __init__(self, lib, n=23):
        self.lib, self.n = lib, n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return self.lib.tensor([float(i), float(i * i)]), i


class Noisy(Squares):
    """Shows the random state that workers see."""

    def __getitem__(self, i):
        import numpy

        return i, self.lib.rand(2), random.random(), float(numpy.random.rand())


def stream_of(lib):
    class Stream(lib.utils.data.IterableDataset):
        def __init__(self, n=10):
            self.n = n

        def __iter__(self):
            info = lib.utils.data.get_worker_info()
            if info is None:
                return iter(range(self.n))
            return iter(range(info.id, self.n, info.num_workers))

    return Stream


SAMPLERS = {
    "sequential": lambda lib, d: d.SequentialSampler(range(7)),
    "random": lambda lib, d: d.RandomSampler(range(70)),
    "random more": lambda lib, d: d.RandomSampler(range(7), num_samples=20),
    "replacement": lambda lib, d: d.RandomSampler(range(7), replacement=True, num_samples=75),
    "generator": lambda lib, d: d.RandomSampler(range(50), generator=lib.Generator().manual_seed(3)),
    "subset": lambda lib, d: d.SubsetRandomSampler([5, 7, 1, 9]),
    "weighted": lambda lib, d: d.WeightedRandomSampler([0.1, 0.9, 0.4, 0.7, 3.0, 0.6], 9),
    "weighted once": lambda lib, d: d.WeightedRandomSampler([0.1, 0.9, 0.4], 3, replacement=False),
    "batches": lambda lib, d: d.BatchSampler(d.RandomSampler(range(10)), 3, False),
    "whole batches": lambda lib, d: d.BatchSampler(d.SequentialSampler(range(10)), 3, True),
    "distributed": lambda lib, d: d.DistributedSampler(range(11), 3, 1, seed=5),
    "distributed few": lambda lib, d: d.DistributedSampler(range(2), 5, 4, shuffle=False),
    "distributed drop": lambda lib, d: d.DistributedSampler(range(11), 3, 2, drop_last=True),
}


@pytest.mark.parametrize("name", SAMPLERS)
def test_samplers(name):
    def draw(lib, d):
        sampler = SAMPLERS[name](lib, d)
        return [len(sampler), list(sampler), list(sampler)]

    on_both(draw)


DATASETS = {
    "concat": lambda lib, d: d.ConcatDataset([range(3), range(10, 14)]),
    "subset": lambda lib, d: d.Subset(list(range(10, 20)), [3, 1, 7]),
    "stack": lambda lib, d: d.StackDataset(range(4), d.Subset(range(9), [3, 4, 5, 6])),
    "stack dict": lambda lib, d: d.StackDataset(a=range(4), b=d.Subset(range(9), [3, 4, 5, 6])),
    "tensors": lambda lib, d: d.TensorDataset(lib.arange(8).view(4, 2), lib.ones(4)),
    "sum": lambda lib, d: d.TensorDataset(lib.arange(3)) + d.TensorDataset(lib.arange(4)),
}


@pytest.mark.parametrize("name", DATASETS)
def test_datasets(name):
    def read(lib, d):
        dataset = DATASETS[name](lib, d)
        samples = [len(dataset), [dataset[i] for i in range(len(dataset))], dataset[-1]]
        batches = [list(d.DataLoader(dataset, batch_size=3, shuffle=s)) for s in (False, True)]
        return samples + batches

    on_both(read)


@pytest.mark.parametrize("lengths", [[5, 3, 2], [0.5, 0.3, 0.2], [0.33, 0.33, 0.34]])
def test_random_split(lengths):
    on_both(lambda lib, d: [s.indices for s in d.random_split(range(10), lengths)])
    on_both(lambda lib, d: [s.indices for s in d.random_split(range(10), lengths, lib.Generator().manual_seed(42))])


LOADERS = [
    {},
    {"batch_size": 4},
    {"batch_size": 4, "drop_last": True},
    {"batch_size": 4, "shuffle": True},
    {"batch_size": None},
    {"batch_size": 5, "shuffle": True, "seeded": True},
    {"batch_sampler": [[1, 2], [5], [7, 8, 9]]},
    {"sampler": [4, 2, 9], "batch_size": 2},
]


def loader_options(lib, options):
    options = dict(options)
    if options.pop("seeded", False):
        options["generator"] = lib.Generator().manual_seed(9)
    return options


@pytest.mark.parametrize("workers", [0, 1, 2])
@pytest.mark.parametrize("options", LOADERS, ids=str)
def test_loader(options, workers):
    def load(lib, d):
        loader = d.DataLoader(Squares(lib), num_workers=workers, **loader_options(lib, options))
        return [len(loader), list(loader), list(loader)]

    on_both(load)


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("workers", [1, 2])
def test_workers_have_the_same_random_numbers(workers, persistent):
    def load(lib, d):
        loader = d.DataLoader(
            Noisy(lib),
            batch_size=4,
            shuffle=True,
            num_workers=workers,
            persistent_workers=persistent,
        )
        return [list(loader), list(loader)]

    on_both(load)


@pytest.mark.parametrize("workers", [0, 1, 2])
@pytest.mark.parametrize("options", [{}, {"batch_size": 3}, {"batch_size": 3, "drop_last": True}])
def test_iterable(options, workers):
    def load(lib, d):
        loader = d.DataLoader(stream_of(lib)(), num_workers=workers, **options)
        return [list(loader), list(loader)]

    on_both(load)


def test_iterable_with_length():
    texts = []
    for lib in BOTH:
        stream = stream_of(lib)
        stream.__len__ = lambda self: 4
        stream.__repr__ = lambda self: "Stream"
        loader = lib.utils.data.DataLoader(stream(), batch_size=2)
        assert len(loader) == 2
        with pytest.warns(UserWarning) as caught:
            list(loader)
        texts.append([str(w.message).replace("flambeau", "torch") for w in caught])
    assert texts[0] == texts[1]


Point = collections.namedtuple("Point", ["x", "y"])


def test_collate():
    import numpy

    def batches(lib, d):
        t = lib.tensor
        samples = [
            [1, 2],
            [1.5, 2.5],
            [True, False],
            ["a", "b"],
            [b"a", b"b"],
            [(1, 2.0), (3, 4.0)],
            [[1, 2], [3, 4]],
            [{"a": 1, "b": t([1])}, {"a": 2, "b": t([3])}],
            [Point(1, 2), Point(3, 4)],
            [t(1), t(2)],
            [t([[1.0]]), t([[2.0]])],
            [{"a": (1, "x")}, {"a": (2, "y")}],
            [numpy.float32(1.5), numpy.float32(2)],
            [numpy.float64(1.5), numpy.float64(2)],
            [numpy.int32(1), numpy.int32(2)],
            [numpy.ones(2), numpy.zeros(2)],
            [numpy.array(3), numpy.array(4)],
        ]
        converted = [
            (1, numpy.ones(2)),
            {"a": numpy.float32(2)},
            Point(numpy.ones(1), 2),
            "text",
            [numpy.array("x")],
            numpy.str_("x"),
            [1, [2, numpy.int64(3)]],
        ]
        return [
            [d.default_collate(s) for s in samples],
            [str(d.default_convert(c)).replace("flambeau", "torch") for c in converted],
        ]

    on_both(batches)


@pytest.mark.parametrize(
    "bad",
    [
        lambda lib, d: d.default_collate([object.__class__]),
        lambda lib, d: d.default_collate([[1, 2], [3]]),
        lambda lib, d: d.default_collate([lib.ones(2), lib.ones(3)]),
        lambda lib, d: d.default_collate([None]),
        lambda lib, d: d.TensorDataset(lib.ones(2), lib.ones(3)),
        lambda lib, d: d.ConcatDataset([]),
        lambda lib, d: d.ConcatDataset([range(3)])[-4],
        lambda lib, d: d.StackDataset(),
        lambda lib, d: d.StackDataset(range(2), range(3)),
        lambda lib, d: d.StackDataset(range(2), a=range(3)),
        lambda lib, d: d.random_split(range(10), [3, 3]),
        lambda lib, d: d.random_split(range(10), [1.5, -0.5]),
        lambda lib, d: d.RandomSampler(range(0)),
        lambda lib, d: d.RandomSampler(range(3), replacement=1),
        lambda lib, d: d.WeightedRandomSampler([1, 2], -1),
        lambda lib, d: d.WeightedRandomSampler([[1, 2]], 1),
        lambda lib, d: d.BatchSampler(range(3), 0, False),
        lambda lib, d: d.BatchSampler(range(3), 1, 0),
        lambda lib, d: d.DistributedSampler(range(3), 2, 2),
        lambda lib, d: d.DataLoader(range(3), num_workers=-1),
        lambda lib, d: d.DataLoader(range(3), timeout=-1),
        lambda lib, d: d.DataLoader(range(3), prefetch_factor=2),
        lambda lib, d: d.DataLoader(range(3), num_workers=1, prefetch_factor=-2),
        lambda lib, d: d.DataLoader(range(3), persistent_workers=True),
        lambda lib, d: d.DataLoader(range(3), shuffle=True, sampler=range(3)),
        lambda lib, d: d.DataLoader(range(3), batch_size=2, batch_sampler=[[1]]),
        lambda lib, d: d.DataLoader(range(3), batch_size=None, drop_last=True),
        lambda lib, d: d.DataLoader(range(3), batch_size=0),
        lambda lib, d: d.DataLoader(range(3), multiprocessing_context="fork"),
        lambda lib, d: d.DataLoader(range(3), num_workers=1, multiprocessing_context="x"),
        lambda lib, d: d.DataLoader(range(3), num_workers=1, multiprocessing_context=1),
        lambda lib, d: d.DataLoader(stream_of(lib)(), shuffle=True),
        lambda lib, d: d.DataLoader(stream_of(lib)(), sampler=3),
        lambda lib, d: setattr(d.DataLoader(range(3)), "batch_size", 2),
        lambda lib, d: d.Dataset()[0],
    ],
)
def test_errors_in_the_same_words(bad):
    raised(bad)


class Broken(Squares):
    error = ValueError

    def __getitem__(self, i):
        if i == 5:
            raise self.error("no such sample")
        return i


class BrokenKey(Broken):
    error = KeyError


@pytest.mark.parametrize("dataset", [Broken, BrokenKey])
def test_exceptions_of_workers(dataset):
    messages = []
    for lib in BOTH:
        loader = iter(lib.utils.data.DataLoader(dataset(lib), batch_size=2, num_workers=2))
        batches = [next(loader).tolist(), next(loader).tolist()]
        with pytest.raises(dataset.error) as info:
            next(loader)
        lines = str(info.value).splitlines()
        messages.append((batches, lines[0], lines[1], lines[-1], next(loader).tolist()))
    assert messages[0] == messages[1]
    assert "Caught" in messages[0][1]


def test_out_of_order_gives_the_same_batches():
    for lib in BOTH:
        loader = lib.utils.data.DataLoader(range(20), batch_size=3, num_workers=2, in_order=False)
        seen = sorted(i for batch in loader for i in batch.tolist())
        assert seen == list(range(20))
