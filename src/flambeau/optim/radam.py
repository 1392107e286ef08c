"""RAdam; follows `_single_tensor_radam` in torch/optim/radam.py."""

from __future__ import annotations

from . import _options as opt
from .optimizer import Optimizer, _use_grad_for_differentiable


class RAdam(Optimizer):
    """Adam that adapts only once the variance of its second moment is known, step count t.

        g = grad + weight_decay * w        decoupled: w = w - lr * weight_decay * w instead
        m = m + (1 - beta1) * (g - m)
        v = beta2 * v + (1 - beta2) * g * g
        R = 2 / (1 - beta2) - 1
        r = R - 2 * t * beta2**t / (1 - beta2**t)
        w = w - m / (1 - beta1**t) * lr * A * S        while r <= 5: A = S = 1
        A = sqrt(1 - beta2**t) / (sqrt(v) + eps)
        S = sqrt((r - 4) * (r - 2) * R / ((R - 4) * (R - 2) * r))

    maximize: climb instead.
    """

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
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
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def __setstate__(self, state: dict) -> None:
        super().__setstate__(state)
        opt.set_group_defaults(
            self,
            foreach=None,
            maximize=False,
            differentiable=False,
            decoupled_weight_decay=False,
            capturable=False,
        )
        opt.upgrade_state(self, "step")

    @_use_grad_for_differentiable
    def step(self, closure=None):
        loss = opt.evaluate(closure)
        for group in self.param_groups:
            for param, grad in opt.params_with_grad(group, "RAdam does not support sparse gradients"):
                opt.check_capturable(group)
                self._update(param, grad, self._state_of(param), group)
        return loss

    def _state_of(self, param) -> dict:
        state = self.state[param]
        if len(state) == 0:
            state["step"] = opt.scalar_state(0.0)
            state["exp_avg"] = opt.zeros_like(param)
            state["exp_avg_sq"] = opt.zeros_like(param)
        return state

    def _update(self, param, grad, state: dict, group: dict) -> None:
        lr = opt.to_scalar(group["lr"])
        beta1, beta2 = group["betas"]
        eps = group["eps"]
        weight_decay = group["weight_decay"]
        step_t = state["step"]
        param, grad, exp_avg, exp_avg_sq = opt.as_real(param, grad, state["exp_avg"], state["exp_avg_sq"])
        step_t += 1
        step = step_t.item()

        if weight_decay != 0:
            if group["decoupled_weight_decay"]:
                param.mul_(1 - lr * weight_decay)
            else:
                grad = grad.add(param, alpha=weight_decay)

        exp_avg.lerp_(grad, 1 - beta1)
        exp_avg_sq.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        bias_correction1 = 1 - beta1**step
        bias_correction2 = 1 - beta2**step
        bias_corrected_exp_avg = exp_avg / bias_correction1

        rho_inf = 2 / (1 - beta2) - 1
        rho_t = rho_inf - 2 * step * (beta2**step) / bias_correction2
        if rho_t <= 5.0:
            param.add_(bias_corrected_exp_avg * lr, alpha=-1.0)
            return
        root = exp_avg_sq.sqrt()
        # Not in place when autograd is to go through the square root.
        root = root.add(eps) if group["differentiable"] else root.add_(eps)
        adaptive = (bias_correction2**0.5) / root
        rect = ((rho_t - 4) * (rho_t - 2) * rho_inf / ((rho_inf - 4) * (rho_inf - 2) * rho_t)) ** 0.5
        param.add_(bias_corrected_exp_avg * lr * adaptive * rect, alpha=-1.0)
