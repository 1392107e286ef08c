"""Norms against NumPy, with subgradients at the origin."""

import math

import numpy as np
import pytest

import flambeau
from flambeau.autograd import gradcheck, gradgradcheck

vector_norm = flambeau._C._linalg.linalg_vector_norm
matrix_norm = flambeau._C._linalg.linalg_matrix_norm
ORDERS = [0, 0.5, 1, 1.5, 2, 3, math.inf, -math.inf, -1]


def doubles(*shape, seed=0):
    values = np.random.default_rng(seed).normal(size=shape)
    return flambeau.tensor(values.tolist(), dtype=flambeau.float64, requires_grad=True)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("n", [1, 7, 8, 12, 33])
def test_against_numpy(order, n):
    a = np.random.default_rng(n).normal(size=(n, 5)).astype(np.float32)
    x = flambeau.from_numpy(a)
    for dim in (0, 1):
        np.testing.assert_allclose(
            vector_norm(x, order, dim).numpy(), np.linalg.norm(a.astype(np.float64), order, dim), rtol=1e-5
        )
    np.testing.assert_allclose(
        vector_norm(x, order).item(), np.linalg.norm(a.ravel().astype(np.float64), order), rtol=1e-5
    )


@pytest.mark.parametrize("order", [1, -1, math.inf, -math.inf, "fro"])
def test_matrix_norms(order):
    a = np.random.default_rng(0).normal(size=(3, 4, 5))
    for dims in [(0, 1), (-1, 0), (1, 2)]:
        got = matrix_norm(flambeau.from_numpy(a), order, dims)
        np.testing.assert_allclose(got.numpy(), np.linalg.norm(a, order, dims))


@pytest.mark.parametrize("order", ORDERS[1:])
def test_gradients(order):
    x = doubles(3, 4)
    assert gradcheck(lambda y: vector_norm(y, order, 1), (x,))
    assert gradgradcheck(lambda y: vector_norm(y, order), (x,))
    assert gradcheck(lambda y: flambeau.dist(x, y, order), (doubles(4, seed=1),))


def test_origin_has_a_subgradient():
    for order in (1, 1.5, 2, 3):
        x = flambeau.zeros(3, requires_grad=True)
        vector_norm(x, order).backward()
        assert x.grad.tolist() == [0, 0, 0]


def test_renorm():
    x = flambeau.tensor([[3.0, 4.0], [0.3, 0.4]])
    got = flambeau.renorm(x, 2, 0, 1)
    np.testing.assert_allclose(got.numpy(), [[0.6, 0.8], [0.3, 0.4]], rtol=1e-6)
    assert gradcheck(lambda y: flambeau.renorm(y, 2, 1, 0.5), (doubles(3, 4),))
    x.renorm_(2, 0, 1)
    np.testing.assert_array_equal(x.numpy(), got.numpy())


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: vector_norm(flambeau.tensor([1])),
            "linalg.vector_norm: Expected a floating point or complex tensor as input. Got Long",
        ),
        (
            lambda: vector_norm(flambeau.empty(0), math.inf),
            "linalg.vector_norm cannot compute the inf norm on an empty tensor because the operation does not have "
            "an identity",
        ),
        (lambda: flambeau.ones(3).renorm(2, 0, 1), "renorm: input needs at least 2 dimensions, got 1 dimensions"),
        (lambda: matrix_norm(flambeau.ones(3, 3), 3), "linalg.matrix_norm: Order 3 not supported."),
    ],
)
def test_errors_are_pytorchs(call, text):
    with pytest.raises(RuntimeError) as caught:
        call()
    assert str(caught.value) == text
