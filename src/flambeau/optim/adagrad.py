"""Adagrad; follows `_single_tensor_adagrad` in torch/optim/adagrad.py, without sparse gradients."""

from __future__ import annotations

import flambeau

from . import _options as opt
from .optimizer import Optimizer, _use_grad_for_differentiable


class Adagrad(Optimizer):
    """Gradients divided by the root of the sum s of their squares, step count t.

        g = grad + weight_decay * w
        s = s + g * g                      s starts at initial_accumulator_value
        w = w - lr / (1 + (t - 1) * lr_decay) * g / (sqrt(s) + eps)

    maximize: climb instead.
    """

    def __init__(
        self,
        params,
        lr=1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        opt.check_lr(lr)
        opt.check_nonnegative("lr_decay value", lr_decay)
        opt.check_nonnegative("weight_decay value", weight_decay)
        opt.check_nonnegative("initial_accumulator_value value", initial_accumulator_value)
        opt.check_nonnegative("epsilon value", eps)
        opt.check_fused("Adagrad", fused, foreach, differentiable)
        defaults = {
            "lr": lr,
            "lr_decay": lr_decay,
            "eps": eps,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)
        # PyTorch makes this state at once, not at the first step.
        for group in self.param_groups:
            for p in group["params"]:
                self._state_of(p)

    def __setstate__(self, state: dict) -> None:
        super().__setstate__(state)
        opt.set_group_defaults(self, foreach=None, maximize=False, differentiable=False, fused=None)
        opt.upgrade_state(self, "step")

    @_use_grad_for_differentiable
    def step(self, closure=None):
        loss = opt.evaluate(closure)
        for group in self.param_groups:
            for param, grad in opt.params_with_grad(group, "Adagrad: sparse gradients are not supported"):
                self._update(param, grad, self._state_of(param), group)
        return loss

    def _state_of(self, param) -> dict:
        state = self.state[param]
        if len(state) == 0:
            start = self.defaults["initial_accumulator_value"]
            state["step"] = opt.scalar_state(0.0)
            state["sum"] = flambeau.full_like(
                param,
                complex(start, start) if param.is_complex() else start,
                memory_format=flambeau.preserve_format,
            )
        return state

    def _update(self, param, grad, state: dict, group: dict) -> None:
        lr = opt.to_scalar(group["lr"])
        eps = group["eps"]
        weight_decay = group["weight_decay"]
        step_t = state["step"]
        step_t += 1
        step = step_t.item()

        if weight_decay != 0:
            grad = grad.add(param, alpha=weight_decay)
        clr = lr / (1 + (step - 1) * group["lr_decay"])
        param, grad, state_sum = opt.as_real(param, grad, state["sum"])
        state_sum.addcmul_(grad, grad, value=1)
        if group["differentiable"]:
            std = state_sum.sqrt() + eps
        else:
            std = state_sum.sqrt().add_(eps)
        param.addcdiv_(grad, std, value=-clr)
