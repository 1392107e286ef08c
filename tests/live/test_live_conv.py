"""Convolutions beside PyTorch. Forward and unit-stride input gradients have its bits; the rest is close."""

import random

import numpy as np
import pytest

import flambeau

torch = pytest.importorskip("torch")


def both(run, *shapes):
    """Outputs and gradients of the same function on the same numbers: PyTorch's, then ours."""
    arrays = [np.random.default_rng(random.getrandbits(32)).normal(size=s).astype(np.float32) for s in shapes]
    for library in (torch, flambeau):
        inputs = [library.from_numpy(a).requires_grad_() for a in arrays]
        out = run(library, *inputs)
        seed = np.random.default_rng(1).normal(size=tuple(out.shape)).astype(np.float32)
        out.backward(library.from_numpy(seed))
        yield [out.detach().numpy(), *(x.grad.numpy() for x in inputs)]


def assert_near(ours, theirs):
    """A convolution's sums are long: differences count against the largest element."""
    assert ours.shape == theirs.shape
    assert np.abs(ours - theirs).max(initial=0) <= 1e-5 * np.abs(theirs).max(initial=1) * np.sqrt(ours.size)


CASES = [
    # N, C, O, size, kernel, stride, padding, groups, exact
    (32, 3, 16, 32, 3, 1, 1, 1, True),
    (16, 16, 16, 32, 3, 1, 1, 1, True),
    (16, 16, 32, 32, 3, 2, 1, 1, False),
    (16, 32, 32, 16, 3, 1, 1, 1, True),
    (16, 64, 64, 8, 3, 1, 1, 1, True),
    (32, 64, 32, 8, 1, 1, 0, 1, True),
    (16, 16, 16, 9, 3, 1, 1, 16, True),
    (16, 1, 10, 28, 5, 1, 0, 1, True),
    (4, 6, 8, 9, 3, 3, 2, 2, False),
]


@pytest.mark.parametrize("case", CASES)
def test_conv2d(case):
    n, c, o, size, kernel, stride, padding, groups, exact = case
    theirs, ours = both(
        lambda m, x, w, b: m.conv2d(x, w, b, stride, padding, 1, groups),
        (n, c, size, size),
        (o, c // groups, kernel, kernel),
        (o,),
    )
    for a, b in zip(ours, theirs, strict=True):
        assert_near(a, b)
    if exact:
        np.testing.assert_array_equal(ours[0], theirs[0])
        np.testing.assert_array_equal(ours[1], theirs[1])


@pytest.mark.parametrize("case", range(12))
def test_others(case):
    dims, groups = random.randint(1, 3), random.choice([1, 1, 2])
    n, c, o = random.randint(1, 3), groups * random.randint(1, 4), groups * random.randint(1, 4)
    size = [random.randint(5, 8) for _ in range(dims)]
    kernel = [random.randint(1, 3) for _ in range(dims)]
    stride, padding, dilation = random.randint(1, 3), random.randint(0, 2), random.randint(1, 2)
    theirs, ours = both(
        lambda m, x, w, b: getattr(m, f"conv{dims}d")(x, w, b, stride, padding, dilation, groups),
        (n, c, *size),
        (o, c // groups, *kernel),
        (o,),
    )
    for a, b in zip(ours, theirs, strict=True):
        assert_near(a, b)
    theirs, ours = both(
        lambda m, x, w, b: getattr(m, f"conv_transpose{dims}d")(x, w, b, stride, 0, 0, groups, dilation),
        (n, c, *size),
        (c, o // groups, *kernel),
        (o,),
    )
    for a, b in zip(ours, theirs, strict=True):
        assert_near(a, b)


# Single small images, which PyTorch leaves to its own column matrices instead of oneDNN.
NATIVE = [
    # function, input, weight, further arguments
    ("conv_transpose3d", (1, 4, 5, 5, 5), (4, 8, 3, 3, 3), {}),
    ("conv_transpose2d", (1, 2, 5, 5), (2, 4, 3, 3), {}),
    ("conv3d", (1, 1, 10, 11, 12), (1, 1, 1, 2, 5), {"padding": "same"}),
    ("conv2d", (1, 4, 5, 5), (3, 4, 3, 3), {}),
    ("conv2d", (1, 4, 5, 5), (1, 4, 2, 3), {"stride": 2, "padding": 1, "dilation": (2, 3)}),
]


@pytest.mark.parametrize("case", NATIVE)
def test_native(case):
    name, size, weight, further = case
    theirs, ours = both(lambda m, x, w: getattr(m, name)(x, w, **further), size, weight)
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(a, b)
