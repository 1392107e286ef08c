"""Joining, cutting and rearranging against NumPy; gradients against differences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flambeau as torch
from flambeau.autograd import gradcheck, gradgradcheck

X = np.arange(24.0).reshape(2, 3, 4)


def check(result, expected):
    np.testing.assert_array_equal(result.numpy(), expected)
    assert result.numpy().dtype == expected.dtype


@st.composite
def pieces(draw):
    shape = draw(st.lists(st.integers(0, 3), min_size=1, max_size=3))
    dim = draw(st.integers(-len(shape), len(shape) - 1))
    arrays = []
    for k in range(draw(st.integers(1, 4))):
        shape[dim] = draw(st.integers(0, 3))
        dtype = draw(st.sampled_from([np.float32, np.int64, np.uint8, np.bool_]))
        array = (np.arange(np.prod(shape)) + 10 * k).reshape(shape).astype(dtype)
        arrays.append(array)
    return arrays, dim, draw(st.booleans())


@settings(max_examples=150, deadline=None)
@given(pieces())
def test_cat(case):
    arrays, dim, strided = case
    tensors = [torch.from_numpy(a.copy()) for a in arrays]
    if strided:  # the same values through strides of their own
        tensors = [torch.stack([t, t], -1)[..., 0] for t in tensors]
    result = torch.cat(tensors, dim)
    np.testing.assert_array_equal(result.numpy(), np.concatenate(arrays, dim))
    if all(a.dtype == arrays[0].dtype for a in arrays):
        assert result.numpy().dtype == arrays[0].dtype


def test_cat_skips_legacy_empty_tensors():
    assert torch.cat([torch.ones(2, 2), torch.ones(0)]).shape == (2, 2)
    x = torch.ones(2, 2, requires_grad=True)
    empty = torch.ones(0, requires_grad=True)
    torch.cat([x, empty]).sum().backward()
    assert empty.grad.shape == (0,) and x.grad.tolist() == [[1, 1], [1, 1]]


def test_cat_promotes_and_casts_gradients_back():
    x = torch.ones(2, requires_grad=True)
    y = torch.ones(2, dtype=torch.float64, requires_grad=True)
    out = torch.cat([x, y])
    assert out.dtype == torch.float64
    out.sum().backward()
    assert x.grad.dtype == torch.float32 and y.grad.dtype == torch.float64


@pytest.mark.parametrize("dim", [0, 1, 2, -1])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int16, np.bool_])
def test_stack(dim, dtype):
    a, b = X[0].astype(dtype), X[1].astype(dtype)
    check(torch.stack([torch.from_numpy(a), torch.from_numpy(b)], dim), np.stack([a, b], dim))


@pytest.mark.parametrize("name", ["hstack", "vstack", "dstack", "column_stack"])
@pytest.mark.parametrize("array", [X[0, 0], X[0], X])
def test_stacks(name, array):
    t = torch.from_numpy(array)
    check(getattr(torch, name)([t, t]), getattr(np, name)([array, array]))


def test_large_cat_in_parallel():
    a = np.random.default_rng(0).standard_normal((700, 300))
    b = a[:, :123].copy()
    check(torch.cat([torch.from_numpy(a), torch.from_numpy(b)], 1), np.concatenate([a, b], 1))


def test_splits():
    t = torch.from_numpy(X)
    for sections in (1, 2, 3, 5):
        for mine, wanted in zip(torch.tensor_split(t, sections, 2), np.array_split(X, sections, 2), strict=True):
            check(mine, wanted)
    for mine, wanted in zip(t.tensor_split((1, 3), -1), np.split(X, (1, 3), -1), strict=True):
        check(mine, wanted)
    assert [p.shape[0] for p in torch.tensor_split(torch.arange(5), torch.tensor([1, 4]))] == [1, 3, 1]
    for mine, wanted in zip(t.hsplit(3), np.hsplit(X, 3), strict=True):
        check(mine, wanted)
    for mine, wanted in zip(t.dsplit((1,)), np.dsplit(X, (1,)), strict=True):
        check(mine, wanted)


@pytest.mark.parametrize("indexing", ["ij", "xy"])
def test_meshgrid(indexing):
    axes = [np.arange(2), np.arange(3), np.arange(4)]
    for mine, wanted in zip(
        torch.meshgrid(*map(torch.from_numpy, axes), indexing=indexing),
        np.meshgrid(*axes, indexing=indexing),
        strict=True,
    ):
        check(mine, wanted)


def test_products_of_lists():
    a, b = torch.tensor([1, 2]), torch.tensor([3, 4, 5])
    assert torch.cartesian_prod(a, b).tolist() == [[1, 3], [1, 4], [1, 5], [2, 3], [2, 4], [2, 5]]
    assert torch.combinations(b).tolist() == [[3, 4], [3, 5], [4, 5]]
    assert torch.combinations(a, 3, with_replacement=True).tolist() == [[1, 1, 1], [1, 1, 2], [1, 2, 2], [2, 2, 2]]
    assert torch.combinations(a, 3).shape == (0, 3)
    blocks = torch.block_diag(a, torch.tensor([[7], [8]]), torch.tensor(9))
    assert blocks.tolist() == [[1, 2, 0, 0], [0, 0, 7, 0], [0, 0, 8, 0], [0, 0, 0, 9]]


@pytest.mark.parametrize("dims", [(0,), (1,), (-1,), (0, 2), (0, 1, 2), ()])
@pytest.mark.parametrize("transposed", [False, True])
def test_flip(dims, transposed):
    t, x = torch.from_numpy(X), X
    if transposed:
        t, x = t.transpose(0, 2), X.transpose(2, 1, 0)
    check(t.flip(dims), np.flip(x, dims))


def test_roll_and_rot90():
    t = torch.from_numpy(X)
    check(t.roll(5), np.roll(X, 5))
    check(t.roll((1, -7), (0, 2)), np.roll(X, (1, -7), (0, 2)))
    for k in range(-4, 5):
        check(t.rot90(k, (0, 2)), np.rot90(X, k, (0, 2)))


def test_repeats():
    t = torch.from_numpy(X)
    check(t.repeat(2, 1, 1, 3), np.tile(X, (2, 1, 1, 3)))
    check(t.tile(2), np.tile(X, 2))
    check(t.repeat_interleave(2, 1), np.repeat(X, 2, 1))
    check(t.repeat_interleave(3), np.repeat(X, 3))
    check(t.repeat_interleave(torch.tensor([2, 0, 1]), 1), np.repeat(X, [2, 0, 1], 1))
    assert torch.repeat_interleave(torch.tensor([1, 0, 2])).tolist() == [0, 2, 2]
    assert t.repeat(0, 1, 1).shape == (0, 3, 4)


@pytest.mark.parametrize("k", [-5, -1, 0, 1, 5])
def test_triangles_and_diagonals(k):
    t = torch.from_numpy(X)
    check(t.tril(k), np.tril(X, k))
    check(t.triu(k), np.triu(X, k))
    check(t.transpose(1, 2).tril(k), np.tril(X.transpose(0, 2, 1), k))
    check(torch.tril_indices(3, 4, k), np.stack(np.tril_indices(3, k, 4)))
    check(torch.triu_indices(3, 4, k), np.stack(np.triu_indices(3, k, 4)))
    check(torch.diag(t[0, 0], k), np.diag(X[0, 0], k))
    check(torch.diag(t[0], max(k, -2) if k < 0 else min(k, 3)), np.diag(X[0], max(k, -2) if k < 0 else min(k, 3)))


def test_trace():
    assert torch.from_numpy(X[0]).trace().item() == np.trace(X[0])
    assert torch.from_numpy(X[0]).t().trace().item() == np.trace(X[0])
    assert torch.arange(4, dtype=torch.uint8).reshape(2, 2).trace().dtype == torch.int64


def test_pad():
    t = torch.from_numpy(X)
    pad = torch.nn.functional.pad
    check(pad(t, (1, 2, 0, 1)), np.pad(X, ((0, 0), (0, 1), (1, 2))))
    check(pad(t, (-1, 1), value=5), np.pad(X[..., 1:], ((0, 0), (0, 0), (0, 1)), constant_values=5))
    widths = ((0, 0), (2, 1), (1, 3))
    for mode, theirs in (("reflect", "reflect"), ("replicate", "edge"), ("circular", "wrap")):
        check(pad(t, (1, 3, 2, 1), mode), np.pad(X, widths, theirs))


def test_unfold_is_a_convolution():
    rng = np.random.default_rng(0)
    x, w = torch.from_numpy(rng.standard_normal((2, 3, 5, 6))), torch.from_numpy(rng.standard_normal((4, 3, 2, 3)))
    columns = torch.nn.functional.unfold(x, (2, 3), padding=1, stride=2)
    result = (w.reshape(4, -1) @ columns).reshape(2, 4, 3, 3)
    expected = torch.nn.functional.conv2d(x, w, padding=1, stride=2)
    np.testing.assert_allclose(result.numpy(), expected.numpy(), atol=1e-12)
    counts = torch.nn.functional.fold(torch.ones(1, 4, 4), (3, 3), 2)
    assert counts[0, 0].tolist() == [[1, 2, 1], [2, 4, 2], [1, 2, 1]]


def test_pixel_and_channel_shuffle():
    t = torch.arange(16).reshape(1, 4, 2, 2)
    up = torch.nn.functional.pixel_shuffle(t, 2)
    assert up[0, 0].tolist() == [[0, 4, 1, 5], [8, 12, 9, 13], [2, 6, 3, 7], [10, 14, 11, 15]]
    assert torch.nn.functional.pixel_unshuffle(up, 2).tolist() == t.tolist()
    assert torch.nn.functional.channel_shuffle(t, 2)[0, :, 0, 0].tolist() == [0, 8, 4, 12]


def test_structured_products():
    a, b = X[0], X[1, :2]
    check(torch.kron(torch.from_numpy(a), torch.from_numpy(b)), np.kron(a, b))
    check(torch.vander(torch.from_numpy(a[0]), 3), np.vander(a[0], 3))
    check(torch.vander(torch.tensor([1, 2, 3]), increasing=True), np.vander([1, 2, 3], increasing=True))
    u, v = np.array([1.0, 2, 3]), np.array([-4.0, 5, 6])
    check(torch.cross(torch.from_numpy(u), torch.from_numpy(v), 0), np.cross(u, v))


F = torch.nn.functional
GRADIENTS = {
    "cat": lambda x, y: torch.cat([x, y, x], 1),
    "stack": lambda x, y: torch.stack([x, y], 1),
    "block_diag": lambda x, y: torch.block_diag(x, y),
    "meshgrid": lambda x, y: torch.meshgrid(x[0], y[1], indexing="xy"),
    "cartesian_prod": lambda x, y: torch.cartesian_prod(x[0], y[1]),
    "combinations": lambda x, y: torch.combinations(x[0]),
    "flip": lambda x, y: x.flip(0, 1),
    "roll": lambda x, y: x.roll((1, 2), (0, 1)),
    "rot90": lambda x, y: x.rot90(),
    "repeat": lambda x, y: x.repeat(2, 1, 3),
    "repeat_interleave": lambda x, y: x.repeat_interleave(2, 1),
    "repeat_interleave_by": lambda x, y: x.repeat_interleave(torch.tensor([2, 0, 1]), 1),
    "tril": lambda x, y: x.tril() + y.triu(1),
    "diag": lambda x, y: torch.diag(x[0], 1),
    "diag_embed": lambda x, y: torch.diag_embed(x, -1),
    "trace": lambda x, y: torch.trace(x),
    "diagonal_scatter": lambda x, y: torch.diagonal_scatter(x, y[0, :2], 1),
    "select_scatter": lambda x, y: torch.select_scatter(x, y[0], 0, 1),
    "slice_scatter": lambda x, y: torch.slice_scatter(x, y[:, :2], 1, 0, 3, 2),
    "kron": lambda x, y: torch.kron(x, y),
    "vander": lambda x, y: torch.vander(x[0], 3),
    "cross": lambda x, y: torch.cross(x, y, 1),
    "constant": lambda x, y: F.pad(x, (1, -1, 0, 2)),
    "reflect": lambda x, y: F.pad(x, (1, 2), "reflect"),
    "replicate": lambda x, y: F.pad(x[None], (1, 2, 1, -1), "replicate"),
    "circular": lambda x, y: F.pad(x[None], (1, 3, 2, -1), "circular"),
    "unfold": lambda x, y: F.unfold(x[None, None], (2, 2), padding=1),
    "fold": lambda x, y: F.fold(x.reshape(1, 2, 3), (2, 3), (2, 1)),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradient(name):
    x, y = (torch.from_numpy(np.random.default_rng(k).standard_normal((2, 3))).requires_grad_() for k in range(2))
    assert gradcheck(GRADIENTS[name], (x, y))

    def squared(x, y):
        out = GRADIENTS[name](x, y)
        return [o**2 for o in out] if isinstance(out, (list, tuple)) else out**2

    assert gradgradcheck(squared, (x, y))


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda x: torch.cat([]), ValueError, "torch.cat(): expected a non-empty list of Tensors"),
        (
            lambda x: torch.cat([x, torch.ones(2, 4)], 0),
            RuntimeError,
            "Sizes of tensors must match except in dimension 0. Expected size 3 but got size 4 for tensor number 1 "
            "in the list.",
        ),
        (
            lambda x: torch.stack([x, x[0]]),
            RuntimeError,
            "stack expects each tensor to be equal size, but got [2, 3] at entry 0 and [3] at entry 1",
        ),
        (
            lambda x: x.repeat(2),
            RuntimeError,
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor",
        ),
        (lambda x: x[0].tril(), RuntimeError, "tril: input tensor must have at least 2 dimensions"),
        (lambda x: F.pad(x, (1, 1), "foo"), NotImplementedError, "Unrecognised padding mode foo"),
        (
            lambda x: F.pad(x, (3, 1), "reflect"),
            RuntimeError,
            "Argument #4: Padding size should be less than the corresponding input dimension, but got: padding (3, 1) "
            "at dimension 1 of input [2, 3]",
        ),
    ],
)
def test_errors(call, kind, text):
    with pytest.raises(kind) as caught:
        call(torch.ones(2, 3))
    assert str(caught.value) == text
