"""Attention, pooling and resizing beside PyTorch: the same bits unless a case says close."""

import numpy as np
import pytest

import flambeau

torch = pytest.importorskip("torch")


def both(run, *shapes):
    arrays = [np.random.default_rng(i).normal(size=s).astype(np.float32) for i, s in enumerate(shapes)]
    for library in (torch, flambeau):
        inputs = [library.from_numpy(a).requires_grad_() for a in arrays]
        out = run(library, *inputs)
        seed = np.random.default_rng(9).normal(size=tuple(out.shape)).astype(np.float32)
        out.backward(library.from_numpy(seed))
        yield [out.detach().numpy(), *(x.grad.numpy() for x in inputs)]


def assert_same_bits(run, *shapes):
    theirs, ours = both(run, *shapes)
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(a, b)


amd = pytest.mark.skipif(flambeau._C._profile()["mkl"] != "amd", reason="products of other paths are only close")


def heads(library, x, n_head, **options):
    """nanoGPT's attention: views of one tensor of queries, keys and values."""
    b, t, c = x.shape
    q, k, v = (part.view(b, t, n_head, c // 3 // n_head).transpose(1, 2) for part in x.split(c // 3, dim=2))
    y = library.nn.functional.scaled_dot_product_attention(q, k, v, **options)
    return y.transpose(1, 2).contiguous().view(b, t, c // 3)


@amd
@pytest.mark.parametrize("options", [{"is_causal": True}, {}, {"is_causal": True, "scale": 0.3}])
@pytest.mark.parametrize(("b", "h", "t", "d"), [(12, 4, 64, 32), (2, 2, 200, 16), (1, 12, 64, 64), (2, 2, 33, 8)])
def test_flash(b, h, t, d, options):
    assert_same_bits(lambda m, x: heads(m, x, h, **options), (b, t, 3 * h * d))


@amd
@pytest.mark.parametrize(("b", "h", "t", "d"), [(4, 4, 64, 32), (2, 6, 50, 16), (1, 1, 70, 8)])
def test_dropout(b, h, t, d):
    def run(library, x):
        library.manual_seed(1)
        return heads(library, x, h, is_causal=True, dropout_p=0.2)

    assert_same_bits(run, (b, t, 3 * h * d))


@amd
def test_masks_and_groups():
    def run(library, q, k, v):
        mask = library.ones(20, 30, dtype=library.bool).tril(5)
        return library.nn.functional.scaled_dot_product_attention(q, k, v, mask, enable_gqa=True)

    assert_same_bits(run, (2, 4, 20, 16), (2, 2, 30, 16), (2, 2, 30, 16))


POOLING = [
    lambda f, x: f.max_pool2d(x, 2),
    lambda f, x: f.max_pool2d(x, 3, 2, 1),
    lambda f, x: f.max_pool2d(x, 3, 2, 1, ceil_mode=True),
    lambda f, x: f.max_pool2d(x, 2, 1, 1, 2),
    lambda f, x: f.avg_pool2d(x, 2),
    lambda f, x: f.avg_pool2d(x, 3, 2, 1),
    lambda f, x: f.avg_pool2d(x, 3, 2, 1, True, False),
    lambda f, x: f.adaptive_avg_pool2d(x, 1),
    lambda f, x: f.adaptive_avg_pool2d(x, (3, 4)),
    lambda f, x: f.adaptive_max_pool2d(x, (3, 4)),
    lambda f, x: f.max_pool1d(x[0], 3, 2),
    lambda f, x: f.avg_pool1d(x[0], 3, 2),
    lambda f, x: f.adaptive_avg_pool1d(x[0], 5),
    lambda f, x: f.max_pool3d(x, 2),
    lambda f, x: f.avg_pool3d(x, 2),
    lambda f, x: f.adaptive_avg_pool3d(x, 3),
    lambda f, x: f.interpolate(x, scale_factor=2),
    lambda f, x: f.interpolate(x, (5, 20)),
    lambda f, x: f.interpolate(x, scale_factor=2, mode="nearest-exact"),
    lambda f, x: f.interpolate(x[0], 20, mode="linear"),
    lambda f, x: f.interpolate(x[None], (3, 4, 20), mode="trilinear"),
]


@pytest.mark.parametrize("case", range(len(POOLING)))
def test_pooling_and_nearest(case):
    assert_same_bits(lambda m, x: POOLING[case](m.nn.functional, x), (2, 3, 11, 14))


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize("align", [False, True])
def test_resizing_is_close(mode, align):
    theirs, ours = both(
        lambda m, x: m.nn.functional.interpolate(x, (7, 20), mode=mode, align_corners=align), (2, 3, 11, 14)
    )
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
