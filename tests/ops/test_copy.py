"""Copies, casts and fills of any strides against NumPy, and their gradients."""

import numpy as np
import pytest

import flambeau

DTYPES = ["uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "bool"]


def strided_views(array):
    """The same values under strides that take every path: dense, transposed, sliced, expanded, reversed order."""
    x = flambeau.from_numpy(array)
    yield x
    yield flambeau.from_numpy(np.ascontiguousarray(array.T)).t()
    wide = np.zeros((array.shape[0], 2 * array.shape[1]), array.dtype)
    wide[:, ::2] = array
    yield flambeau.from_numpy(wide)[:, ::2]
    yield flambeau.from_numpy(np.ascontiguousarray(array)[None])[0]


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (8, 8), (33, 65), (64, 700)])
def test_copy_between_strides(shape):
    array = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    for source in strided_views(array):
        for target in strided_views(np.zeros(shape, np.float32)):
            target.copy_(source)
            np.testing.assert_array_equal(target.numpy(), array)


@pytest.mark.parametrize("source", DTYPES)
@pytest.mark.parametrize("target", DTYPES)
def test_casts_follow_numpy_within_range(source, target):
    values = np.array([0, 1, 2, 3, 100, 7, 0, 1] * 10).astype(source).reshape(8, 10)
    wanted = values.astype(target)
    for x in strided_views(values):
        got = x.to(getattr(flambeau, target))
        assert got.dtype is getattr(flambeau, target)
        np.testing.assert_array_equal(got.numpy(), wanted)


def test_floats_outside_an_integer_type_convert_as_x86_does():
    x = flambeau.tensor([-1.5, 3e9, 300.0, float("nan")])
    assert x.to(flambeau.uint8).tolist() == [255, 0, 44, 0]
    assert x.to(flambeau.int8).tolist() == [-1, 0, 44, 0]
    assert x.to(flambeau.int32).tolist() == [-1, -(2**31), 300, -(2**31)]
    assert x.to(flambeau.int64).tolist() == [-1, 3000000000, 300, -(2**63)]
    assert x.to(flambeau.bool).tolist() == [True] * 4


def test_half_precision_rounds_to_even_and_overflows():
    x = flambeau.tensor([1 + 2**-11, 1 + 3 * 2**-11, 65520.0, 2.0**-25])
    assert x.half().tolist() == [1.0, 1 + 2**-9, float("inf"), 0.0]
    assert flambeau.tensor([1 + 2**-8, 1 + 3 * 2**-8]).bfloat16().tolist() == [1.0, 1 + 2**-6]


def test_permuted_memory_is_cloned_as_it_lies():
    x = flambeau.zeros(2, 3, 4).permute(2, 0, 1)
    assert x.clone().stride() == x.stride()
    assert x.contiguous().stride() == (6, 3, 1)
    assert x.double().stride() == x.stride()


def test_copy_broadcasts_and_refuses_what_it_cannot():
    x = flambeau.zeros(2, 3)
    assert x.copy_(flambeau.tensor([1.0, 2.0, 3.0])).tolist() == [[1.0, 2.0, 3.0]] * 2
    with pytest.raises(RuntimeError, match=r"output with shape \[3\] doesn't match the broadcast shape \[2, 3\]"):
        flambeau.zeros(3).copy_(x)
    with pytest.raises(RuntimeError, match="The size of tensor a .3. must match the size of tensor b .4."):
        x.copy_(flambeau.zeros(4))


def test_gradients_pass_through_copies():
    x = flambeau.ones(3, requires_grad=True)
    y = flambeau.zeros(2, 3)
    y.copy_(x)
    (y * flambeau.tensor([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]])).sum().backward()
    assert x.grad.tolist() == [11.0, 22.0, 33.0]
    z = x * 2
    z.fill_(5)
    assert flambeau.autograd.grad(z.sum(), x)[0].tolist() == [0.0] * 3
    assert flambeau.autograd.grad(x.double().sum(), x)[0].dtype is flambeau.float32


def test_part_of_a_tensor_copied_over_itself():
    x = flambeau.arange(6.0)
    x[1:].copy_(x[:-1])
    assert x.tolist() == [0.0, 0.0, 1.0, 2.0, 3.0, 4.0]
