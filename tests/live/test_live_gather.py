"""Indexing, gather, scatter, joins and rearranging beside PyTorch: bits, gradients and errors."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import flambeau  # noqa: E402

X = np.random.default_rng(0).standard_normal((3, 4)).astype(np.float32)
Y = np.random.default_rng(1).standard_normal((2, 3, 4)).astype(np.float32)
SRC = np.random.default_rng(2).standard_normal((3, 4)).astype(np.float32)

# Each takes the library, x (3, 4), y (2, 3, 4) and s (3, 4), all differentiable.
CASES = """
x[t.tensor([0, 2, 0])]
x[:, t.tensor([[0, 1], [3, 3]])]
y[t.tensor([0, 1]), :, t.tensor([3, 0])]
y[:, t.tensor([0, 1]), t.tensor([3, 0])]
x[x.detach() > 0]
y[..., None, 1:3]
x.index_put((t.tensor([0, 0, 1]),), s, accumulate=True)
x.index_put((t.tensor([0, 2]), t.tensor([1, 1])), s[0, :2])
x.gather(1, t.tensor([[0, 0], [3, 1], [2, 2]]))
x.gather(0, t.tensor([[0, 2, 1, 1]]))
t.take_along_dim(x, x.argsort(1), 1)
x.scatter(1, t.tensor([[0, 2], [3, 1]]), s[1:, :2])
x.scatter(0, t.tensor([[0, 2, 1, 1]]), 2.5)
x.scatter_add(0, t.tensor([[0, 0, 1, 1], [0, 2, 1, 1]]), s[:2])
x.scatter_reduce(0, t.tensor([[0, 0, 1, 1], [0, 2, 1, 1]]), s[:2], "sum")
x.scatter_reduce(0, t.tensor([[0, 0, 1, 1], [0, 2, 1, 1]]), s[:2], "prod")
x.scatter_reduce(0, t.tensor([[0, 0, 1, 1], [0, 2, 1, 1]]), s[:2], "mean", include_self=False)
x.scatter_reduce(0, t.tensor([[0, 0, 1, 1], [0, 2, 1, 1]]), s[:2], "amax")
x.scatter_reduce(0, t.tensor([[0, 0, 1, 1], [0, 2, 1, 1]]), s[:2], "amin", include_self=False)
x.index_select(1, t.tensor([3, 3, 0], dtype=t.int32))
x.index_add(0, t.tensor([1, 1, 0]), s)
x.index_add(0, t.tensor([1, 1, 0]), s, alpha=0.5)
x.index_copy(0, t.tensor([2, 0]), s[:2])
x.index_fill(1, t.tensor([0, -1]), 3)
x.index_reduce(0, t.tensor([1, 1, 0]), s, "amax")
x.take(t.tensor([[0, -1], [5, 5]]))
x.put(t.tensor([0, 7]), s[0, :2])
x.masked_select(t.tensor([True, False, True, True]))
x.masked_scatter(x.detach() > 0, s)
t.cat([x, s, y[0]], 1)
t.cat([x, t.ones(0), s])
t.stack([x, s], -1)
t.hstack([x, s])
t.vstack([x, s[0]])
t.dstack([x, s])
t.column_stack([x, s[:, 0]])
t.block_diag(x, s[0], y[0])
t.cartesian_prod(x[0], s[1])
t.combinations(x[0], 2)
t.combinations(x[0], 3, with_replacement=True)
y.flip(0, 2)
x.roll(1)
y.roll((1, -2), (0, 2))
x.rot90()
y.rot90(-1, (1, 2))
x.repeat(2, 1, 3)
x.tile((2,))
x.repeat_interleave(2)
x.repeat_interleave(3, 1)
x.repeat_interleave(t.tensor([1, 0, 2]), 0)
x.tril(-1)
y.triu(1)
x.trace()
x.diag(1)
x[0].diag(-1)
x.diag_embed(1, 0, 2)
x.diagflat()
x.diagonal_scatter(s[:, 0])
x.select_scatter(s[0], 0, 2)
x.slice_scatter(s[:, :2], 1, 1, 4, 2)
t.kron(x, s)
t.vander(x.detach()[0], 3) * x[0, 0]
t.cross(x, s, 0)
t.nn.functional.pad(x, (1, -1, 0, 2), value=2.5)
t.nn.functional.pad(y, (2, 1), "reflect")
t.nn.functional.pad(y, (2, 3), "circular")
t.nn.functional.pad(y, (1, 1, 2, 0), "reflect")
t.nn.functional.pad(y, (3, -1, 2, 0), "replicate")
t.nn.functional.pixel_shuffle(y.reshape(4, 2, 3), 2)
t.nn.functional.pixel_unshuffle(y.reshape(1, 4, 6), 2)
t.nn.functional.unfold(y[None], (2, 2), padding=1, stride=2)
t.nn.functional.fold(x.reshape(1, 4, 3)[:, :, :2], (3, 2), 2)
t.nn.functional.embedding(t.tensor([[0, 2], [2, 1]]), x, padding_idx=1)
t.nn.functional.embedding(t.tensor([[0, 2], [2, 1]]), x, scale_grad_by_freq=True)
t.nn.functional.embedding_bag(t.tensor([0, 2, 2, 1]), x, t.tensor([0, 1, 1]), mode="sum")
t.nn.functional.embedding_bag(t.tensor([0, 2, 2, 1]), x, t.tensor([0, 1, 1]), mode="mean")
t.nn.functional.embedding_bag(t.tensor([0, 2, 2, 1]), x, t.tensor([0, 1, 1]), mode="max")
""".strip().splitlines()


def outcome(lib, code):
    """The value's bits and the gradients', or the error."""
    leaves = [lib.from_numpy(a.copy()).requires_grad_() for a in (X, Y, SRC)]
    result = eval(code, {"t": lib, "np": np}, dict(zip("xys", leaves, strict=True)))
    weight = np.random.default_rng(3).standard_normal(tuple(result.shape)).astype(np.float32)
    result.backward(lib.from_numpy(weight))
    grads = [None if p.grad is None else p.grad.numpy().tobytes() for p in leaves]
    return tuple(result.shape), result.detach().numpy().tobytes(), grads


@pytest.mark.parametrize("code", CASES)
def test_bits(code):
    assert outcome(flambeau, code) == outcome(torch, code)


# Expressions that fail; x (3, 4), z a 0-dim tensor, o = ones, i = tensor.
ERRORS = """
x[i([0, 5])]
x[:, i([0, -5])]
x[i([0, 1]), i([0, 1, 2])]
x[i([True, False])]
x[i([[True, False], [True, False]])]
x[i([0]), i([0]), i([0])]
x[i([0.5])]
x[1.5]
x["a"]
x[{}]
x[5]
x[:, 5]
z[0]
z[:]
x[::-1]
x[::0]
x["a":]
t.gather(x, 0, i([0, 5]))
t.gather(x, 0, i([[0, 5]]))
t.gather(x, 0, i([[0.0, -1]]))
t.gather(x, 2, i([[0]]))
t.gather(x, 1, i([[0]] * 9))
x.scatter(0, i([[5]]), 1.0)
x.scatter(0, i([[0]]), i([[1]]))
x.scatter(0, i([[0, 1]]), i([[1.0]]))
x.scatter(0, i([0]), i([[1.0]]))
x.scatter_add(1, i([[0, 7]] * 2), o(2, 2))
x.scatter_add(1, i([[0, 1]] * 2), o(2, 2).double())
x.scatter_reduce(1, i([[0, 1]] * 2), o(2, 2), reduce="foo")
x.index_select(0, i([0, 7]))
x.index_select(0, i([[0, 7]]))
x.index_select(0, i([0.0]))
x.index_add(0, i([0, 7]), o(2, 4))
x.index_add(0, i([0, 1]), o(2, 5))
x.index_add(0, i([0, 1]), o(3, 4))
x.index_add(0, i([0, 1]), o(2, 4).double())
x.index_add(0, i([0.0, 1]), o(2, 4))
x.index_add(0, i([[0, 1]]), o(2, 4))
o(3).index_add(0, i([0, 8]), o(2))
x.index_copy(0, i([0, 7]), o(2, 4))
x.index_copy(0, i([0, 1]), o(2, 5))
x.index_copy(0, i([0, 1]), o(3, 4))
x.index_copy(0, i([0, 1]), o(2, 4).double())
x.index_copy(0, i([0, 1]), o(2))
x.index_fill(0, i([0, 7]), 1)
x.index_fill(0, i([[0, 1]]), 1)
x.index_fill(0, i([0.0]), 1)
x.index_fill(0, i([0]), i([1.0]))
x.index_reduce(0, i([0, 1]), o(2, 4), "sum")
x.take(i([0, 12]))
x.take(i([0.0]))
o(0).take(i([0]))
x.put(i([0, 13]), o(2))
x.put(i([0, 1]), o(3))
x.put(i([0, 1]), o(2).double())
x.masked_select(i([1, 0]))
x.masked_scatter(i([True, False, True, True]), o(3))
x.masked_scatter(i([1, 1, 1, 1]), o(3))
t.take_along_dim(x, i([0, 9]), 0)
t.take_along_dim(x, i([[0.0, 9]]), 0)
t.embedding(x, i([0, 7]))
t.embedding(x, i([0.0, -1]))
t.embedding(x[0], i([0]))
t.nn.functional.one_hot(i([0, 3, -1]))
t.nn.functional.one_hot(i([0, 3]), 2)
t.nn.functional.one_hot(i([0.0, 3]), 2)
t.cat([])
t.cat([z])
t.cat([x, o(3)])
t.cat([x, o(3, 5)], 0)
t.cat([x, x], 2)
t.stack([])
t.stack([x, o(3)])
t.hstack([])
t.block_diag(o(1, 1, 1))
t.cartesian_prod(x)
t.combinations(x)
t.tensor_split(x, 0)
t.tensor_split(z, 2)
t.hsplit(x, 3)
t.hsplit(z, 2)
t.vsplit(x[0], 2)
t.dsplit(x, 2)
t.meshgrid(x[0], x[1].long(), indexing="ij")
t.meshgrid(x[0], x[1], indexing="zz")
t.flip(x, [0, 0])
t.flip(x, [3])
t.fliplr(x[0])
t.roll(x, (1, 2), (0,))
t.roll(x, (), ())
t.roll(x, 1, 5)
t.rot90(x, 1, [0])
t.rot90(x, 1, [0, 0])
t.rot90(x[0])
x.repeat(2)
x.repeat_interleave(i([1, 2]), 0)
x.repeat_interleave(i([1.0]), 0)
x.repeat_interleave(-1, 0)
t.repeat_interleave(i([-1, 2]))
t.repeat_interleave(i([1, 2]), output_size=5)
x.repeat_interleave(2, 0, output_size=5)
t.tril(x[0])
t.tril_indices(-1, 2)
t.diag(o(1, 1, 1))
t.diag_embed(x, 0, 1, 1)
t.trace(x[0])
x.bool().trace()
t.diagonal_scatter(x, o(2))
t.slice_scatter(x, o(3, 2), 0, 0)
t.vander(x)
t.vander(x[0], -1)
t.cross(x, x, 1)
t.linalg.cross(x, x[0])
t.nn.functional.pad(x, (1,))
t.nn.functional.pad(x, (1, 1, 1, 1, 1, 1))
t.nn.functional.pad(x, (1, 1), "foo")
t.nn.functional.pad(x, (1, 1), "reflect", 1.0)
t.nn.functional.pad(x, (5, 1), "reflect")
t.nn.functional.pad(x, (-5, 0), "replicate")
t.nn.functional.pad(x, (5, 0), "circular")
t.nn.functional.pad(o(1, 1, 3, 3), (1, 1, 5, 5), "reflect")
t.nn.functional.pad(o(1, 0, 3, 3), (1, 1, 1, 1), "reflect")
t.nn.functional.pad(o(1, 3, 3, 3), (-3, -1) * 2, "replicate")
t.nn.functional.pad(x, (1, 1, 1, 1), "reflect")
t.nn.functional.pixel_shuffle(x, 2)
t.nn.functional.pixel_shuffle(o(5, 2, 2), 2)
t.nn.functional.pixel_unshuffle(o(4, 3, 2), 2)
t.nn.functional.channel_shuffle(o(1, 3, 2, 2), 2)
t.nn.functional.unfold(o(1, 1, 2, 2), 3)
t.nn.functional.unfold(o(1, 1, 2, 2), 0)
t.nn.functional.fold(o(1, 5, 4), (3, 3), 2)
t.nn.functional.fold(o(1, 4, 5), (3, 3), 2)
""".strip().splitlines()


def refusal(lib, code):
    names = {"t": lib, "i": lib.tensor, "o": lib.ones, "x": lib.arange(12.0).reshape(3, 4), "z": lib.tensor(1.0)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(Exception) as caught:
            eval(code, names)
    return type(caught.value).__name__, str(caught.value).split("\n")[0]


@pytest.mark.parametrize("code", ERRORS)
def test_errors(code):
    assert refusal(flambeau, code) == refusal(torch, code)
