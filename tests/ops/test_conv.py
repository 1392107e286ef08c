"""Convolutions against the slow, obvious loops; gradients by finite differences."""

import itertools

import numpy as np
import pytest

import flambeau
from flambeau.autograd import gradcheck, gradgradcheck


def doubles(*shape, seed=0):
    return flambeau.from_numpy(np.random.default_rng(seed).normal(size=shape)).requires_grad_()


def slow_conv(x, w, stride, padding, dilation, groups):
    """y[n, o, p] is the sum of x[n, c, p stride + k dilation] w[o, c, k] over the channels c of o's group and all k."""
    dims = x.ndim - 2
    x = np.pad(x, [(0, 0), (0, 0)] + [(padding[i],) * 2 for i in range(dims)])
    out = [(x.shape[i + 2] - dilation[i] * (w.shape[i + 2] - 1) - 1) // stride[i] + 1 for i in range(dims)]
    y = np.zeros((x.shape[0], w.shape[0], *out), x.dtype)
    channels, outputs = w.shape[1], w.shape[0] // groups
    for o in range(w.shape[0]):
        g = o // outputs
        for k in itertools.product(*(range(s) for s in w.shape[2:])):
            window = tuple(
                slice(k[i] * dilation[i], k[i] * dilation[i] + (out[i] - 1) * stride[i] + 1, stride[i])
                for i in range(dims)
            )
            piece = x[(slice(None), slice(g * channels, (g + 1) * channels), *window)]
            y[:, o] += np.einsum("nc...,c->n...", piece, w[(o, slice(None), *k)])
    return y


CASES = [
    # N, C, O, size, kernel, stride, padding, dilation, groups
    (2, 3, 4, (7,), (3,), 1, 0, 1, 1),
    (2, 4, 6, (9,), (4,), 3, 2, 2, 2),
    (1, 1, 1, (1, 1), (1, 1), 1, 0, 1, 1),
    (2, 3, 5, (6, 7), (3, 3), 1, 1, 1, 1),
    (2, 3, 5, (6, 7), (3, 2), 2, 1, 1, 1),
    (1, 17, 18, (5, 40), (3, 3), 1, 1, 1, 1),
    (2, 4, 8, (8, 8), (3, 3), 2, 1, 2, 4),
    (2, 5, 5, (9, 9), (3, 3), 1, 1, 1, 5),
    (3, 8, 33, (4, 5), (1, 1), 1, 0, 1, 1),
    (2, 2, 3, (11, 11), (5, 5), 4, 2, 1, 1),
    (2, 2, 4, (4, 5, 6), (2, 3, 2), (1, 2, 3), (1, 0, 1), (1, 2, 1), 2),
]


def spread(value, dims):
    return (value,) * dims if isinstance(value, int) else value


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("case", CASES)
def test_forward(case, dtype):
    n, c, o, size, kernel, *rest, groups = case
    dims = len(size)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, c, *size)).astype(dtype)
    w = rng.normal(size=(o, c // groups, *kernel)).astype(dtype)
    b = rng.normal(size=o).astype(dtype)
    stride, padding, dilation = (spread(v, dims) for v in rest)
    conv = getattr(flambeau, f"conv{dims}d")
    expected = slow_conv(x, w, stride, padding, dilation, groups)
    got = conv(flambeau.from_numpy(x), flambeau.from_numpy(w), None, stride, padding, dilation, groups)
    np.testing.assert_allclose(got.numpy(), expected, rtol=1e-4, atol=1e-4)
    biased = conv(*map(flambeau.from_numpy, (x, w, b)), stride, padding, dilation, groups)
    np.testing.assert_allclose(biased.numpy(), expected + b.reshape(-1, *[1] * dims), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("case", CASES[:-2])
def test_gradients(case):
    n, c, o, size, kernel, stride, padding, dilation, groups = case
    if c == 17:
        size, c, o = (3, 4), 3, 2
    if o == 33:
        o = 4
    x, w, b = doubles(n, c, *size), doubles(o, c // groups, *kernel, seed=1), doubles(o, seed=2)
    conv = getattr(flambeau, f"conv{len(size)}d")
    assert gradcheck(lambda *t: conv(*t, stride, padding, dilation, groups), (x, w, b))


def test_second_derivatives():
    x, w, b = doubles(1, 2, 4, 5), doubles(4, 1, 3, 2, seed=1), doubles(4, seed=2)
    assert gradgradcheck(lambda *t: flambeau.conv2d(*t, 2, 1, 1, 2), (x, w, b))
    w = doubles(2, 3, 3, 2, seed=1)
    assert gradgradcheck(lambda *t: flambeau.conv_transpose2d(*t, 2, 1, 1), (x, w, doubles(3, seed=2)))


@pytest.mark.parametrize(
    ("stride", "padding", "output_padding", "groups", "dilation"),
    [(1, 0, 0, 1, 1), (2, 1, 1, 1, 1), (3, 0, 2, 2, 1), (2, 1, 2, 1, 3), ((1, 2), (0, 1), (0, 1), 2, (2, 1))],
)
def test_transposed_is_the_adjoint(stride, padding, output_padding, groups, dilation):
    x, w = doubles(2, 4, 5, 3), doubles(4, 3, 3, 2, seed=1)
    y = flambeau.conv_transpose2d(x, w, None, stride, padding, output_padding, groups, dilation)
    v = doubles(*y.shape, seed=2)
    back = flambeau.conv2d(v, w, None, stride, padding, dilation, groups)
    back = back[:, :, : x.shape[2], : x.shape[3]]  # what output_padding adds may give room for one position more
    np.testing.assert_allclose((y * v).sum().item(), (x * back).sum().item())
    b = doubles(y.shape[1], seed=3)
    run = lambda *t: flambeau.conv_transpose2d(*t, stride, padding, output_padding, groups, dilation)  # noqa: E731
    assert gradcheck(run, (x, w, b))


def test_transposed_in_one_and_three_dimensions():
    x, w = doubles(2, 3, 5), doubles(3, 2, 4, seed=1)
    flat = flambeau.conv_transpose1d(x, w, None, 2, 1)
    wide = flambeau.conv_transpose2d(x[:, :, None], w[:, :, None], None, (1, 2), (0, 1))
    deep = flambeau.conv_transpose3d(x[:, :, None, None], w[:, :, None, None], None, (1, 1, 2), (0, 0, 1))
    assert flambeau.equal(flat, wide[:, :, 0])
    assert flambeau.equal(flat, deep[:, :, 0, 0])


def test_words_for_padding():
    x, w = doubles(2, 3, 8, 9), doubles(4, 3, 4, 3, seed=1)
    assert flambeau.equal(flambeau.conv2d(x, w, padding="valid"), flambeau.conv2d(x, w))
    same = flambeau.conv2d(x, w, padding="same")
    assert same.shape == (2, 4, 8, 9)
    assert flambeau.equal(same[:, :, 1:, :], flambeau.conv2d(x, w, padding=(2, 1))[:, :, 2:, :])


def test_without_a_batch():
    x, w = doubles(3, 6, 6), doubles(4, 3, 3, 3, seed=1)
    assert flambeau.equal(flambeau.conv2d(x, w), flambeau.conv2d(x[None], w)[0])
    assert flambeau.conv2d(x[:, :0][None].detach()[:0], w.detach(), padding=3).shape[0] == 0


def test_strided_operands():
    x, w = doubles(6, 2, 6, 3), doubles(3, 3, 3, 4, seed=1)
    x, w = x.permute(1, 3, 0, 2), w.permute(3, 0, 1, 2)
    np.testing.assert_array_equal(
        flambeau.conv2d(x, w).detach().numpy(), flambeau.conv2d(x.contiguous(), w.contiguous()).detach().numpy()
    )


@pytest.mark.parametrize("dtype", [flambeau.float16, flambeau.bfloat16])
def test_halves(dtype):
    rng = np.random.default_rng(0)
    x = flambeau.from_numpy(rng.normal(size=(1, 3, 5, 5)).astype(np.float32)).to(dtype)
    w = flambeau.from_numpy(rng.normal(size=(2, 3, 3, 3)).astype(np.float32)).to(dtype)
    got = flambeau.conv2d(x, w)
    assert got.dtype == dtype
    assert flambeau.equal(got, flambeau.conv2d(x.float(), w.float()).to(dtype))


def test_time_batch_channels():
    x, w, b = doubles(7, 2, 3), doubles(3, 3, 4, seed=1), doubles(4, seed=2)
    got = flambeau.conv_tbc(x, w, b, 1)
    expected = flambeau.conv1d(x.permute(1, 2, 0), w.permute(2, 1, 0), b, padding=1).permute(2, 0, 1)
    assert flambeau.equal(got, expected)


def z(*shape, dtype=None):
    return flambeau.zeros(*shape, dtype=dtype or flambeau.float32)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: flambeau.conv2d(z(2, 3, 8, 8), z(4, 5, 3, 3)),
            "Given groups=1, weight of size [4, 5, 3, 3], expected input[2, 3, 8, 8] to have 5 channels, "
            "but got 3 channels instead",
        ),
        (
            lambda: flambeau.conv2d(z(2, 3), z(4, 3, 3, 3)),
            "Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: [2, 3]",
        ),
        (
            lambda: flambeau.conv2d(z(2, 3, 8, 8), z(4, 3, 3, 3), z(5)),
            "Given weight of size [4, 3, 3, 3], expected bias to be 1-dimensional with 4 elements, "
            "but got bias of size [5] instead",
        ),
        (
            lambda: flambeau.conv2d(z(2, 3, 2, 2), z(4, 3, 3, 3)),
            "Calculated padded input size per channel: (2 x 2). Kernel size: (3 x 3). "
            "Kernel size can't be greater than actual input size",
        ),
        (lambda: flambeau.conv2d(z(2, 3, 8, 8), z(4, 3, 3, 3), None, 0), "non-positive stride is not supported"),
        (lambda: flambeau.conv2d(z(2, 3, 8, 8), z(4, 3, 3, 3), None, 1, -1), "negative padding is not supported"),
        (
            lambda: flambeau.conv2d(z(2, 4, 8, 8), z(3, 2, 3, 3), None, 1, 0, 1, 2),
            "Given groups=2, expected weight to be divisible by 2 at dimension 0, "
            "but got weight of size [[3, 2, 3, 3]] instead",
        ),
        (
            lambda: flambeau.conv2d(z(2, 4, 8, 8), z(3, 4, 3, 3, dtype=flambeau.float64)),
            "Input type (torch.FloatTensor) and weight type (torch.DoubleTensor) should be the same or input should be "
            "a MKLDNN tensor and weight is a dense tensor",
        ),
        (
            lambda: flambeau.conv2d(z(2, 4, 8, 8), z(3, 4, 3, 3), None, (1, 1, 1)),
            "expected stride to be a single integer value or a list of 2 values to match the convolution dimensions, "
            "but got stride=[1, 1, 1]",
        ),
        (lambda: flambeau.conv2d(z(2, 4, 8, 8), z(3, 4, 3, 3), padding="foo"), "Invalid padding string: 'foo'"),
        (
            lambda: flambeau.conv2d(z(2, 4, 8, 8), z(3, 4, 3, 3), None, 2, "same"),
            "padding='same' is not supported for strided convolutions",
        ),
        (
            lambda: flambeau.conv_transpose2d(z(2, 4, 8, 8), z(5, 3, 3, 3)),
            "Given transposed=1, weight of size [5, 3, 3, 3], expected input[2, 4, 8, 8] to have 5 channels, "
            "but got 4 channels instead",
        ),
        (
            lambda: flambeau.conv_transpose2d(z(2, 4, 8, 8), z(4, 3, 3, 3), None, 1, 0, 1),
            "output padding must be smaller than either stride or dilation, but got output_padding_height: 1 "
            "output_padding_width: 1 stride_height: 1 stride_width: 1 dilation_height: 1 dilation_width: 1",
        ),
    ],
)
def test_errors(call, text):
    with pytest.raises(RuntimeError) as raised:
        call()
    assert str(raised.value) == text
