"""Attention against the plain formula; the flash and the composed path against each other."""

import math

import numpy as np
import pytest

import flambeau
from flambeau.autograd import gradcheck

attention = flambeau._C._nn.scaled_dot_product_attention


def formula(q, k, v, mask=None, causal=False, scale=None):
    q, k, v = (t.astype(np.float64) for t in (q, k, v))
    scores = q @ k.swapaxes(-1, -2) * (scale if scale is not None else 1 / math.sqrt(q.shape[-1]))
    if causal:
        scores = np.where(np.tril(np.ones(scores.shape[-2:], bool)), scores, -np.inf)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    with np.errstate(invalid="ignore"):
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights = np.nan_to_num(weights / weights.sum(-1, keepdims=True))
    return weights @ v


def arrays(*shapes):
    rng = np.random.default_rng(0)
    return [rng.normal(size=s).astype(np.float32) for s in shapes]


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("queries", "keys"), [(1, 1), (5, 5), (33, 33), (7, 40), (40, 7), (200, 600), (1, 20)])
def test_against_the_formula(queries, keys, causal):
    q, k, v = arrays((2, 3, queries, 8), (2, 3, keys, 8), (2, 3, keys, 8))
    got = attention(*map(flambeau.from_numpy, (q, k, v)), is_causal=causal)
    np.testing.assert_allclose(got.numpy(), formula(q, k, v, causal=causal), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("shape", [(4, 5), (1, 5), (2, 3, 4, 5), (2, 1, 1, 5)])
def test_masks(shape):
    q, k, v = arrays((2, 3, 4, 8), (2, 3, 5, 8), (2, 3, 5, 8))
    mask = np.random.default_rng(1).normal(size=shape).astype(np.float32)
    x = [*map(flambeau.from_numpy, (q, k, v))]
    got = attention(*x, flambeau.from_numpy(mask))
    np.testing.assert_allclose(got.numpy(), formula(q, k, v, mask), rtol=1e-4, atol=1e-5)
    allowed = mask > -1
    got = attention(*x, flambeau.from_numpy(allowed))
    np.testing.assert_allclose(got.numpy(), formula(q, k, v, allowed), rtol=1e-4, atol=1e-5)


def test_rows_without_keys_are_zero():
    q, k, v = map(flambeau.from_numpy, arrays((1, 1, 3, 4), (1, 1, 3, 4), (1, 1, 3, 4)))
    mask = flambeau.tensor([[True, True, False], [False, False, False], [False, False, True]])
    for path in (attention(q, k, v, mask), attention(q[0], k[0], v[0], mask)[None]):
        assert path[0, 0, 1].tolist() == [0, 0, 0, 0]
        assert flambeau.equal(path[0, 0, 2], v[0, 0, 2])


def gradients(path, q, k, v, **options):
    x = [flambeau.from_numpy(a).requires_grad_() for a in (q, k, v)]
    flambeau.backends.cuda.enable_flash_sdp(path == "flash")
    try:
        out = attention(*x, **options)
    finally:
        flambeau.backends.cuda.enable_flash_sdp(True)
    out.backward(flambeau.from_numpy(np.random.default_rng(2).normal(size=tuple(out.shape)).astype(np.float32)))
    return [out.detach().numpy(), *(t.grad.numpy() for t in x)]


@pytest.mark.parametrize("options", [{}, {"is_causal": True}, {"scale": 0.3}, {"enable_gqa": True}])
@pytest.mark.parametrize("length", [3, 16, 70])
def test_the_paths_agree(options, length):
    heads = 2 if "enable_gqa" in options else 4
    inputs = arrays((2, 4, length, 8), (2, heads, length, 8), (2, heads, length, 8))
    for flash, composed in zip(
        gradients("flash", *inputs, **options), gradients("math", *inputs, **options), strict=True
    ):
        np.testing.assert_allclose(flash, composed, rtol=1e-3, atol=1e-4)


def test_gradients_of_the_composed_path():
    inputs = tuple(
        flambeau.from_numpy(np.random.default_rng(i).normal(size=(2, 3, 4))).requires_grad_() for i in range(3)
    )
    assert gradcheck(lambda q, k, v: attention(q, k, v, is_causal=True), inputs)
    mask = flambeau.zeros(3, 3, dtype=flambeau.float64, requires_grad=True)
    assert gradcheck(attention, (*inputs, mask))


def test_dropout_draws_once_per_score():
    q, k, v = map(flambeau.from_numpy, arrays((1, 2, 4, 8), (1, 2, 4, 8), (1, 2, 4, 8)))
    flambeau.manual_seed(0)
    first = attention(q, k, v, dropout_p=0.5)
    flambeau.manual_seed(0)
    assert flambeau.equal(first, attention(q, k, v, dropout_p=0.5))
    assert not flambeau.equal(first, attention(q, k, v, dropout_p=0.5))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda z: attention(z[0, 0, 0], z[0, 0, 0], z[0, 0, 0]),
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: 1 key.dim: 1 and "
            "value.dim: 1 instead.",
        ),
        (
            lambda z: attention(z, z.double(), z),
            "Expected query, key, and value to have the same dtype, but got query.dtype: float key.dtype: double and "
            "value.dtype: float instead.",
        ),
        (
            lambda z: attention(z[0], z[0], z[0], flambeau.ones(3, 3, dtype=flambeau.bool), is_causal=True),
            "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True",
        ),
        (
            lambda z: attention(z, z, z, flambeau.ones(3, 3, dtype=flambeau.int64)),
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: long int "
            "and  query.dtype: float instead.",
        ),
    ],
)
def test_errors(call, text):
    with pytest.raises(RuntimeError) as raised:
        call(flambeau.zeros(1, 2, 3, 4))
    assert str(raised.value) == text
