"""Adadelta; follows `_single_tensor_adadelta` in torch/optim/adadelta.py."""

from __future__ import annotations

from . import _options as opt
from .optimizer import Optimizer, _use_grad_for_differentiable


class Adadelta(Optimizer):
    """Steps scaled by the running size u of the steps before.

        g = grad + weight_decay * w
        v = rho * v + (1 - rho) * g * g
        d = sqrt(u + eps) / sqrt(v + eps) * g
        u = rho * u + (1 - rho) * d * d
        w = w - lr * d

    maximize: climb instead.
    """

    def __init__(
        self,
        params,
        lr=1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        opt.check_lr(lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        opt.check_nonnegative("epsilon value", eps)
        opt.check_nonnegative("weight_decay value", weight_decay)
        defaults = {
            "lr": lr,
            "rho": rho,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "capturable": capturable,
            "foreach": foreach,
            "differentiable": differentiable,
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
            for param, grad in opt.params_with_grad(group, "Adadelta does not support sparse gradients"):
                opt.check_capturable(group, xla=False)
                self._update(param, grad, self._state_of(param), group)
        return loss

    def _state_of(self, param) -> dict:
        state = self.state[param]
        if len(state) == 0:
            state["step"] = opt.scalar_state(0.0)
            state["square_avg"] = opt.zeros_like(param)
            state["acc_delta"] = opt.zeros_like(param)
        return state

    def _update(self, param, grad, state: dict, group: dict) -> None:
        lr = opt.to_scalar(group["lr"])
        rho = group["rho"]
        eps = group["eps"]
        weight_decay = group["weight_decay"]
        step = state["step"]
        step += 1

        if weight_decay != 0:
            grad = grad.add(param, alpha=weight_decay)
        param, grad, square_avg, acc_delta = opt.as_real(param, grad, state["square_avg"], state["acc_delta"])
        square_avg.mul_(rho).addcmul_(grad, grad, value=1 - rho)
        std = square_avg.add(eps).sqrt_()
        delta = acc_delta.add(eps).sqrt_()
        if group["differentiable"]:
            delta = delta.clone()
        delta.div_(std).mul_(grad)
        acc_delta.mul_(rho).addcmul_(delta, delta, value=1 - rho)
        param.add_(delta, alpha=-lr)
