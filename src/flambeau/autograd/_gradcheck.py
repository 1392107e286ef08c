"""gradcheck and gradgradcheck: analytic gradients against central differences, in float64.

Follows torch/autograd/gradcheck.py in meaning and messages; the slow mode only.
"""

from __future__ import annotations

import flambeau


class GradcheckError(RuntimeError):
    """What gradcheck raises when gradients do not agree."""


def _tensors(values) -> list:
    return [v for v in values if isinstance(v, flambeau.Tensor)]


def _outputs(function, inputs) -> list:
    out = function(*inputs)
    listed = out if isinstance(out, (tuple, list)) else (out,)
    return [o for o in _tensors(listed) if o.is_floating_point()]


def _numerical(function, inputs, leaf, eps: float) -> list:
    """d output / d leaf by central differences: one (leaf elements, output elements) matrix an output."""
    flat = leaf.data
    columns: list = []
    for index in _indices(leaf.shape):
        before = flat[index].item()
        with flambeau.no_grad():
            flat[index] = before + eps
            plus = [o.detach().clone().reshape(-1).double() for o in _outputs(function, inputs)]
            flat[index] = before - eps
            minus = [o.detach().clone().reshape(-1).double() for o in _outputs(function, inputs)]
            flat[index] = before
        columns.append([((a - b) / (2 * eps)).tolist() for a, b in zip(plus, minus)])
    count = len(columns[0]) if columns else 0
    return [[column[k] for column in columns] for k in range(count)]


def _indices(shape):
    from itertools import product

    return product(*(range(n) for n in shape))


def _analytical(output, leaf, nondet_tol: float) -> list:
    """d output / d leaf by backward, one row an output element, as (leaf elements, output elements)."""
    rows = []
    for index in range(output.numel()):
        seed = flambeau.zeros(output.numel(), dtype=output.dtype)
        seed[index] = 1
        (grad,) = flambeau.autograd.grad(
            output, leaf, seed.reshape(output.shape), retain_graph=True, allow_unused=True
        )
        rows.append([0.0] * leaf.numel() if grad is None else grad.detach().reshape(-1).double().tolist())
    return [list(column) for column in zip(*rows)] if rows else []


def _close(a: float, b: float, atol: float, rtol: float) -> bool:
    return a == b or (a != a and b != b) or abs(a - b) <= atol + rtol * abs(b)


def gradcheck(
    func,
    inputs,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked=None,
) -> bool:
    """Whether `func`'s gradients agree with central differences for every differentiable input."""
    inputs = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    leaves = [t for t in _flat(inputs) if t.requires_grad]
    if not leaves:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of the them have "
            "requires_grad=True."
        )
    try:
        outputs = _outputs(func, inputs)
        for place, leaf in enumerate(leaves):
            numerical = _numerical(func, inputs, leaf, eps)
            for number, output in enumerate(outputs):
                analytical = _analytical(output, leaf, nondet_tol) if output.requires_grad else None
                if analytical is None:
                    analytical = [[0.0] * output.numel() for _ in range(leaf.numel())]
                _compare(numerical[number] if numerical else [], analytical, place, number, atol, rtol)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _flat(values) -> list:
    found = []
    for value in values:
        if isinstance(value, flambeau.Tensor):
            found.append(value)
        elif isinstance(value, (tuple, list)):
            found += _flat(value)
    return found


def _compare(numerical, analytical, place: int, number: int, atol: float, rtol: float) -> None:
    for wanted, got in zip(numerical, analytical):
        if not all(_close(a, n, atol, rtol) for a, n in zip(got, wanted)):
            raise GradcheckError(
                f"Jacobian mismatch for output {number} with respect to input {place},\n"
                f"numerical:{numerical}\nanalytical:{analytical}\n"
            )


def gradgradcheck(
    func,
    inputs,
    grad_outputs=None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    **ignored,
) -> bool:
    """gradcheck of the gradients of `func`."""
    inputs = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    if grad_outputs is None:
        generator = flambeau.Generator().manual_seed(0)
        grad_outputs = tuple(
            flambeau.randn(o.shape, dtype=o.dtype, generator=generator).requires_grad_() for o in _outputs(func, inputs)
        )
    else:
        grad_outputs = tuple(grad_outputs) if isinstance(grad_outputs, (tuple, list)) else (grad_outputs,)
    count = len(grad_outputs)

    def gradients(*args):
        leaves = [t for t in _flat(args[:-count]) if t.requires_grad]
        with flambeau.enable_grad():
            outputs = _outputs(func, args[:-count])
            pairs = [(o, g) for o, g in zip(outputs, args[-count:]) if o.requires_grad]
            found = flambeau.autograd.grad(
                [o for o, _ in pairs], leaves, [g for _, g in pairs], create_graph=True, allow_unused=True
            )
        return tuple(g for g in found if g is not None and g.requires_grad)

    if not gradients(*inputs, *grad_outputs):
        return True
    return gradcheck(
        gradients, inputs + grad_outputs, eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception,
        nondet_tol=nondet_tol,
    )
