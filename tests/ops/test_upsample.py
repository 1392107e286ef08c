"""Resizing: known values, agreement between dimensions, and gradients."""

import numpy as np
import pytest

import flambeau
from flambeau.autograd import gradcheck, gradgradcheck

nn = flambeau._C._nn


def doubles(*shape, seed=0):
    return flambeau.from_numpy(np.random.default_rng(seed).normal(size=shape)).requires_grad_()


def row(values):
    return flambeau.tensor([[values]])


def test_nearest():
    x = row([1.0, 2.0, 3.0])
    assert nn.upsample_nearest1d(x, (6,)).tolist() == [[[1, 1, 2, 2, 3, 3]]]
    assert nn.upsample_nearest1d(x, (4,)).tolist() == [[[1, 1, 2, 3]]]
    assert nn._upsample_nearest_exact1d(x, (4,)).tolist() == [[[1, 2, 2, 3]]]
    assert nn.upsample_nearest1d(x, None, [2.0]).tolist() == [[[1, 1, 2, 2, 3, 3]]]
    assert nn.upsample_nearest2d(x[None], (2, 3)).tolist() == [[[[1, 2, 3], [1, 2, 3]]]]
    bytes_ = flambeau.tensor([[[1, 200]]], dtype=flambeau.uint8)
    assert nn.upsample_nearest1d(bytes_, (4,)).tolist() == [[[1, 1, 200, 200]]]


def test_linear():
    x = row([0.0, 1.0])
    assert nn.upsample_linear1d(x, (4,), False).tolist() == [[[0.0, 0.25, 0.75, 1.0]]]
    assert nn.upsample_linear1d(x, (5,), True).tolist() == [[[0.0, 0.25, 0.5, 0.75, 1.0]]]


@pytest.mark.parametrize("align", [False, True])
def test_planes_are_products_of_lines(align):
    x = doubles(2, 3, 4, 5).detach()
    got = nn.upsample_bilinear2d(x, (7, 3), align)
    by_rows = nn.upsample_linear1d(x.reshape(24, 1, 5), (3,), align).reshape(2, 3, 4, 3)
    columns = by_rows.transpose(2, 3).reshape(18, 1, 4)
    both = nn.upsample_linear1d(columns, (7,), align).reshape(2, 3, 3, 7).transpose(2, 3)
    np.testing.assert_allclose(got.numpy(), both.numpy())
    deep = nn.upsample_trilinear3d(x[:, :, None], (1, 7, 3), align)
    np.testing.assert_allclose(deep[:, :, 0].numpy(), got.numpy())


def test_cubic():
    ones = flambeau.full((1, 1, 4, 8), 3.0)
    np.testing.assert_allclose(nn.upsample_bicubic2d(ones, (5, 16), False).numpy(), 3.0, rtol=1e-6)
    # Halfway between two points, Keys' kernel with a = -3/4 weighs -3/32, 19/32, 19/32, -3/32.
    x = flambeau.tensor([0.0, 1.0, 4.0, 9.0]).reshape(1, 1, 1, 4)
    middle = nn.upsample_bicubic2d(x, (1, 7), True)[0, 0, 0, 3]
    assert middle.item() == (19 * (1 + 4) - 3 * (0 + 9)) / 32


@pytest.mark.parametrize(
    "function",
    [
        lambda t: nn.upsample_nearest2d(t, (7, 3)),
        lambda t: nn._upsample_nearest_exact2d(t, (7, 3)),
        lambda t: nn.upsample_bilinear2d(t, (7, 3), False),
        lambda t: nn.upsample_bilinear2d(t, (7, 3), True),
        lambda t: nn.upsample_bicubic2d(t, (3, 7), False),
        lambda t: nn.upsample_linear1d(t[0], (7,), False),
        lambda t: nn.upsample_trilinear3d(t[None], (3, 4, 2), False),
    ],
)
def test_gradients(function):
    x = doubles(1, 2, 3, 4)
    assert gradcheck(function, (x,))
    assert gradgradcheck(function, (x,))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda x: nn.upsample_nearest2d(x[0], (8, 8)),
            "It is expected input_size equals to 4, but got size 3",
        ),
        (lambda x: nn.upsample_nearest2d(x, (8,)), "It is expected output_size equals to 2, but got size 1"),
        (
            lambda x: nn.upsample_nearest2d(x, (0, 8)),
            "Input and output sizes should be greater than 0, but got input (H: 4, W: 4) output (H: 0, W: 8)",
        ),
        (
            lambda x: nn.upsample_nearest2d(x, None, None),
            "Must specify exactly one of output_size and scale_factors",
        ),
        (
            lambda x: nn.upsample_nearest2d(x[:, :0], (8, 8)),
            "Non-empty 4D data tensor expected but got a tensor with sizes [2, 0, 4, 4]",
        ),
    ],
)
def test_errors(call, text):
    with pytest.raises(RuntimeError) as raised:
        call(flambeau.zeros(2, 3, 4, 4))
    assert str(raised.value) == text
