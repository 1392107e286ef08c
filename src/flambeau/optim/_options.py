"""What the optimizers share beside their base: checks of options, step counts, views.

`foreach` is accepted everywhere and changes nothing: in PyTorch it gives the bits of the loop.
`fused` rounds differently in PyTorch, and its arithmetic is not reproduced here yet, so that
fused=True is an error. `capturable` needs a CUDA-like device in PyTorch, too.
"""

from __future__ import annotations

import flambeau

# The devices PyTorch names when capturable=True meets parameters on the CPU.
_CAPTURABLE = ["cuda", "xpu", "hpu", "privateuseone", "xla"]


def check_nonnegative(what: str, value) -> None:
    if not 0.0 <= value:
        raise ValueError(f"Invalid {what}: {value}")


def check_lr(lr) -> None:
    check_one_element("lr", lr)
    check_nonnegative("learning rate", lr)


def check_one_element(name: str, value) -> None:
    if isinstance(value, flambeau.Tensor) and value.numel() != 1:
        raise ValueError(f"Tensor {name} must be 1-element")


def check_betas(betas) -> None:
    for i in range(2):
        if not 0.0 <= betas[i] < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")


def check_fused(optimizer: str, fused, foreach, differentiable) -> None:
    if not fused:
        return
    if differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
    raise NotImplementedError(
        f"{optimizer}: fused=True is not supported, because the arithmetic of PyTorch's fused "
        f"kernel is not reproduced; leave fused out for the arithmetic of its default"
    )


def check_capturable(group: dict, *, what: str = "params and state_steps", xla: bool = True) -> None:
    """In PyTorch a capturable step on CPU tensors fails, and with these words."""
    if group["capturable"]:
        devices = _CAPTURABLE if xla else _CAPTURABLE[:-1]
        raise AssertionError(f"If capturable=True, {what} must be on supported devices: {devices}.")


def scalar_dtype():
    """The type of step counts: float32, or float64 if that is the default type."""
    if flambeau.get_default_dtype() == flambeau.float64:
        return flambeau.float64
    return flambeau.float32


def scalar_state(value: float):
    """A number kept as state is a 0-dim tensor, as in PyTorch's checkpoints."""
    return flambeau.tensor(value, dtype=scalar_dtype())


def upgrade_state(optimizer, *names: str) -> None:
    """Checkpoints of old releases keep step counts and the like as numbers."""
    for group in optimizer.param_groups:
        for p in group["params"]:
            state = optimizer.state.get(p, {})
            for name in names if state else ():
                if not isinstance(state[name], flambeau.Tensor):
                    state[name] = scalar_state(float(state[name]))


def set_group_defaults(optimizer, **options) -> None:
    """Give groups of old checkpoints the options they do not have."""
    for group in optimizer.param_groups:
        for name, value in options.items():
            group.setdefault(name, value)


def to_scalar(x):
    """A one-element tensor without its dimensions; numbers as they are."""
    if isinstance(x, flambeau.Tensor) and x.dim() != 0:
        return x.squeeze()
    return x


def evaluate(closure):
    """The loss that a closure computes, with autograd on."""
    if closure is None:
        return None
    with flambeau.enable_grad():
        return closure()


def params_with_grad(group: dict, refuse_sparse: str):
    """Pairs (parameter, gradient to follow downhill); `refuse_sparse` words that error."""
    for p in group["params"]:
        grad = p.grad
        if grad is None:
            continue
        if refuse_sparse and grad.is_sparse:
            raise RuntimeError(refuse_sparse)
        yield p, -grad if group["maximize"] else grad


def zeros_like(p):
    return flambeau.zeros_like(p, memory_format=flambeau.preserve_format)


def as_real(p, *tensors):
    """Complex parameters are updated as pairs of real numbers."""
    if not p.is_complex():
        return (p, *tensors)
    return tuple(flambeau.view_as_real(t) for t in (p, *tensors))
