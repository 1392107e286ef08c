"""The Python fronts of torch.functional; the operators below have tests of their own."""

import pytest

import flambeau as torch
from flambeau import functional as F


def test_einsum_forms():
    a = torch.arange(6.0).reshape(2, 3)
    b = torch.arange(12.0).reshape(3, 4)
    expected = a.matmul(b).tolist()
    assert F.einsum("ij,jk", a, b).tolist() == expected
    assert F.einsum("ij,jk", [a, b]).tolist() == expected
    assert F.einsum(a, [0, 1], b, [1, 2], [0, 2]).tolist() == expected
    assert F.einsum(a, [..., 0], [0]).tolist() == a.sum(0).tolist()
    with pytest.raises(ValueError, match="must specify the equation string"):
        F.einsum("ij")
    with pytest.raises(ValueError, match="not within the valid range"):
        F.einsum(a, [0, 52])


def test_broadcast_shapes():
    assert F.broadcast_shapes((2,), (3, 1), (1, 1, 1)) == torch.Size([1, 3, 2])
    assert F.broadcast_shapes() == torch.Size([])
    assert F.broadcast_shapes(3, (2, 1)) == torch.Size([2, 3])
    with pytest.raises(RuntimeError, match="broadcast a dimension of length 3 at -1"):
        F.broadcast_shapes((2,), (3,))
    with pytest.raises(ValueError, match="negative length"):
        F.broadcast_shapes((-1,))


def test_tensordot_dims():
    a = torch.arange(6.0).reshape(2, 3)
    b = torch.arange(12.0).reshape(3, 4)
    expected = a.matmul(b).tolist()
    for dims in (1, ([1], [0]), torch.tensor(1), torch.tensor([[1], [0]])):
        if isinstance(dims, torch.Tensor) and dims.dim() == 2:
            dims = torch.tensor([[1], [0]])
        assert F.tensordot(a, b, dims).tolist() == expected
    with pytest.raises(RuntimeError, match="dims >= 0, but got dims=-1"):
        F.tensordot(a, b, -1)
    with pytest.raises(RuntimeError, match="dims < ndim_a or ndim_b"):
        F.tensordot(a, b, 3)


def test_unique_results():
    x = torch.tensor([3, 1, 1, 2, 3])
    assert F.unique(x).tolist() == [1, 2, 3]
    values, inverse, counts = F.unique(x, return_inverse=True, return_counts=True)
    assert inverse.tolist() == [2, 0, 0, 1, 2] and counts.tolist() == [2, 1, 2]
    assert F.unique_consecutive(x).tolist() == [3, 1, 2, 3]


def test_norm():
    x = torch.tensor([[3.0, 4.0], [0.0, 0.0]])
    assert F.norm(x).item() == 5
    assert F.norm(x, 1, dim=1).tolist() == [7, 0]
    assert F.norm(x, float("inf"), dim=0, keepdim=True).tolist() == [[3, 4]]


def test_unravel_index():
    rows, columns = F.unravel_index(torch.tensor([[1, 5], [7, 3]]), (2, 4))
    assert rows.tolist() == [[0, 1], [1, 0]] and columns.tolist() == [[1, 1], [3, 3]]
    with pytest.raises(TypeError, match="to be integer dtype"):
        F.unravel_index(torch.ones(1), (2,))


def test_cdist_both_ways():
    x = torch.arange(12.0).reshape(4, 3) / 5
    y = torch.arange(6.0).reshape(2, 3)
    direct = F.cdist(x, y, compute_mode="donot_use_mm_for_euclid_dist")
    product = F.cdist(x, y, compute_mode="use_mm_for_euclid_dist")
    assert (direct - product).abs().max().item() < 1e-5
    with pytest.raises(ValueError, match="not a valid value for compute_mode"):
        F.cdist(x, y, compute_mode="fast")
