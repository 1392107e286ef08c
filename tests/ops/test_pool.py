"""Pooling against plain loops over windows; gradients by finite differences."""

import itertools
import math

import numpy as np
import pytest

import flambeau
from flambeau.autograd import gradcheck, gradgradcheck

nn = flambeau._C._nn
MAX = {1: flambeau.max_pool1d_with_indices, 2: nn.max_pool2d_with_indices, 3: nn.max_pool3d_with_indices}
AVG = {1: flambeau.avg_pool1d, 2: nn.avg_pool2d, 3: nn.avg_pool3d}
ADAPTIVE_AVG = {1: flambeau.adaptive_avg_pool1d, 2: nn.adaptive_avg_pool2d, 3: nn.adaptive_avg_pool3d}
ADAPTIVE_MAX = {1: flambeau.adaptive_max_pool1d, 2: nn.adaptive_max_pool2d, 3: nn.adaptive_max_pool3d}


def doubles(*shape, seed=0):
    return flambeau.from_numpy(np.random.default_rng(seed).normal(size=shape)).requires_grad_()


def out_size(n, kernel, stride, padding, dilation, ceil_mode):
    free = n + 2 * padding - dilation * (kernel - 1) - 1
    out = (math.ceil(free / stride) if ceil_mode else free // stride) + 1
    return out - 1 if ceil_mode and (out - 1) * stride >= n + padding else out


def windows(shape, kernel, stride, padding, dilation, ceil_mode):
    """Per output position, the lists of positions inside the input, a list a dimension."""
    axes = []
    for n in shape:
        out = out_size(n, kernel, stride, padding, dilation, ceil_mode)
        starts = [o * stride - padding for o in range(out)]
        axes.append([[s + i * dilation for i in range(kernel) if 0 <= s + i * dilation < n] for s in starts])
    return axes


CASES = [(2, None, 0, 1, False), (3, 2, 1, 1, False), (3, 2, 1, 1, True), (2, 1, 1, 2, False), (3, 3, 0, 1, True)]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("dims", [1, 2, 3])
def test_max(dims, case):
    kernel, stride, padding, dilation, ceil_mode = case
    shape = (7, 6, 5)[:dims]
    a = np.random.default_rng(0).normal(size=(2, 3, *shape)).astype(np.float32)
    values, indices = MAX[dims](flambeau.from_numpy(a), kernel, stride, padding, dilation, ceil_mode)
    axes = windows(shape, kernel, stride or kernel, padding, dilation, ceil_mode)
    assert values.shape[2:] == tuple(len(axis) for axis in axes)
    for position in itertools.product(*(range(len(axis)) for axis in axes)):
        window = a[(slice(None), slice(None), *np.ix_(*(axis[p] for axis, p in zip(axes, position, strict=True))))]
        at = (slice(None), slice(None), *position)
        np.testing.assert_array_equal(values.numpy()[at], window.max(axis=tuple(range(2, 2 + dims))))
        flat = a.reshape(2, 3, -1)
        found = np.take_along_axis(flat, indices.numpy()[at].reshape(2, 3, 1), 2)[..., 0]
        np.testing.assert_array_equal(found, values.numpy()[at])


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("count_include_pad", [True, False])
def test_avg(dims, case, count_include_pad):
    kernel, stride, padding, dilation, ceil_mode = case
    if dilation != 1:
        return
    stride = stride or kernel
    shape = (7, 6, 5)[:dims]
    a = np.random.default_rng(0).normal(size=(2, 3, *shape))
    got = AVG[dims](flambeau.from_numpy(a), kernel, stride, padding, ceil_mode, count_include_pad).numpy()
    axes = windows(shape, kernel, stride, padding, 1, ceil_mode)
    for position in itertools.product(*(range(len(axis)) for axis in axes)):
        window = a[(slice(None), slice(None), *np.ix_(*(axis[p] for axis, p in zip(axes, position, strict=True))))]
        count = 1
        for n, axis, p in zip(shape, axes, position, strict=True):
            start = p * stride - padding
            count *= min(start + kernel, n + padding) - start if count_include_pad else len(axis[p])
        expected = window.sum(axis=tuple(range(2, 2 + dims))) / count
        np.testing.assert_allclose(got[(slice(None), slice(None), *position)], expected, atol=1e-12)


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("out", [1, 2, 3, 5, 7])
def test_adaptive(dims, out):
    shape = (7, 5, 6)[:dims]
    a = np.random.default_rng(0).normal(size=(2, 3, *shape))
    mean = ADAPTIVE_AVG[dims](flambeau.from_numpy(a), out).numpy()
    most, indices = ADAPTIVE_MAX[dims](flambeau.from_numpy(a), out)
    for position in itertools.product(range(out), repeat=dims):
        window = a[
            (
                slice(None),
                slice(None),
                *(slice(p * n // out, -(-(p + 1) * n // out)) for p, n in zip(position, shape, strict=True)),
            )
        ]
        at = (slice(None), slice(None), *position)
        axes = tuple(range(2, 2 + dims))
        np.testing.assert_allclose(mean[at], window.mean(axis=axes), atol=1e-12)
        np.testing.assert_array_equal(most.numpy()[at], window.max(axis=axes))
    np.testing.assert_array_equal(
        np.take_along_axis(a.reshape(2, 3, -1), indices.numpy().reshape(2, 3, -1), 2), most.numpy().reshape(2, 3, -1)
    )


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_gradients(dims):
    x = doubles(2, 2, *(5, 4, 3)[:dims])
    for function in [
        lambda t: MAX[dims](t, 2, 1, 1)[0],
        lambda t: AVG[dims](t, 2, 1, 1),
        lambda t: ADAPTIVE_AVG[dims](t, 2),
        lambda t: ADAPTIVE_MAX[dims](t, 2)[0],
    ]:
        assert gradcheck(function, (x,))
        assert gradgradcheck(function, (x,))


def test_overlapping_windows_add():
    x = flambeau.tensor([[[1.0, 5.0, 2.0]]], requires_grad=True)
    flambeau.max_pool1d(x, 2, 1).sum().backward()
    assert x.grad.tolist() == [[[0.0, 2.0, 0.0]]]


def test_nan_wins():
    x = flambeau.tensor([[[1.0, float("nan"), 2.0, 3.0]]])
    assert flambeau.max_pool1d(x, 2).isnan().tolist() == [[[True, False]]]
    assert ADAPTIVE_MAX[1](x, 1)[0].isnan().item()


def test_divisor():
    x = flambeau.ones(1, 1, 4, 4)
    assert nn.avg_pool2d(x, 2, divisor_override=8).tolist() == [[[[0.5, 0.5], [0.5, 0.5]]]]


def test_unpool_puts_back():
    x = doubles(2, 3, 4, 6)
    values, indices = nn.max_pool2d_with_indices(x, 2)
    back = nn.max_unpool2d(values, indices, (4, 6))
    assert flambeau.equal(nn.max_pool2d_with_indices(back.abs(), 2)[0], values.abs())
    assert gradcheck(lambda t: nn.max_unpool2d(t, indices, (4, 6)), (values.detach().requires_grad_(),))


def z(*shape, dtype=None):
    return flambeau.zeros(*shape, dtype=dtype or flambeau.float32)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: flambeau.max_pool2d(z(2, 3), 2), "non-empty 3D or 4D (batch mode) tensor expected for input"),
        (
            lambda: flambeau.max_pool2d(z(2, 3, 4, 4), (2, 2, 2)),
            "max_pool2d: kernel_size must either be a single int, or a tuple of two ints",
        ),
        (lambda: flambeau.max_pool2d(z(2, 3, 4, 4), 2, 0), "stride should not be zero"),
        (
            lambda: flambeau.max_pool2d(z(2, 3, 4, 4), 2, 2, 2),
            "pad should be at most half of effective kernel size, but got pad=2, kernel_size=2 and dilation=1",
        ),
        (
            lambda: flambeau.max_pool2d(z(2, 3, 4, 4), 5),
            "Given input size: (3x4x4). Calculated output size: (3x0x0). Output size is too small",
        ),
        (
            lambda: flambeau.max_pool2d(z(2, 3, 0, 4), 2),
            "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:[2, 3, 0, 4]",
        ),
        (lambda: flambeau.max_pool1d(z(2, 3, 4), 0), "max_pool1d() kernel_size must be greater than zero, but got 0"),
        (lambda: nn.avg_pool2d(z(2, 3, 4, 4), 2, divisor_override=0), "divisor must be not zero"),
        (
            lambda: nn.avg_pool3d(z(2, 3, 4, 4, 4), 5),
            "input image (T: 4 H: 4 W: 4) smaller than kernel size (kT: 5 kH: 5 kW: 5)",
        ),
        (lambda: nn.adaptive_avg_pool2d(z(3), 2), "adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got [3]"),
        (
            lambda: nn.adaptive_avg_pool2d(z(2, 3, 4, 4), -1),
            "adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but received {-1, -1}",
        ),
        (
            lambda: nn.max_unpool2d(z(2, 3, 2, 2), z(2, 3, 2, 2, dtype=flambeau.int64) + 16, (4, 4)),
            "Found an invalid max index: 16 (output volumes are of size 4x4)",
        ),
    ],
)
def test_errors(call, text):
    with pytest.raises(RuntimeError) as raised:
        call()
    assert str(raised.value) == text
