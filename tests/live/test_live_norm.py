"""Normalisation layers against PyTorch, forward, backward and running statistics, bit for bit in float32."""

from __future__ import annotations

import numpy
import pytest

torch = pytest.importorskip("torch")

import flambeau  # noqa: E402

BOTH = (flambeau, torch)


def run(lib, call, arrays, dtype="float32"):
    """Output and gradients of call(lib, *tensors); None stays None."""
    tensors = [None if a is None else lib.from_numpy(a.copy()).to(getattr(lib, dtype)).requires_grad_() for a in arrays]
    y = call(lib, *tensors)
    rng = numpy.random.default_rng(7)
    y.backward(lib.from_numpy(rng.normal(size=tuple(y.shape))).to(getattr(lib, dtype)))
    return [y.detach()] + [t.grad for t in tensors if t is not None]


def assert_bits(call, arrays):
    for i, (ours, theirs) in enumerate(zip(run(flambeau, call, arrays), run(torch, call, arrays))):
        ours, theirs = ours.numpy(), theirs.numpy()
        assert ours.shape == theirs.shape
        numpy.testing.assert_array_equal(ours.view("u4"), theirs.view("u4"), err_msg=f"result {i}")


def assert_close(call, arrays, dtype="float64", tolerance=1e-12):
    for ours, theirs in zip(run(flambeau, call, arrays, dtype), run(torch, call, arrays, dtype)):
        assert ours.dtype == getattr(flambeau, dtype)
        numpy.testing.assert_allclose(ours.float().numpy(), theirs.float().numpy(), tolerance, tolerance)


def numbers(*shape, seed=0):
    return numpy.random.default_rng(seed).normal(1.0, 2.0, size=shape).astype("float32")


@pytest.mark.parametrize("rows, n", [(1, 1), (3, 5), (4, 8), (5, 17), (7, 100), (8, 768), (2, 4097), (65, 33)])
@pytest.mark.parametrize("affine", ["both", "weight", "none"])
def test_layer_norm(rows, n, affine):
    weight = numbers(n, seed=1) if affine != "none" else None
    bias = numbers(n, seed=2) if affine == "both" else None

    def call(lib, x, weight=None, bias=None):
        return lib.layer_norm(x, (n,), weight, bias)

    assert_bits(call, [numbers(rows, n), weight, bias])
    assert_close(call, [numbers(rows, n), weight, bias])


def test_layer_norm_of_several_dimensions():
    assert_bits(lambda lib, x, w, b: lib.layer_norm(x, (3, 7), w, b, 1e-3),
                [numbers(2, 5, 3, 7), numbers(3, 7, seed=1), numbers(3, 7, seed=2)])  # fmt: skip


@pytest.mark.parametrize(
    "shape, groups", [((2, 4, 3), 2), ((3, 6), 3), ((2, 8, 5, 7), 4), ((1, 32, 16, 16), 8), ((4, 9, 11), 1)]
)
@pytest.mark.parametrize("affine", [True, False])
def test_group_norm(shape, groups, affine):
    parameters = [numbers(shape[1], seed=1), numbers(shape[1], seed=2)] if affine else [None, None]

    def call(lib, x, weight=None, bias=None):
        return lib.group_norm(x, groups, weight, bias)

    assert_bits(call, [numbers(*shape), *parameters])
    assert_close(call, [numbers(*shape), *parameters])


BATCH_SHAPES = [(4, 3), (64, 10), (33, 17), (2, 3, 5), (5, 7, 4, 3), (3, 8, 16, 16), (16, 4, 1, 1), (2, 3, 4, 5, 6)]


@pytest.mark.parametrize("shape", BATCH_SHAPES)
@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("affine", [True, False])
def test_batch_norm(shape, training, affine):
    channels = shape[1]
    parameters = [numbers(channels, seed=1), numbers(channels, seed=2)] if affine else [None, None]
    running = []

    def call(lib, x, weight=None, bias=None):
        mean = lib.from_numpy(numbers(channels, seed=3)).to(x.dtype)
        var = lib.from_numpy(numpy.abs(numbers(channels, seed=4))).to(x.dtype)
        running.append((mean, var))
        return lib.batch_norm(x, weight, bias, mean, var, training, 0.1, 1e-5, True)

    assert_bits(call, [numbers(*shape), *parameters])
    for ours, theirs in zip(*running):
        numpy.testing.assert_array_equal(ours.numpy().view("u4"), theirs.numpy().view("u4"))
    assert_close(call, [numbers(*shape), *parameters])


def test_batch_norm_without_running_statistics():
    def call(lib, x):
        return lib.batch_norm(x, None, None, None, None, True, 0.1, 1e-5, True)

    assert_bits(call, [numbers(4, 3, 5)])


@pytest.mark.parametrize("use_input_stats", [True, False])
def test_instance_norm(use_input_stats):
    running = []

    def call(lib, x, weight, bias):
        mean = lib.from_numpy(numbers(5, seed=3))
        var = lib.from_numpy(numpy.abs(numbers(5, seed=4)))
        running.append((mean, var))
        return lib.instance_norm(x, weight, bias, mean, var, use_input_stats, 0.1, 1e-5, True)

    assert_bits(call, [numbers(3, 5, 6, 4), numbers(5, seed=1), numbers(5, seed=2)])
    for ours, theirs in zip(*running):
        numpy.testing.assert_array_equal(ours.numpy(), theirs.numpy())


@pytest.mark.parametrize("eps", [None, 1e-3])
def test_rms_norm(eps):
    def call(lib, x, weight):
        return lib.rms_norm(x, (4, 7), weight, eps)

    assert_close(call, [numbers(3, 4, 7), numbers(4, 7, seed=1)])
    assert_close(call, [numbers(3, 4, 7), numbers(4, 7, seed=1)], "float32", 2e-6)


@pytest.mark.parametrize("dim", [0, 1, 2, -1])
def test_weight_norm(dim):
    g = {0: (3, 1, 1), 1: (1, 4, 1), 2: (1, 1, 5), -1: ()}[dim]
    assert_close(lambda lib, v, g: lib._weight_norm(v, g, dim), [numbers(3, 4, 5), numbers(*g, seed=1)])


def test_half():
    def call(lib, x, weight, bias):
        return lib.layer_norm(x, (9,), weight, bias)

    assert_close(call, [numbers(4, 9), numbers(9, seed=1), numbers(9, seed=2)], "float16", 5e-3)


MESSAGES = [
    lambda lib: lib.layer_norm(lib.ones(2, 4, 3), []),
    lambda lib: lib.layer_norm(lib.ones(2, 4, 3), [4]),
    lambda lib: lib.layer_norm(lib.ones(2, 4, 3), [3], lib.ones(4)),
    lambda lib: lib.layer_norm(lib.ones(2, 4, 3), [3], None, lib.ones(4)),
    lambda lib: lib.layer_norm(lib.zeros(2, 3, dtype=lib.int64), [3]),
    lambda lib: lib.layer_norm(lib.ones(2, 4, 3), [5, 4, 3, 2]),
    lambda lib: lib.layer_norm(lib.ones(2, 4, 3), [3], lib.ones(3).double(), lib.ones(3)),
    lambda lib: lib.rms_norm(lib.ones(2, 4, 3), [5]),
    lambda lib: lib.rms_norm(lib.zeros(2, 3, dtype=lib.int64), [3]),
    lambda lib: lib.group_norm(lib.ones(2, 4, 3), 3),
    lambda lib: lib.group_norm(lib.ones(2, 4, 3), 0),
    lambda lib: lib.group_norm(lib.ones(2, 4, 3), 2, lib.ones(3)),
    lambda lib: lib.group_norm(lib.ones(2, 4, 3), 2, None, lib.ones(3)),
    lambda lib: lib.batch_norm(lib.ones(2, 4, 3), None, None, None, None, False, 0.1, 1e-5, True),
    lambda lib: lib.batch_norm(lib.ones(2, 4, 3), lib.ones(3), None, None, None, True, 0.1, 1e-5, True),
    lambda lib: lib.batch_norm(lib.ones(2, 4, 3), None, None, lib.ones(3), lib.ones(3), True, 0.1, 1e-5, True),
    lambda lib: lib.batch_norm(lib.ones(2, 4, 3), None, None, lib.ones(4), None, True, 0.1, 1e-5, True),
    lambda lib: lib.batch_norm(lib.ones(3), None, None, None, None, True, 0.1, 1e-5, True),
    lambda lib: lib.batch_norm(lib.ones(2, 3, dtype=lib.int64), None, None, None, None, True, 0.1, 1e-5, True),
    lambda lib: lib.instance_norm(lib.ones(2, 4, 3), None, None, None, None, False, 0.1, 1e-5, True),
]


@pytest.mark.parametrize("call", MESSAGES)
def test_messages(call):
    caught = []
    for lib in BOTH:
        with pytest.raises(Exception) as info:
            call(lib)
        caught.append((info.type.__name__, str(info.value)))
    assert caught[0] == caught[1]
