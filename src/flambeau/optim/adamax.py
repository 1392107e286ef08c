"""Adamax; follows `_single_tensor_adamax` in torch/optim/adamax.py."""

from __future__ import annotations

import flambeau

from . import _options as opt
from .optimizer import Optimizer, _use_grad_for_differentiable


class Adamax(Optimizer):
    """Adam in the infinity norm, step count t.

        g = grad + weight_decay * w
        m = m + (1 - beta1) * (g - m)
        u = max(beta2 * u, abs(g) + eps)
        w = w - lr / (1 - beta1**t) * m / u

    maximize: climb instead.
    """

    def __init__(
        self,
        params,
        lr=2e-3,
        betas=(0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        opt.check_lr(lr)
        opt.check_nonnegative("epsilon value", eps)
        opt.check_betas(betas)
        opt.check_nonnegative("weight_decay value", weight_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def __setstate__(self, state: dict) -> None:
        super().__setstate__(state)
        opt.set_group_defaults(self, foreach=None, maximize=False, differentiable=False, capturable=False)
        opt.upgrade_state(self, "step")

    @_use_grad_for_differentiable
    def step(self, closure=None):
        loss = opt.evaluate(closure)
        for group in self.param_groups:
            for param, grad in opt.params_with_grad(group, "Adamax does not support sparse gradients"):
                opt.check_capturable(group)
                self._update(param, grad, self._state_of(param), group)
        return loss

    def _state_of(self, param) -> dict:
        state = self.state[param]
        if len(state) == 0:
            state["step"] = opt.scalar_state(0.0)
            state["exp_avg"] = opt.zeros_like(param)
            state["exp_inf"] = opt.zeros_like(param)
        return state

    def _update(self, param, grad, state: dict, group: dict) -> None:
        lr = opt.to_scalar(group["lr"])
        beta1, beta2 = group["betas"]
        eps = group["eps"]
        weight_decay = group["weight_decay"]
        step_t = state["step"]
        step_t += 1

        if weight_decay != 0:
            grad = grad.add(param, alpha=weight_decay)
        param, grad, exp_avg, exp_inf = opt.as_real(param, grad, state["exp_avg"], state["exp_inf"])
        exp_avg.lerp_(grad, 1 - beta1)
        if group["differentiable"]:
            candidates = flambeau.stack([exp_inf.mul_(beta2), grad.abs().add_(eps)])
            exp_inf.copy_(flambeau.amax(candidates, 0))
        else:
            flambeau.maximum(exp_inf.mul_(beta2), grad.abs().add_(eps), out=exp_inf)

        bias_correction = 1 - beta1 ** step_t.item()
        clr = lr / bias_correction
        param.addcdiv_(exp_avg, exp_inf, value=-clr)
