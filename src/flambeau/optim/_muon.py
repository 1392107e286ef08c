"""Muon; follows torch/optim/_muon.py."""

from __future__ import annotations

import math

import flambeau

from . import _options as opt
from .optimizer import Optimizer


class Muon(Optimizer):
    """Momentum made orthogonal by a Newton-Schulz iteration; for matrices only.

        b = b + (1 - momentum) * (g - b)
        u = newton_schulz(b)               nesterov: of g + momentum * (b - g)
        w = w - lr * weight_decay * w
        w = w - adjusted_lr * u

    adjust_lr_fn: None or "original": lr * sqrt(max(1, rows / columns));
    "match_rms_adamw": lr * 0.2 * sqrt(max(rows, columns)).
    """

    def __init__(
        self,
        params,
        lr: float = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        opt.check_one_element("lr", lr)
        if not 0.0 <= lr:
            raise ValueError(f"Learning rate should be >= 0 but is: {lr}")
        if not 0.0 <= momentum:
            raise ValueError(f"momentum should be >= 0 but is: {momentum}")
        if not 0.0 <= weight_decay:
            raise ValueError(f"weight decay should be >= 0 but is: {weight_decay}")
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        defaults = {
            "lr": lr,
            "weight_decay": weight_decay,
            "momentum": momentum,
            "nesterov": nesterov,
            "ns_coefficients": ns_coefficients,
            "eps": eps,
            "ns_steps": ns_steps,
            "adjust_lr_fn": adjust_lr_fn,
        }
        super().__init__(params, defaults)
        for group in self.param_groups:
            for p in group["params"]:
                if p.ndim != 2:
                    raise ValueError(
                        f"Muon only supports 2D parameters whereas we found a parameter with size: {p.size()}"
                    )

    def step(self, closure=None):
        loss = opt.evaluate(closure)
        with flambeau.no_grad():
            for group in self.param_groups:
                for param in group["params"]:
                    if param.grad is not None:
                        self._update(param, param.grad, group)
        return loss

    def _update(self, param, grad, group: dict) -> None:
        if param.is_complex():
            raise RuntimeError("Muon does not support complex parameters")
        if grad.is_sparse:
            raise RuntimeError("Muon does not support sparse gradients")
        lr = opt.to_scalar(group["lr"])
        momentum = group["momentum"]
        state = self.state[param]
        if "momentum_buffer" not in state:
            state["momentum_buffer"] = opt.zeros_like(grad)
        buf = state["momentum_buffer"]
        buf.lerp_(grad, 1 - momentum)
        update = grad.lerp(buf, momentum) if group["nesterov"] else buf
        update = _newton_schulz(update, group["ns_coefficients"], group["ns_steps"], group["eps"])
        adjusted_lr = _adjust_lr(lr, group["adjust_lr_fn"], param.shape)
        param.mul_(1 - lr * group["weight_decay"])
        param.add_(update, alpha=-adjusted_lr)


def _newton_schulz(grad, coefficients, steps: int, eps: float):
    """The matrix of grad's shape with (nearly) its singular vectors and singular values of 1.

    Each step maps X to a X + (b A + c A A) X with A = X X^T, in bfloat16.
    """
    if steps >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = coefficients
    x = grad.bfloat16()
    # With no more rows than columns the Gram matrix is the smaller one.
    transposed = grad.size(0) > grad.size(1)
    if transposed:
        x = x.T
    x.div_(x.norm().clamp(min=eps))
    for _ in range(steps):
        gram = x @ x.T
        update = flambeau.addmm(gram, gram, gram, beta=b, alpha=c)
        x = flambeau.addmm(x, update, x, beta=a)
    return x.T if transposed else x


def _adjust_lr(lr, adjust_lr_fn: str | None, shape):
    rows, columns = shape
    if adjust_lr_fn == "match_rms_adamw":
        return lr * (0.2 * math.sqrt(max(rows, columns)))
    return lr * math.sqrt(max(1, rows / columns))
