"""Rprop; follows `_single_tensor_rprop` in torch/optim/rprop.py."""

from __future__ import annotations

import flambeau

from . import _options as opt
from .optimizer import Optimizer, _use_grad_for_differentiable


class Rprop(Optimizer):
    """Resilient backpropagation: only the signs of the gradient count.

        s = s * etaplus     if grad * prev > 0
        s = s * etaminus    if grad * prev < 0, then grad = 0
        s = clamp(s, *step_sizes)          s starts at lr
        w = w - sign(grad) * s
        prev = grad

    etas: (etaminus, etaplus). maximize: climb instead.
    """

    def __init__(
        self,
        params,
        lr=1e-2,
        etas=(0.5, 1.2),
        step_sizes=(1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        opt.check_lr(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        defaults = {
            "lr": lr,
            "etas": etas,
            "step_sizes": step_sizes,
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
            for param, grad in opt.params_with_grad(group, "Rprop does not support sparse gradients"):
                opt.check_capturable(group)
                self._update(param, grad, self._state_of(param, group), group)
        return loss

    def _state_of(self, param, group: dict) -> dict:
        state = self.state[param]
        if len(state) == 0:
            lr = opt.to_scalar(group["lr"])
            state["step"] = opt.scalar_state(0.0)
            state["prev"] = opt.zeros_like(param)
            start = complex(lr, lr) if param.is_complex() else lr
            state["step_size"] = flambeau.full_like(param.grad, start)
        return state

    def _update(self, param, grad, state: dict, group: dict) -> None:
        etaminus, etaplus = group["etas"]
        step_size_min, step_size_max = group["step_sizes"]
        step = state["step"]
        step += 1
        param, grad, prev, step_size = opt.as_real(param, grad, state["prev"], state["step_size"])
        factor = grad.mul(prev.clone() if group["differentiable"] else prev).sign()
        factor[factor.gt(0)] = etaplus
        factor[factor.lt(0)] = etaminus
        factor[factor.eq(0)] = 1
        step_size.mul_(factor).clamp_(step_size_min, step_size_max)

        # Where the sign changed, wait one step: the product with `prev` is then zero.
        grad = grad.clone(memory_format=flambeau.preserve_format)
        grad[factor.eq(etaminus)] = 0
        param.addcmul_(grad.sign(), step_size, value=-1)
        prev.copy_(grad)
