"""ASGD; follows `_single_tensor_asgd` in torch/optim/asgd.py."""

from __future__ import annotations

import flambeau

from . import _options as opt
from .optimizer import Optimizer, _use_grad_for_differentiable


class ASGD(Optimizer):
    """Averaged stochastic gradient descent with step count t; the average ax is in the state.

        g = grad + weight_decay * w
        w = (1 - lambd * eta) * w - eta * g
        ax = ax + mu * (w - ax)            ax = w while mu = 1
        eta = lr / (1 + lambd * lr * t)**alpha
        mu = 1 / max(1, t - t0)

    maximize: climb instead.
    """

    def __init__(
        self,
        params,
        lr=1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        opt.check_lr(lr)
        opt.check_nonnegative("weight_decay value", weight_decay)
        defaults = {
            "lr": lr,
            "lambd": lambd,
            "alpha": alpha,
            "t0": t0,
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
        opt.upgrade_state(self, "step", "eta", "mu")

    @_use_grad_for_differentiable
    def step(self, closure=None):
        loss = opt.evaluate(closure)
        for group in self.param_groups:
            for param, grad in opt.params_with_grad(group, "ASGD does not support sparse gradients"):
                opt.check_capturable(group, what="params, mus, etas, and state_steps")
                self._update(param, grad, self._state_of(param, group), group)
        return loss

    def _state_of(self, param, group: dict) -> dict:
        state = self.state[param]
        if len(state) == 0:
            lr = opt.to_scalar(group["lr"])
            state["step"] = opt.scalar_state(0.0)
            state["eta"] = flambeau.as_tensor(lr, dtype=opt.scalar_dtype()).clone().detach()
            state["mu"] = opt.scalar_state(1.0)
            state["ax"] = opt.zeros_like(param)
        return state

    def _update(self, param, grad, state: dict, group: dict) -> None:
        lr = opt.to_scalar(group["lr"])
        lambd = group["lambd"]
        weight_decay = group["weight_decay"]
        mu = state["mu"]
        eta = state["eta"]
        step_t = state["step"]
        param, grad, ax = opt.as_real(param, grad, state["ax"])
        step_t += 1
        step = step_t.item()

        if weight_decay != 0:
            grad = grad.add(param, alpha=weight_decay)
        eta_value = eta.item()
        param.mul_(1 - lambd * eta_value)
        param.add_(grad, alpha=-eta_value)
        if mu.item() != 1:
            ax.add_(param.sub(ax).mul_(mu))
        else:
            ax.copy_(param)

        eta.copy_(flambeau.as_tensor(lr / ((1 + lambd * lr * step) ** group["alpha"])))
        mu.copy_(flambeau.as_tensor(1 / max(1, step - group["t0"])))
