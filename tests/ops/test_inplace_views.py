"""Views taken in place, fill_diagonal_, and the *_copy operators."""

import numpy as np
import pytest

import flambeau as torch
from flambeau.autograd import gradcheck


def test_geometry():
    x = torch.arange(6.0).reshape(2, 3)
    same = x
    assert x.unsqueeze_(0) is same and x.shape == (1, 2, 3)
    assert x.squeeze_(0).shape == (2, 3)
    assert x.t_().tolist() == [[0, 3], [1, 4], [2, 5]]
    assert x.transpose_(0, 1).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert x.swapaxes_(0, 1).stride() == (1, 3)
    assert x.as_strided_((2, 2), (1, 1), 1).tolist() == [[1, 2], [2, 3]]
    assert torch.ones(1, 2, 1).squeeze_().shape == (2,)


def test_history():
    x = torch.randn(2, 3, dtype=torch.float64, requires_grad=True)

    def f(x):
        y = x * 2
        y.t_().unsqueeze_(1)
        y[0] *= 3
        return y

    assert f(x).shape == (3, 1, 2)
    assert gradcheck(f, (x,))
    with pytest.raises(
        RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation."
    ):
        x.t_()
    with torch.no_grad():
        assert x.t_().shape == (3, 2)


@pytest.mark.parametrize("shape", [(3, 4), (4, 3), (7, 3), (3, 3, 3)])
@pytest.mark.parametrize("wrap", [False, True])
def test_fill_diagonal(shape, wrap):
    expected = np.zeros(shape)
    np.fill_diagonal(expected, 5, wrap=wrap)
    x = torch.zeros(*shape, dtype=torch.float64)
    assert x.fill_diagonal_(5, wrap) is x
    np.testing.assert_array_equal(x.numpy(), expected)


def test_copies():
    x = torch.arange(6.0).reshape(2, 3)
    y = torch.transpose_copy(x, 0, 1)
    assert y.is_contiguous() and y.tolist() == x.t().tolist()
    z = torch.view_copy(x, (3, 2))
    z.zero_()
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert [p.tolist() for p in torch.unbind_copy(x)] == [[0, 1, 2], [3, 4, 5]]
