"""In-place views: geometry, identity, versions, and gradients through leaves' results, views and bases.

Also fill_diagonal_, and views' copies.
"""

import numpy as np
import pytest

import flambeau as torch
from flambeau.autograd import gradcheck

CASES = [
    ("t_", (), (3, 2), (1, 3)),
    ("transpose_", (0, 1), (3, 2), (1, 3)),
    ("swapaxes_", (0, 1), (3, 2), (1, 3)),
    ("swapdims_", (-1, 0), (3, 2), (1, 3)),
    ("unsqueeze_", (1,), (2, 1, 3), (3, 3, 1)),
    ("squeeze_", (), (2, 3), (3, 1)),
    ("as_strided_", ((3, 2), (2, 1)), (3, 2), (2, 1)),
]


@pytest.mark.parametrize("name,args,shape,stride", CASES)
def test_geometry(name, args, shape, stride):
    x = torch.arange(6.0).reshape(2, 3)
    pointer, version = x.data_ptr(), x._version
    y = getattr(x, name)(*args)
    assert y is x
    assert tuple(x.shape) == shape and x.stride() == stride
    assert x.data_ptr() == pointer
    assert x._version == version + 1


@pytest.mark.parametrize("name,args,shape,stride", CASES)
def test_gradient_of_a_result(name, args, shape, stride):
    leaf = torch.arange(6.0).reshape(2, 3).requires_grad_()
    x = leaf * 2
    getattr(x, name)(*args)
    weight = torch.arange(1.0, 7.0).reshape(shape)
    (x * weight).sum().backward()
    expected = torch.zeros(6)
    order = torch.arange(6).as_strided(shape, stride).reshape(-1)
    expected[order] = 2 * weight.reshape(-1)
    assert torch.equal(leaf.grad, expected.reshape(2, 3))


def test_gradient_of_a_view():
    leaf = torch.arange(6.0).reshape(2, 3).requires_grad_()
    base = leaf * 1
    view = base[:, 1:]
    view.t_()
    assert view.shape == (2, 2) and base.shape == (2, 3)
    view.mul_(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    base.sum().backward()
    assert leaf.grad.tolist() == [[1.0, 1.0, 3.0], [1.0, 2.0, 4.0]]


def test_squeeze_dims():
    x = torch.zeros(1, 2, 1, 3, 1)
    assert x.squeeze_(0).shape == (2, 1, 3, 1)
    assert x.squeeze_((1, 3)).shape == (2, 3)
    assert x.squeeze_(0).shape == (2, 3)


def test_leaf_is_refused():
    x = torch.ones(2, 3, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        x.t_()
    with torch.no_grad():
        x.t_()
    x.sum().backward()
    assert x.grad.shape == (3, 2)


def test_leaf_keeps_working_after_a_backward_in_the_old_shape():
    x = torch.ones(2, 3, requires_grad=True)
    held = x * 2
    with torch.no_grad():
        x.unsqueeze_(0)
    (x * 3).sum().backward()
    assert x.grad.shape == (1, 2, 3)
    assert held.shape == (2, 3)


def test_t_refuses_three_dimensions():
    with pytest.raises(RuntimeError, match=r"t_\(\) expects a tensor with <= 2 dimensions, but self is 3D"):
        torch.ones(1, 2, 3).t_()


def test_detach_():
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    assert y.detach_() is y and not y.requires_grad and y.is_leaf
    assert torch.detach_(x) is x and not x.requires_grad
    with pytest.raises(RuntimeError, match="Can't detach views in-place. Use detach\\(\\) instead."):
        (torch.ones(3, requires_grad=True) * 2)[1:].detach_()


@pytest.mark.parametrize("shape", [(3, 4), (4, 3), (7, 3), (3, 3, 3)])
@pytest.mark.parametrize("wrap", [False, True])
def test_fill_diagonal_(shape, wrap):
    expected = np.zeros(shape)
    np.fill_diagonal(expected, 5, wrap=wrap)
    x = torch.zeros(*shape, dtype=torch.float64)
    assert x.fill_diagonal_(5, wrap) is x
    np.testing.assert_array_equal(x.numpy(), expected)


def test_fill_diagonal_refusals_and_gradient():
    with pytest.raises(RuntimeError, match="dimensions must larger than 1"):
        torch.zeros(3).fill_diagonal_(1)
    with pytest.raises(RuntimeError, match="all dimensions of input must be of equal length"):
        torch.zeros(2, 3, 2).fill_diagonal_(1)
    leaf = torch.ones(2, 2, requires_grad=True)
    (leaf * 3).fill_diagonal_(0).sum().backward()
    assert leaf.grad.tolist() == [[0, 3], [3, 0]]


def test_gradients_with_other_changes():
    def f(x):
        y = x * 2
        y.t_().unsqueeze_(1)
        y[0] *= 3
        return y

    assert gradcheck(f, (torch.randn(2, 3, dtype=torch.float64, requires_grad=True),))


def test_copies_of_views():
    x = torch.arange(6.0).reshape(2, 3)
    y = torch.transpose_copy(x, 0, 1)
    assert y.is_contiguous() and y.tolist() == x.t().tolist()
    z = torch.view_copy(x, (3, 2))
    z.zero_()
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert [p.tolist() for p in torch.unbind_copy(x)] == [[0, 1, 2], [3, 4, 5]]
