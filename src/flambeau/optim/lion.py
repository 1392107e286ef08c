"""Lion, the sign of an interpolated momentum (Chen and others, 2023); not in PyTorch.

The order of operations is that of the authors' PyTorch code.
"""

from __future__ import annotations

from . import _options as opt
from .optimizer import Optimizer, _use_grad_for_differentiable


class Lion(Optimizer):
    """Evolved sign momentum.

        w = w - lr * weight_decay * w
        w = w - lr * sign(beta1 * m + (1 - beta1) * g)
        m = beta2 * m + (1 - beta2) * g

    maximize: climb instead.
    """

    def __init__(
        self,
        params,
        lr=1e-4,
        betas=(0.9, 0.99),
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        opt.check_lr(lr)
        opt.check_betas(betas)
        opt.check_nonnegative("weight_decay value", weight_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    @_use_grad_for_differentiable
    def step(self, closure=None):
        loss = opt.evaluate(closure)
        for group in self.param_groups:
            for param, grad in opt.params_with_grad(group, "Lion does not support sparse gradients"):
                self._update(param, grad, group)
        return loss

    def _update(self, param, grad, group: dict) -> None:
        lr = opt.to_scalar(group["lr"])
        beta1, beta2 = group["betas"]
        state = self.state[param]
        if len(state) == 0:
            state["exp_avg"] = opt.zeros_like(param)
        exp_avg = state["exp_avg"]
        param.mul_(1 - lr * group["weight_decay"])
        update = exp_avg * beta1 + grad * (1 - beta1)
        param.add_(update.sign_(), alpha=-lr)
        exp_avg.mul_(beta2).add_(grad, alpha=1 - beta2)
