"""Automatic differentiation: backward, grad, custom functions, modes and checks."""

from __future__ import annotations

from flambeau import _C
from flambeau._missing import module_getattr
from flambeau.autograd.anomaly_mode import detect_anomaly, set_detect_anomaly
from flambeau.autograd.function import Function, FunctionCtx
from flambeau.autograd.grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled

__all__ = [
    "Function",
    "FunctionCtx",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "inference_mode",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
    "variable",
]

is_grad_enabled = _C.is_grad_enabled


def _as_tuple(value) -> tuple:
    if value is None:
        return ()
    if isinstance(value, _C.TensorBase):
        return (value,)
    return tuple(value)


def _start_gradients(outputs: tuple, grads: tuple, is_grads_batched: bool = False) -> tuple:
    """The gradients backward starts from: ones for scalars, else what was given, checked."""
    import flambeau

    if is_grads_batched:
        raise NotImplementedError("autograd.grad: is_grads_batched=True needs vmap, which flambeau does not have")
    if not grads:
        grads = (None,) * len(outputs)
    if len(grads) != len(outputs):
        raise RuntimeError(f"Mismatch in shape: got {len(outputs)} tensors and {len(grads)} gradients")
    made = []
    for index, (out, grad) in enumerate(zip(outputs, grads)):
        if isinstance(grad, _C.TensorBase):
            if grad.shape != out.shape:
                raise RuntimeError(
                    f"Mismatch in shape: grad_output[{index}] has a shape of {grad.shape} and output[{index}] has a "
                    f"shape of {out.shape}."
                )
            made.append(grad)
        elif grad is None:
            if out.requires_grad and out.numel() != 1:
                raise RuntimeError("grad can be implicitly created only for scalar outputs")
            if out.requires_grad and not out.is_floating_point():
                raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {out.dtype}")
            made.append(flambeau.ones_like(out))
        else:
            raise TypeError(f"gradients can be either Tensors or None, but got {type(grad).__name__}")
    return tuple(made)


def backward(
    tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None, inputs=None
) -> None:
    """Add the gradients of `tensors` to the leaves' `.grad`."""
    outputs = _as_tuple(tensors)
    grads = _start_gradients(outputs, _as_tuple(grad_tensors if grad_variables is None else grad_variables))
    keep = create_graph if retain_graph is None else retain_graph
    if inputs is None:
        _C._run_backward(outputs, grads, keep, create_graph, None, True)
        return
    wanted = _as_tuple(inputs)
    if not wanted:
        raise RuntimeError("'inputs' argument to backward cannot be empty.")
    for leaf, grad in zip(wanted, _C._run_backward(outputs, grads, keep, create_graph, wanted, True)):
        if grad is not None:
            leaf.grad = grad if leaf.grad is None else leaf.grad + grad


def grad(
    outputs,
    inputs,
    grad_outputs=None,
    retain_graph=None,
    create_graph=False,
    allow_unused=None,
    is_grads_batched=False,
    materialize_grads=False,
):
    """The gradients of `outputs` with respect to `inputs`, as a tuple; `.grad` stays as it is."""
    import flambeau

    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but got: False.")
    allow_unused = materialize_grads if allow_unused is None else allow_unused
    out = _as_tuple(outputs)
    wanted = _as_tuple(inputs)
    if not wanted:
        raise ValueError("grad requires non-empty inputs.")
    grads = _start_gradients(out, _as_tuple(grad_outputs), is_grads_batched)
    keep = create_graph if retain_graph is None else retain_graph
    found = _C._run_backward(out, grads, keep, create_graph, wanted, allow_unused)
    if materialize_grads:
        found = tuple(flambeau.zeros_like(leaf) if g is None else g for g, leaf in zip(found, wanted))
    return found


def Variable(data, requires_grad=False, volatile=None):
    """A tensor: the wrapper class is history."""
    return data.detach().requires_grad_(requires_grad)


_lazy = module_getattr(__name__, ("functional", "gradcheck", "graph", "profiler", "forward_ad", "grad_mode"))


def __getattr__(name: str):
    if name in ("gradcheck", "gradgradcheck", "GradcheckError"):
        from flambeau.autograd import _gradcheck

        return getattr(_gradcheck, name)
    return _lazy(name)
