"""The functions that torch keeps in Python: free argument lists over the core's operators.

Follows PyTorch's torch/functional.py. Left out: stft and istft, lu, and the low-rank
decompositions.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from flambeau import _C

_VF = _C._VariableFunctions

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "block_diag",
    "broadcast_shapes",
    "broadcast_tensors",
    "cartesian_prod",
    "cdist",
    "chain_matmul",
    "einsum",
    "meshgrid",
    "norm",
    "split",
    "tensordot",
    "unique",
    "unique_consecutive",
    "unravel_index",
]


def _listed(tensors: tuple[Any, ...]) -> Sequence[Any]:
    """Both ``f(a, b)`` and ``f([a, b])``."""
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        return tensors[0]
    return tensors


# Shapes


def broadcast_tensors(*tensors: Any) -> Any:
    return _VF.broadcast_tensors(_listed(tensors))


def broadcast_shapes(*shapes: Any) -> Any:
    """The shape that tensors of these `shapes` broadcast to."""
    import flambeau

    listed = [(shape,) if isinstance(shape, int) else tuple(shape) for shape in shapes]
    common = [1] * max(map(len, listed), default=0)
    for index, shape in enumerate(listed):
        if any(length < 0 for length in shape):
            raise ValueError("Attempting to broadcast a dimension with negative length!")
        for dim in range(-1, -len(shape) - 1, -1):
            if shape[dim] == 1 or shape[dim] == common[dim]:
                continue
            if common[dim] != 1:
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {shape[dim]} at {dim}! "
                    f"Mismatching argument at index {index} had {shape}; but expected shape "
                    f"should be broadcastable to {common}"
                )
            common[dim] = shape[dim]
    return flambeau.Size(common)


def split(tensor: Any, split_size_or_sections: Any, dim: int = 0) -> Any:
    """Pieces of one size (the last may be smaller), or of the sizes in a list."""
    if isinstance(split_size_or_sections, (list, tuple)):
        return _VF.split_with_sizes(tensor, list(split_size_or_sections), dim)
    return _VF.split(tensor, int(split_size_or_sections), dim)


def atleast_1d(*tensors: Any) -> Any:
    return _at_least(_VF.atleast_1d, tensors)


def atleast_2d(*tensors: Any) -> Any:
    return _at_least(_VF.atleast_2d, tensors)


def atleast_3d(*tensors: Any) -> Any:
    return _at_least(_VF.atleast_3d, tensors)


def _at_least(function: Any, tensors: tuple[Any, ...]) -> Any:
    # One tensor gives a tensor, a list or several give a tuple.
    return function(tensors[0] if len(tensors) == 1 else tensors)


def meshgrid(*tensors: Any, indexing: str | None = None) -> Any:
    if indexing is None:
        return _VF.meshgrid(_listed(tensors))
    return _VF.meshgrid(_listed(tensors), indexing=indexing)


def cartesian_prod(*tensors: Any) -> Any:
    return _VF.cartesian_prod(tensors)


def block_diag(*tensors: Any) -> Any:
    return _VF.block_diag(tensors)


# Products


def einsum(*args: Any) -> Any:
    """``einsum("ij,jk", a, b)``, or ``einsum(a, [0, 1], b, [1, 2])`` with subscript lists.

    Operands are contracted from left to right.
    """
    import flambeau

    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one "
            "operand and its subscripts list"
        )
    if isinstance(args[0], flambeau.Tensor):
        return _VF.einsum(*_equation(args))
    return _VF.einsum(args[0], _listed(args[1:]))


def _equation(args: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    pairs = len(args) // 2 * 2
    equation = ",".join("".join(map(_subscript, subscripts)) for subscripts in args[1:pairs:2])
    if len(args) > pairs:
        equation += "->" + "".join(map(_subscript, args[-1]))
    return equation, args[:pairs:2]


def _subscript(number: Any) -> str:
    if number is Ellipsis:
        return "..."
    if 0 <= number < 26:
        return chr(ord("A") + number)
    if 26 <= number < 52:
        return chr(ord("a") + number - 26)
    raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")


def tensordot(a: Any, b: Any, dims: Any = 2, out: Any = None) -> Any:
    """Contracts the last `dims` dimensions of `a` with the first of `b`, or listed pairs."""
    dims_a, dims_b = _contracted(a, b, dims)
    if out is None:
        return _VF.tensordot(a, b, dims_a, dims_b)
    return _VF.tensordot(a, b, dims_a, dims_b, out=out)


def _contracted(a: Any, b: Any, dims: Any) -> tuple[list[int], list[int]]:
    import flambeau

    if isinstance(dims, flambeau.Tensor):
        dims = dims.tolist() if dims.numel() > 1 else int(dims.item())
    if isinstance(dims, (list, tuple)):
        dims_a, dims_b = dims
        return list(dims_a), list(dims_b)
    if not isinstance(dims, int):
        raise RuntimeError(
            "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] "
            f"containing two lists, but got dims={dims}"
        )
    if dims < 0:
        raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
    if dims > min(a.dim(), b.dim()):
        raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
    return list(range(-dims, 0)), list(range(dims))


def chain_matmul(*matrices: Any, out: Any = None) -> Any:
    if out is None:
        return _VF.chain_matmul(_listed(matrices))
    return _VF.chain_matmul(_listed(matrices), out=out)


# Norms and distances


def norm(
    input: Any,
    p: Any = "fro",
    dim: Any = None,
    keepdim: bool = False,
    out: Any = None,
    dtype: Any = None,
) -> Any:
    """The vector norm over `dim` (all by default); a string names a matrix norm."""
    dims = [dim] if isinstance(dim, int) else dim
    options = {"dtype": dtype} if out is None else {"dtype": dtype, "out": out}
    linalg = _C._linalg
    if not isinstance(p, str):
        order = 2.0 if p is None else p
        return linalg.linalg_vector_norm(input, order, dims, keepdim, **options)
    # Of one or two dimensions, or all, the Frobenius norm is the vector norm.
    if p == "fro" and (dims is None or len(dims) <= 2):
        return linalg.linalg_vector_norm(input, 2, dims, keepdim, **options)
    dims = list(range(input.dim())) if dims is None else dims
    return linalg.linalg_matrix_norm(input, p, dims, keepdim, **options)


_COMPUTE_MODES = (
    "use_mm_for_euclid_dist_if_necessary",
    "use_mm_for_euclid_dist",
    "donot_use_mm_for_euclid_dist",
)
# Above this many rows PyTorch computes Euclidean distances by a matrix product.
_MANY_ROWS = 25


def cdist(
    x1: Any,
    x2: Any,
    p: float = 2.0,
    compute_mode: str = "use_mm_for_euclid_dist_if_necessary",
) -> Any:
    """Distances between the rows of x1 (..., P, M) and those of x2 (..., R, M): (..., P, R)."""

    if compute_mode not in _COMPUTE_MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    many = x1.size(-2) > _MANY_ROWS or x2.size(-2) > _MANY_ROWS
    product = compute_mode == _COMPUTE_MODES[1] or (compute_mode == _COMPUTE_MODES[0] and many)
    if p == 2 and product:
        return _euclidean(x1, x2)
    from flambeau._composites import counted_distance

    return counted_distance(x1.unsqueeze(-2) - x2.unsqueeze(-3), p)


def _euclidean(x1: Any, x2: Any) -> Any:
    r"""``sqrt(|a|^2 - 2 a.b + |b|^2)`` as one product of widened rows (Distance.cpp)."""
    import flambeau

    square1, square2 = x1.pow(2).sum(-1, True), x2.pow(2).sum(-1, True)
    wide1 = flambeau.cat([x1.mul(-2), square1, flambeau.ones_like(square1)], -1)
    wide2 = flambeau.cat([x2, flambeau.ones_like(square2), square2], -1)
    return wide1.matmul(wide2.mT).clamp_min(0).sqrt()


# Unique values


def unique(
    input: Any,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The values of `input` (its slices along `dim`), each once; indices and counts on demand."""
    options = {"return_inverse": return_inverse, "return_counts": return_counts}
    if dim is None:
        results = _VF._unique2(input, sorted=sorted, **options)
    else:
        results = _VF.unique_dim(input, dim, sorted=sorted, **options)
    return _wanted(results, return_inverse, return_counts)


def unique_consecutive(
    input: Any,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The first of every run of equal values."""
    results = _VF.unique_consecutive(input, return_inverse=return_inverse, return_counts=return_counts, dim=dim)
    return _wanted(results, return_inverse, return_counts)


def _wanted(results: Any, return_inverse: bool, return_counts: bool) -> Any:
    output, inverse, counts = results
    if not return_inverse and not return_counts:
        return output
    chosen = [output]
    if return_inverse:
        chosen.append(inverse)
    if return_counts:
        chosen.append(counts)
    return tuple(chosen)


def unravel_index(indices: Any, shape: Any) -> tuple[Any, ...]:
    """Coordinates in a tensor of `shape`, one tensor a dimension, for flat `indices`."""
    import flambeau

    dtype = indices.dtype
    if dtype.is_floating_point or dtype.is_complex or dtype == flambeau.bool:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {dtype}")
    if not isinstance(shape, (int, Sequence)):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    for size in sizes:
        if not isinstance(size, int):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(size)}")
    if any(size < 0 for size in sizes):
        raise ValueError(f"'shape' cannot have negative values, but got {sizes}")
    # The stride of a dimension is the product of the sizes behind it.
    strides = list(accumulate((1, *reversed(sizes[1:])), operator.mul))[::-1]
    strides = flambeau.tensor(strides, dtype=flambeau.int64)
    coordinates = indices.unsqueeze(-1).floor_divide(strides)
    return (coordinates % flambeau.tensor(sizes, dtype=flambeau.int64)).unbind(-1)
