"""Operators that torch has at its top level and few call: composed here of the core's.

Follows ATen/native/ReduceOps.cpp (gradient), TensorCompare.cpp (isin), Distance.cpp (pdist), TensorFactories.cpp
(kaiser_window).
"""

from __future__ import annotations

from numbers import Number
from typing import Any

from flambeau import _C

_VF = _C._VariableFunctions


def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False) -> Any:
    """Which `elements` are among `test_elements`; one of the two may be a number."""
    import flambeau

    if not isinstance(elements, flambeau.Tensor) and not isinstance(test_elements, flambeau.Tensor):
        raise TypeError("isin() received an invalid combination of arguments: one of them must be a Tensor")
    dtype = flambeau.result_type(elements, test_elements)
    elements = flambeau.as_tensor(elements, dtype=dtype)
    wanted = flambeau.as_tensor(test_elements, dtype=dtype).reshape(-1)
    if wanted.numel() == 0:
        return flambeau.full(elements.shape, invert)
    wanted = wanted.sort().values
    at = flambeau.searchsorted(wanted, elements.contiguous()).clamp_(max=wanted.numel() - 1)
    found = wanted[at] == elements
    return ~found if invert else found


def gradient(input: Any, *, spacing: Any = None, dim: Any = None, edge_order: int = 1) -> Any:
    """Differences quotients of second order inside, of order `edge_order` at the edges, along each dimension.

    spacing: the distance of samples, one for each dimension, or their coordinates.
    """
    import flambeau

    dims = _gradient_dims(input, dim)
    spaces = _gradient_spaces(input, spacing, dims, dim is not None)
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    for d in dims:
        if input.size(d) < edge_order + 1:
            raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    results = []
    for d, space in zip(dims, spaces):
        if isinstance(space, flambeau.Tensor):
            results.append(_gradient_at_coordinates(input, d, space, edge_order))
        else:
            results.append(_gradient_evenly_spaced(input, d, space, edge_order))
    return tuple(results)


def _gradient_dims(input: Any, dim: Any) -> list[int]:
    if dim is None:
        return list(range(input.dim()))
    dims = []
    for d in (dim,) if isinstance(dim, int) else dim:
        if not -input.dim() <= d < input.dim():
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-input.dim()}, {input.dim() - 1}], but got {d})"
            )
        if d % input.dim() in dims:
            raise RuntimeError(f"dim {d % input.dim()} appears multiple times in the list of dims")
        dims.append(d % input.dim())
    return dims


def _gradient_spaces(input: Any, spacing: Any, dims: list[int], dims_given: bool) -> list[Any]:
    if spacing is None:
        return [1] * len(dims)
    if isinstance(spacing, Number) or hasattr(spacing, "dim") and spacing.dim() == 0:
        return [spacing if isinstance(spacing, Number) else spacing.item()] * len(dims)
    spaces = list(spacing) if isinstance(spacing, (list, tuple)) else [spacing]
    if len(spaces) != len(dims):
        if dims_given:
            raise RuntimeError(
                "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments to have "
                f"the same length, but got a spacing argument of length {len(spaces)} and a dim argument of length "
                f"{len(dims)}."
            )
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to 'self.dim() = "
            f"{input.dim()}', since dim argument was not given, but got a list of length {len(spaces)}"
        )
    return spaces


def _gradient_evenly_spaced(x: Any, dim: int, space: Any, edge_order: int) -> Any:
    n = x.size(dim)

    def at(start: int, length: int) -> Any:
        return x.narrow(dim, start, length)

    inside = (at(2, n - 2) - at(0, n - 2)) / space / 2 if n > 2 else at(0, 0)
    if edge_order == 1:
        first = (at(1, 1) - at(0, 1)) / space
        last = (at(n - 1, 1) - at(n - 2, 1)) / space
    else:
        first = (at(0, 1) * -1.5 + at(1, 1) * 2 - at(2, 1) * 0.5) / space
        last = (at(n - 1, 1) * 1.5 - at(n - 2, 1) * 2 + at(n - 3, 1) * 0.5) / space
    return _VF.cat((first, inside, last), dim)


def _gradient_at_coordinates(x: Any, dim: int, coordinates: Any, edge_order: int) -> Any:
    n = x.size(dim)
    steps = coordinates.diff()
    shape = [1] * x.dim()

    def at(start: int, length: int) -> Any:
        return x.narrow(dim, start, length)

    before, after = steps[:-1], steps[1:]
    shape[dim] = -1
    a = (-after / (before * (before + after))).reshape(shape)
    b = ((after - before) / (before * after)).reshape(shape)
    c = (before / (after * (before + after))).reshape(shape)
    inside = a * at(0, n - 2) + b * at(1, n - 2) + c * at(2, n - 2)
    if edge_order == 1:
        first = (at(1, 1) - at(0, 1)) / steps[0]
        last = (at(n - 1, 1) - at(n - 2, 1)) / steps[-1]
    else:
        h, k = steps[0], steps[1]
        first = -(2 * h + k) / (h * (h + k)) * at(0, 1) + (h + k) / (h * k) * at(1, 1) - h / (k * (h + k)) * at(2, 1)
        h, k = steps[-2], steps[-1]
        last = k / (h * (h + k)) * at(n - 3, 1) - (h + k) / (h * k) * at(n - 2, 1)
        last = last + (2 * k + h) / (k * (h + k)) * at(n - 1, 1)
    return _VF.cat((first, inside, last), dim)


def pdist(input: Any, p: float = 2.0) -> Any:
    """Distances of all pairs of rows: (N, M) -> (N (N - 1) / 2)."""
    import flambeau

    if input.dim() != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input.dim()}D")
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
    first, second = flambeau.triu_indices(input.size(0), input.size(0), 1)
    return counted_distance(input[first] - input[second], p)


def counted_distance(difference: Any, p: float) -> Any:
    """The p-norm over the last dimension; that of order zero counts, and its gradient is zeros, not none."""
    import flambeau

    distance = flambeau.linalg.vector_norm(difference, p, -1)
    if p == 0 and difference.requires_grad:
        distance = distance + difference.masked_fill(flambeau.ones_like(difference, dtype=flambeau.bool), 0).sum(-1)
    return distance


def kaiser_window(
    window_length: int, periodic: bool = True, beta: float = 12.0, *, dtype: Any = None, **options: Any
) -> Any:
    """I0(beta sqrt(1 - x^2)) / I0(beta) for x from -1 to 1; periodic ones leave the last sample out."""
    import flambeau

    if window_length < 0:
        raise RuntimeError(f"kaiser_window requires non-negative window_length, got window_length={window_length}")
    dtype = dtype or flambeau.get_default_dtype()
    if not dtype.is_floating_point:
        raise RuntimeError(f"kaiser_window expects floating point dtypes, got: {dtype}")
    if window_length <= 1:
        return flambeau.ones(window_length, dtype=dtype, **options)
    length = window_length + 1 if periodic else window_length
    x = flambeau.linspace(-1, 1, length, dtype=flambeau.float64)
    window = (flambeau.i0(beta * (1 - x * x).clamp_(min=0).sqrt()) / flambeau.i0(flambeau.tensor(beta).double())).to(
        dtype
    )
    return window[:window_length].clone().requires_grad_(options.get("requires_grad", False))
