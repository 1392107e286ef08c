"""x[...] and x[...] = v against NumPy, and their gradients against the obvious loops."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flambeau as torch
from flambeau.autograd import gradcheck

DTYPES = [np.float32, np.float64, np.int64, np.int32, np.uint8, np.bool_]


def tensor(array):
    return torch.from_numpy(np.array(array))


@st.composite
def slices(draw, size):
    bound = st.none() | st.integers(-size - 1, size + 1)
    return slice(draw(bound), draw(bound), draw(st.none() | st.integers(1, 3)))


@st.composite
def index_arrays(draw, size, shape):
    n = int(np.prod(shape))
    values = draw(st.lists(st.integers(-size, size - 1), min_size=n, max_size=n))
    return np.array(values, dtype=draw(st.sampled_from([np.int64, np.int32]))).reshape(shape)


@st.composite
def cases(draw):
    """An array and an index for it: a tuple of every kind of entry, as NumPy takes them."""
    shape = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=4)))
    array = np.arange(np.prod(shape)).reshape(shape).astype(draw(st.sampled_from(DTYPES)))
    if draw(st.booleans()):
        array = array.transpose()
        shape = array.shape
    common = tuple(draw(st.lists(st.integers(1, 3), max_size=2)))
    index, d, ellipsis = [], 0, False
    while d < len(shape):
        size = shape[d]
        kind = draw(st.sampled_from(["int", "slice", "array", "list", "mask", "none", "ellipsis", "end"]))
        if kind == "end":
            if ellipsis:  # what follows "..." belongs to the last dimensions: all of them must come
                continue
            break
        if kind == "none":
            index.append(None)
            continue
        if kind == "ellipsis":
            if not ellipsis:
                index.append(Ellipsis)
                ellipsis = True
                d = draw(st.integers(d, len(shape)))
            continue
        if kind == "int":
            index.append(draw(st.integers(-size, size - 1)))
        elif kind == "slice":
            index.append(draw(slices(size)))
        elif kind == "array":
            suffix = common[draw(st.integers(0, len(common))) :]
            index.append(draw(index_arrays(size, suffix)))
        elif kind == "list":
            index.append(draw(st.lists(st.integers(-size, size - 1), min_size=1, max_size=1)))
        else:
            index.append(draw(st.lists(st.booleans(), min_size=size, max_size=size).map(np.array)))
        d += 1
    return array, tuple(index)


def ours(index):
    return tuple(tensor(i) if isinstance(i, np.ndarray) else i for i in index)


def numpy_result(array, index):
    """NumPy's result, with PyTorch's placement rule; None where the two libraries differ by design.

    NumPy counts an integer beside arrays as one of them, PyTorch selects first: so do we here.
    """
    index = list(index)
    if Ellipsis in [i if not isinstance(i, (np.ndarray, list)) else 0 for i in index]:
        at = next(k for k, i in enumerate(index) if i is Ellipsis)
        used = sum(i is not None and i is not Ellipsis for i in index)
        index[at : at + 1] = [slice(None)] * (array.ndim - used)
    d, rest = 0, []
    for i in index:
        if isinstance(i, (int, np.integer)) or (isinstance(i, np.ndarray) and i.ndim == 0):
            array = np.take(array, int(i), axis=d)
            continue
        if i is None:
            array = np.expand_dims(array, d)
            rest.append(slice(None))
        elif isinstance(i, slice):
            array = array[(slice(None),) * d + (i,)]
            rest.append(slice(None))
        else:
            rest.append(i)
        d += 1
    return array, tuple(rest)


@settings(max_examples=400, deadline=None)
@given(cases())
def test_getitem(case):
    array, index = case
    view, rest = numpy_result(array, index)
    try:
        expected = view[rest]
    except IndexError:  # index arrays that do not broadcast
        with pytest.raises(IndexError):
            torch.from_numpy(array.copy())[ours(index)]
        return
    result = torch.from_numpy(array)[ours(index)].numpy()
    assert result.shape == expected.shape and result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


@settings(max_examples=400, deadline=None)
@given(cases(), st.booleans())
def test_setitem(case, number):
    array, index = case
    array = np.ascontiguousarray(array)
    mine = torch.from_numpy(array.copy())
    view, rest = numpy_result(array, index)
    try:
        shape = view[rest].shape
    except IndexError:
        return
    value = np.array(1) if number else np.arange(np.prod(shape)).reshape(shape)
    value = value.astype(array.dtype)
    flat = np.arange(array.size).reshape(array.shape)
    places = numpy_result(flat, index)[0][rest]
    expected = array.copy().reshape(-1)
    for place, v in zip(places.reshape(-1), np.broadcast_to(value, shape).reshape(-1), strict=True):
        expected[place] = v
    mine[ours(index)] = value.item() if number else tensor(value)
    np.testing.assert_array_equal(mine.numpy(), expected.reshape(array.shape))


@settings(max_examples=60, deadline=None)
@given(cases())
def test_gradient_adds_up(case):
    array, index = case
    array = np.ascontiguousarray(array).astype(np.float64)
    view, rest = numpy_result(np.arange(array.size).reshape(array.shape), index)
    try:
        places = view[rest]
    except IndexError:
        return
    x = torch.from_numpy(array).requires_grad_()
    weight = np.arange(places.size, dtype=np.float64).reshape(places.shape) + 1
    x[ours(index)].backward(tensor(weight))
    expected = np.zeros(array.size)
    np.add.at(expected, places.reshape(-1), weight.reshape(-1))
    np.testing.assert_array_equal(x.grad.numpy().reshape(-1), expected)


def test_gradients():
    x = torch.arange(12.0, dtype=torch.float64).reshape(3, 4).requires_grad_()
    v = torch.ones(2, 4, dtype=torch.float64, requires_grad=True)
    at = torch.tensor([2, 0])
    assert gradcheck(lambda x: x[at], (x,))
    assert gradcheck(lambda x: x[:, at] * x[:, at], (x,))
    assert gradcheck(lambda x, v: torch.index_put(x, (at,), v), (x, v))
    assert gradcheck(lambda x, v: torch.index_put(x, (torch.tensor([1, 1]),), v, True), (x, v))
    assert gradcheck(lambda x: x[x > 4.5], (x,))

    def assign(x, v):
        y = x * 2
        y[at] = v
        y[0, 1:3] = v[0, :2] * 3
        y[y > 99.5] = 0
        return y * y

    assert gradcheck(assign, (x, v))


def test_setitem_through_views():
    x = torch.zeros(3, 4)
    x[1:][0][2] = 5
    x[:, 0] = torch.tensor([1.0, 2.0, 3.0])
    assert x.tolist() == [[1, 0, 0, 0], [2, 0, 5, 0], [3, 0, 0, 0]]


def test_last_value_wins_and_overlap():
    x = torch.arange(4)
    x[torch.tensor([0, 0])] = torch.tensor([7, 8])
    assert x.tolist() == [8, 1, 2, 3]
    x[torch.tensor([3, 2, 1, 0])] = x
    assert x.tolist() == [3, 2, 1, 8]


@pytest.mark.parametrize(
    ("index", "kind", "text"),
    [
        (torch.tensor([5]), IndexError, "index 5 is out of bounds for dimension 0 with size 3"),
        (5, IndexError, "index 5 is out of bounds for dimension 0 with size 3"),
        ((slice(None), -5), IndexError, "index -5 is out of bounds for dimension 1 with size 4"),
        (
            (torch.tensor([0, 1]), torch.tensor([0, 1, 2])),
            IndexError,
            "shape mismatch: indexing tensors could not be broadcast together with shapes [2], [3]",
        ),
        (
            torch.tensor([True, False]),
            IndexError,
            "The shape of the mask [2] at index 0 does not match the shape of the indexed tensor [3, 4] at index 0",
        ),
        ((0, 0, 0), IndexError, "too many indices for tensor of dimension 2"),
        (torch.tensor([0.5]), IndexError, "tensors used as indices must be long, int, byte or bool tensors"),
        (slice(None, None, -1), ValueError, "step must be greater than zero"),
        (
            1.5,
            IndexError,
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
            "(got float)",
        ),
    ],
)
def test_errors(index, kind, text):
    with pytest.raises(kind) as caught:
        torch.zeros(3, 4)[index]
    assert str(caught.value) == text


def test_setitem_errors():
    x = torch.zeros(3, 4)
    with pytest.raises(TypeError, match="can't assign a list to a torch.FloatTensor"):
        x[0] = [1, 2, 3, 4]
    with pytest.raises(RuntimeError, match=r"shape mismatch: value tensor of shape \[3\] cannot be broadcast"):
        x[torch.tensor([0, 1])] = torch.ones(3)
    with pytest.raises(RuntimeError, match="got Float for the destination and Double for the source"):
        x[torch.tensor([0, 1])] = torch.ones(4, dtype=torch.float64)
    with pytest.raises(TypeError, match="Tensor does not support deleting items"):
        del x[0]
