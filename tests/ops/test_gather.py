"""gather, scatter, index_* and masks against plain loops, their gradients against differences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flambeau as torch
from flambeau.autograd import gradcheck, gradgradcheck

REDUCE = {"sum": np.add, "prod": np.multiply, "amax": np.maximum, "amin": np.minimum}


@st.composite
def lines(draw):
    """self, a dim, and an index and src that fit scatter."""
    shape = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    dim = draw(st.integers(0, len(shape) - 1))
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    x = rng.integers(-4, 5, shape).astype(draw(st.sampled_from([np.float32, np.float64, np.int64, np.int32])))
    index_shape = [draw(st.integers(1, 5 if d == dim else n)) for d, n in enumerate(shape)]
    index = rng.integers(0, shape[dim], index_shape).astype(draw(st.sampled_from([np.int64, np.int32])))
    src = rng.integers(-4, 5, [n + draw(st.integers(0, 1)) for n in index_shape]).astype(x.dtype)
    return x, dim, index, src


def places(index, dim):
    for at in np.ndindex(index.shape):
        place = list(at)
        place[dim] = index[at]
        yield at, tuple(place)


@settings(max_examples=150, deadline=None)
@given(lines(), st.booleans())
def test_gather_and_scatter(case, transposed):
    x, dim, index, src = case
    t = torch.from_numpy(x)
    if transposed:  # the same values through other strides
        t = torch.from_numpy(x.T.copy()).permute(tuple(reversed(range(x.ndim))))
    at, values = torch.from_numpy(index), torch.from_numpy(src)
    expected = np.array([x[p] for _, p in places(index, dim)]).reshape(index.shape)
    np.testing.assert_array_equal(t.gather(dim, at).numpy(), expected)
    written, added = x.copy(), x.copy()
    for i, p in places(index, dim):
        written[p] = src[i]
        added[p] += src[i]
    np.testing.assert_array_equal(t.scatter(dim, at, values).numpy(), written)
    np.testing.assert_array_equal(t.scatter_add(dim, at, values).numpy(), added)
    inplace = t.clone()
    assert inplace.scatter_(dim, at, values) is inplace
    np.testing.assert_array_equal(inplace.numpy(), written)


@settings(max_examples=80, deadline=None)
@given(lines(), st.sampled_from(sorted(REDUCE)), st.booleans())
def test_scatter_reduce(case, reduce, include_self):
    x, dim, index, src = case
    expected, touched = x.copy(), np.zeros(x.shape, bool)
    for i, p in places(index, dim):
        first = not include_self and not touched[p]
        expected[p] = src[i] if first else REDUCE[reduce](expected[p], src[i])
        touched[p] = True
    result = torch.from_numpy(x).scatter_reduce(
        dim, torch.from_numpy(index), torch.from_numpy(src), reduce, include_self=include_self
    )
    np.testing.assert_array_equal(result.numpy(), expected)


def test_scatter_reduce_mean():
    x = torch.tensor([1.0, 10.0])
    at, src = torch.tensor([0, 0]), torch.tensor([2.0, 6.0])
    assert x.scatter_reduce(0, at, src, "mean").tolist() == [3, 10]
    assert x.scatter_reduce(0, at, src, "mean", include_self=False).tolist() == [4, 10]
    assert x.long().scatter_reduce(0, at, src.long(), "mean", include_self=False).tolist() == [4, 10]


@settings(max_examples=100, deadline=None)
@given(lines())
def test_along_a_dim(case):
    x, dim, index, _ = case
    positions = index.reshape(-1)[:3].astype(np.int64)
    t, at = torch.from_numpy(x), torch.from_numpy(positions)
    picked = np.take(x, positions, axis=dim)
    np.testing.assert_array_equal(t.index_select(dim, at).numpy(), picked)
    source = picked + 1
    expected = np.moveaxis(x.copy(), dim, 0)
    added, copied, filled = expected.copy(), expected.copy(), expected.copy()
    for k, p in enumerate(positions):
        row = np.moveaxis(source, dim, 0)[k]
        added[p] += row
        copied[p] = row
        filled[p] = 7
    for name, args, wanted in (
        ("index_add", (torch.from_numpy(source.copy()),), added),
        ("index_copy", (torch.from_numpy(source.copy()),), copied),
        ("index_fill", (7,), filled),
    ):
        np.testing.assert_array_equal(getattr(t, name)(dim, at, *args).numpy(), np.moveaxis(wanted, 0, dim))
        inplace = t.clone()
        getattr(inplace, name + "_")(dim, at, *args)
        np.testing.assert_array_equal(inplace.numpy(), np.moveaxis(wanted, 0, dim))


def test_take_put_and_along():
    x = torch.arange(6.0).reshape(2, 3)
    assert x.t().take(torch.tensor([[1, -1]])).tolist() == [[3, 5]]
    assert x.put(torch.tensor([0, -1]), torch.tensor([7.0, 8.0])).tolist() == [[7, 1, 2], [3, 4, 8]]
    assert x.put(torch.tensor([1, 1]), torch.tensor([7.0, 8.0]), accumulate=True).tolist() == [[0, 16, 2], [3, 4, 5]]
    assert torch.take_along_dim(x, torch.tensor([[-1], [0]]), 1).tolist() == [[2], [3]]


def test_masks():
    x = torch.arange(6).reshape(2, 3)
    mask = torch.tensor([True, False, True])
    assert x.masked_select(mask).tolist() == [0, 2, 3, 5]
    assert x.masked_scatter(mask, torch.tensor([9, 8, 7, 6, 5])).tolist() == [[9, 1, 8], [7, 4, 6]]
    assert torch.nonzero(x).tolist() == [[0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]
    assert [c.tolist() for c in torch.nonzero(x, as_tuple=True)] == [[0, 0, 1, 1, 1], [1, 2, 0, 1, 2]]
    assert torch.nonzero(torch.tensor(3)).shape == (1, 0)
    assert torch.argwhere(torch.tensor([0.0, float("nan"), -0.0])).tolist() == [[1]]
    assert torch.nonzero_static(x, size=2).tolist() == [[0, 1], [0, 2]]
    assert torch.nonzero_static(torch.zeros(1), size=2).tolist() == [[-1], [-1]]


def test_many_rows_in_parallel():
    rng = np.random.default_rng(0)
    x, at = rng.standard_normal((300, 257)).astype(np.float32), rng.integers(0, 300, 2000)
    t, index = torch.from_numpy(x), torch.from_numpy(at)
    np.testing.assert_array_equal(t[index].numpy(), x[at])
    source = rng.standard_normal((2000, 257)).astype(np.float32)
    expected = x.copy()
    for k, p in enumerate(at):
        expected[p] += source[k]
    np.testing.assert_array_equal(t.index_add(0, index, torch.from_numpy(source)).numpy(), expected)
    np.testing.assert_array_equal(
        torch.index_put(t, (index,), torch.from_numpy(source), accumulate=True).numpy(), expected
    )
    spread = index.unsqueeze(1).expand(2000, 257)
    np.testing.assert_array_equal(t.scatter_add(0, spread, torch.from_numpy(source)).numpy(), expected)


def test_scalars_stand_for_vectors():
    x, at = torch.zeros(3), torch.tensor([1])
    assert x.scatter(0, at, torch.tensor(5.0)).tolist() == [0, 5, 0]
    assert x.scatter(0, torch.tensor(2), torch.tensor([5.0])).tolist() == [0, 0, 5]
    assert torch.tensor(7.0).gather(0, torch.tensor([0, 0])).tolist() == [7, 7]
    assert torch.arange(3).gather(0, torch.tensor(2)).item() == 2
    assert torch.tensor(7.0).index_select(0, torch.tensor([0])).item() == 7


def test_offsets_of_bags_are_checked():
    weight, at = torch.ones(3, 2), torch.tensor([0, 1])
    for offsets in ([0, 5, 1], [0, 2, 1], [0, -3, 1]):
        with pytest.raises(RuntimeError, match="embedding_bag: expected offsets that do not fall"):
            torch.embedding_bag(weight, at, torch.tensor(offsets))
    with pytest.raises(IndexError):
        torch.embedding_dense_backward(torch.ones(2, 2), torch.tensor([0, 9]), 3, -1, True)


def test_source_in_the_same_memory():
    x = torch.arange(4.0)
    x.index_copy_(0, torch.tensor([1, 2, 3]), x[:3])
    assert x.tolist() == [0, 0, 1, 2]
    x = torch.tensor([1, 0, 3, 2])
    x.scatter_(0, x, torch.tensor([5, 6, 7, 8]))
    assert x.tolist() == [6, 5, 8, 7]


def leaf(*shape, seed=0):
    values = np.random.default_rng(seed).standard_normal(shape)
    return torch.from_numpy(values).requires_grad_()


GRADIENTS = {
    "gather": lambda x, s: x.gather(1, torch.tensor([[0, 0], [2, 1]])),
    "scatter": lambda x, s: x.scatter(0, torch.tensor([[1, 0, 1], [0, 1, 0]]), s),
    "scatter_value": lambda x, s: x.scatter(0, torch.tensor([[1, 0]]), 2.0) * s,
    "scatter_add": lambda x, s: x.scatter_add(1, torch.tensor([[0, 0, 1], [2, 2, 2]]), s),
    "sum": lambda x, s: x.scatter_reduce(1, torch.tensor([[0, 0, 1], [2, 2, 2]]), s, "sum", include_self=False),
    "prod": lambda x, s: x.scatter_reduce(1, torch.tensor([[0, 0, 1], [2, 2, 2]]), s, "prod"),
    "mean": lambda x, s: x.scatter_reduce(1, torch.tensor([[0, 0, 1], [2, 2, 2]]), s, "mean"),
    "amax": lambda x, s: x.scatter_reduce(1, torch.tensor([[0, 0, 1], [2, 2, 2]]), s, "amax"),
    "amin": lambda x, s: x.scatter_reduce(1, torch.tensor([[0, 0, 1], [2, 2, 2]]), s, "amin", include_self=False),
    "index_select": lambda x, s: x.index_select(1, torch.tensor([2, 2, 0])) * s,
    "index_add": lambda x, s: x.index_add(0, torch.tensor([1, 1]), s, alpha=3),
    "index_copy": lambda x, s: x.index_copy(0, torch.tensor([1, 0]), s),
    "index_fill": lambda x, s: x.index_fill(1, torch.tensor([0, 2]), s[0, 0]),
    "index_reduce": lambda x, s: x.index_reduce(0, torch.tensor([1, 1]), s, "mean"),
    "take": lambda x, s: x.take(torch.tensor([0, 5, 5])),
    "put": lambda x, s: x.put(torch.tensor([0, 5]), s[0, :2]),
    "put_accumulate": lambda x, s: x.put(torch.tensor([5, 5]), s[0, :2], accumulate=True),
    "masked_select": lambda x, s: x.masked_select(torch.tensor([True, False, True])),
    "masked_scatter": lambda x, s: x.masked_scatter(torch.tensor([[True], [False]]), s),
    "take_along_dim": lambda x, s: torch.take_along_dim(x, torch.tensor([[-1, 0]]), 1),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradient(name):
    x, s = leaf(2, 3), leaf(2, 3, seed=1)
    assert gradcheck(GRADIENTS[name], (x, s))
    assert gradgradcheck(lambda x, s: GRADIENTS[name](x, s) ** 2, (x, s))


def test_prod_with_zeros():
    s = torch.tensor([0.0, 3.0, 0.0], dtype=torch.float64, requires_grad=True)
    x = torch.ones(2, dtype=torch.float64)
    x.scatter_reduce(0, torch.tensor([0, 0, 1]), s, "prod").sum().backward()
    assert s.grad.tolist() == [3, 0, 1]


def test_refused_gradient():
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(NotImplementedError, match="derivative for aten::scatter is not implemented"):
        x.scatter(0, torch.tensor([0]), torch.ones(1), reduce="add").sum().backward()


def test_embedding():
    weight = torch.arange(6.0).reshape(3, 2).requires_grad_()
    at = torch.tensor([[0, 2], [2, 1]])
    out = torch.embedding(weight, at)
    assert out.tolist() == [[[0, 1], [4, 5]], [[4, 5], [2, 3]]]
    torch.embedding(weight, at, padding_idx=1).sum().backward()
    assert weight.grad.tolist() == [[1, 1], [0, 0], [2, 2]]
    weight.grad = None
    torch.embedding(weight, at, scale_grad_by_freq=True).sum().backward()
    assert weight.grad.tolist() == [[1, 1], [1, 1], [1, 1]]
    x, at = leaf(3, 2), torch.tensor([[1, 2], [2, 2]])
    assert gradcheck(lambda w: torch.embedding(w, at, padding_idx=0) ** 2, (x,))
    assert gradgradcheck(lambda w: torch.embedding(w, at, padding_idx=0) ** 3, (x,))


def test_embedding_renorm():
    weight = torch.tensor([[3.0, 4.0], [0.3, 0.4], [6.0, 8.0]])
    torch.embedding_renorm_(weight, torch.tensor([0, 1, 0]), 1.0, 2.0)
    np.testing.assert_allclose(weight.numpy(), [[0.6, 0.8], [0.3, 0.4], [6.0, 8.0]], rtol=1e-6)


@pytest.mark.parametrize(
    ("mode", "rows"),
    [(0, [[2, 4], [0, 0], [6, 8]]), (1, [[1, 2], [0, 0], [3, 4]]), (2, [[2, 3], [0, 0], [4, 5]])],
)
def test_embedding_bag(mode, rows):
    weight = torch.arange(6.0).reshape(3, 2).requires_grad_()
    at, offsets = torch.tensor([0, 1, 2, 1]), torch.tensor([0, 2, 2])
    out, bag_of, sizes, _ = torch.embedding_bag(weight, at, offsets, mode=mode)
    assert out.tolist() == rows
    assert bag_of.tolist() == [0, 0, 2, 2] and sizes.tolist() == [2, 0, 2]
    x = leaf(3, 2)
    assert gradcheck(lambda w: torch.embedding_bag(w, at, offsets, mode=mode)[0] ** 2, (x,))


def test_one_hot():
    assert torch.nn.functional.one_hot(torch.tensor([[0, 2]])).tolist() == [[[1, 0, 0], [0, 0, 1]]]
    assert torch.nn.functional.one_hot(torch.tensor([1]), 4).tolist() == [[0, 1, 0, 0]]


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (
            lambda x: x.gather(0, torch.tensor([[5]])),
            RuntimeError,
            "index 5 is out of bounds for dimension 0 with size 2",
        ),
        (lambda x: x.gather(0, torch.tensor([[0.5]])), RuntimeError, "gather(): Expected dtype int32/int64 for index"),
        (
            lambda x: x.scatter(0, torch.tensor([[0]]), torch.tensor([[1]])),
            RuntimeError,
            "scatter(): Expected self.dtype to be equal to src.dtype",
        ),
        (lambda x: x.index_select(0, torch.tensor([5])), IndexError, "index out of range in self"),
        (
            lambda x: x.index_fill(0, torch.tensor([5]), 1),
            IndexError,
            "index 5 is out of bounds for dimension 0 with size 2",
        ),
        (
            lambda x: x.take(torch.tensor([6])),
            IndexError,
            "out of range: tried to access index 6 on a tensor of 6 elements.",
        ),
    ],
)
def test_errors(call, kind, text):
    x = torch.ones(2, 3)
    with pytest.raises(kind) as caught:
        call(x)
    assert str(caught.value) == text
    assert x.tolist() == [[1] * 3] * 2


def test_nothing_is_written_before_all_indices_are_checked():
    x = torch.zeros(3)
    with pytest.raises(RuntimeError):
        x.scatter_(0, torch.tensor([0, 9]), 1.0)
    with pytest.raises(IndexError):
        x.index_fill_(0, torch.tensor([0, 9]), 1.0)
    with pytest.raises(IndexError):
        x[torch.tensor([0, 9])] = 1.0
    assert x.tolist() == [0, 0, 0]
