"""NAdam; follows `_single_tensor_nadam` in torch/optim/nadam.py."""

from __future__ import annotations

from . import _options as opt
from .optimizer import Optimizer, _use_grad_for_differentiable


class NAdam(Optimizer):
    """Adam with Nesterov momentum, step count t.

        g = grad + weight_decay * w        decoupled: w = w - lr * weight_decay * w instead
        mu(t) = beta1 * (1 - 0.96**(t * momentum_decay) / 2)
        P(t) = mu(1) * ... * mu(t)
        m = m + (1 - beta1) * (g - m)
        v = beta2 * v + (1 - beta2) * g * g
        d = sqrt(v / (1 - beta2**t)) + eps
        w = w - lr * (1 - mu(t)) / (1 - P(t)) * g / d
        w = w - lr * mu(t + 1) / (1 - P(t + 1)) * m / d

    maximize: climb instead.
    """

    def __init__(
        self,
        params,
        lr=2e-3,
        betas=(0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
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
        opt.check_nonnegative("momentum_decay value", momentum_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def __setstate__(self, state: dict) -> None:
        super().__setstate__(state)
        opt.set_group_defaults(
            self,
            maximize=False,
            foreach=None,
            capturable=False,
            differentiable=False,
            decoupled_weight_decay=False,
        )
        opt.upgrade_state(self, "step", "mu_product")

    @_use_grad_for_differentiable
    def step(self, closure=None):
        loss = opt.evaluate(closure)
        for group in self.param_groups:
            for param, grad in opt.params_with_grad(group, "NAdam does not support sparse gradients"):
                opt.check_capturable(group, what="params, mu_products and state_steps")
                self._update(param, grad, self._state_of(param), group)
        return loss

    def _state_of(self, param) -> dict:
        state = self.state[param]
        if len(state) == 0:
            state["step"] = opt.scalar_state(0.0)
            state["mu_product"] = opt.scalar_state(1.0)
            state["exp_avg"] = opt.zeros_like(param)
            state["exp_avg_sq"] = opt.zeros_like(param)
        return state

    def _update(self, param, grad, state: dict, group: dict) -> None:
        lr = opt.to_scalar(group["lr"])
        beta1, beta2 = group["betas"]
        eps = group["eps"]
        weight_decay = group["weight_decay"]
        momentum_decay = group["momentum_decay"]
        mu_product = state["mu_product"]
        step_t = state["step"]
        param, grad, exp_avg, exp_avg_sq = opt.as_real(param, grad, state["exp_avg"], state["exp_avg_sq"])
        step_t += 1
        step = step_t.item()
        bias_correction2 = 1 - beta2**step

        if weight_decay != 0:
            if group["decoupled_weight_decay"]:
                param.mul_(1 - lr * weight_decay)
            else:
                grad = grad.add(param, alpha=weight_decay)

        mu = beta1 * (1.0 - 0.5 * (0.96 ** (step * momentum_decay)))
        mu_next = beta1 * (1.0 - 0.5 * (0.96 ** ((step + 1) * momentum_decay)))
        mu_product *= mu

        exp_avg.lerp_(grad, 1 - beta1)
        exp_avg_sq.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        denom = exp_avg_sq.div(bias_correction2).sqrt()

        if group["differentiable"]:
            denom = denom.add(eps)
            mu_product_next = mu_product * mu_next
            grad = grad * (-lr * (1.0 - mu) / (1.0 - mu_product))
            exp_avg = exp_avg * (-lr * mu_next / (1.0 - mu_product_next))
            param.addcdiv_(grad, denom)
            param.addcdiv_(exp_avg, denom)
        else:
            # The product is rounded to the type of its tensor, then goes on in double.
            product = mu_product.item()
            product_next = product * mu_next
            denom.add_(eps)
            param.addcdiv_(grad, denom, value=-lr * (1.0 - mu) / (1.0 - product))
            param.addcdiv_(exp_avg, denom, value=-lr * mu_next / (1.0 - product_next))
