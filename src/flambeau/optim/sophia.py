"""Sophia-G, momentum clipped by an estimate of curvature (Liu and others, 2023); not in PyTorch.

The order of operations is that of the authors' PyTorch code.
"""

from __future__ import annotations

import flambeau

from . import _options as opt
from .optimizer import Optimizer, _use_grad_for_differentiable


class SophiaG(Optimizer):
    """Clipped second-order momentum; h estimates the diagonal of the Hessian.

        w = w - lr * weight_decay * w
        m = beta1 * m + (1 - beta1) * g
        w = w - lr * sign(m) * min(1, abs(m) / (rho * bs * h + 1e-15))

    `update_hessian`, every ten steps or so, after a backward pass with targets sampled from
    the model's own output: h = beta2 * h + (1 - beta2) * g * g.
    bs is the number of targets (tokens) that one gradient is the mean of.
    """

    def __init__(
        self,
        params,
        lr=1e-4,
        betas=(0.965, 0.99),
        rho: float = 0.04,
        weight_decay: float = 1e-1,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        opt.check_lr(lr)
        opt.check_betas(betas)
        opt.check_nonnegative("rho value", rho)
        opt.check_nonnegative("weight_decay value", weight_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "rho": rho,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def update_hessian(self) -> None:
        """Take the present gradients into the estimate of curvature."""
        with flambeau.no_grad():
            for group in self.param_groups:
                _, beta2 = group["betas"]
                for p in group["params"]:
                    if p.grad is not None:
                        hessian = self._state_of(p)["hessian"]
                        hessian.mul_(beta2).addcmul_(p.grad, p.grad, value=1 - beta2)

    @_use_grad_for_differentiable
    def step(self, closure=None, bs: int = 5120):
        loss = opt.evaluate(closure)
        for group in self.param_groups:
            for param, grad in opt.params_with_grad(group, "SophiaG does not support sparse gradients"):
                self._update(param, grad, self._state_of(param), group, bs)
        return loss

    def _state_of(self, param) -> dict:
        state = self.state[param]
        if len(state) == 0:
            state["step"] = opt.scalar_state(0.0)
            state["exp_avg"] = opt.zeros_like(param)
            state["hessian"] = opt.zeros_like(param)
        return state

    def _update(self, param, grad, state: dict, group: dict, bs: int) -> None:
        lr = opt.to_scalar(group["lr"])
        beta1, _ = group["betas"]
        exp_avg = state["exp_avg"]
        step = state["step"]
        step += 1
        param.mul_(1 - lr * group["weight_decay"])
        exp_avg.mul_(beta1).add_(grad, alpha=1 - beta1)
        ratio = (exp_avg.abs() / (group["rho"] * bs * state["hessian"] + 1e-15)).clamp(None, 1)
        param.addcmul_(exp_avg.sign(), ratio, value=-lr)
