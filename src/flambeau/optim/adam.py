"""Adam; follows `_single_tensor_adam` in torch/optim/adam.py."""

from __future__ import annotations

import flambeau

from . import _options as opt
from .optimizer import Optimizer, _use_grad_for_differentiable


class Adam(Optimizer):
    """Adaptive moments with step count t.

        g = grad + weight_decay * w        decoupled: w = w - lr * weight_decay * w instead
        m = m + (1 - beta1) * (g - m)
        v = beta2 * v + (1 - beta2) * g * g
        w = w - lr / (1 - beta1**t) * m / (sqrt(v) / sqrt(1 - beta2**t) + eps)

    amsgrad: use the largest v so far. maximize: climb instead.
    """

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        loop_only = foreach and not capturable
        if isinstance(lr, flambeau.Tensor) and loop_only:
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        opt.check_lr(lr)
        opt.check_nonnegative("epsilon value", eps)
        opt.check_betas(betas)
        opt.check_nonnegative("weight_decay value", weight_decay)
        _check_beta_types(betas, loop_only)
        opt.check_fused(type(self).__name__, fused, foreach, differentiable)
        defaults = {
            "lr": lr,
            "betas": tuple(opt.to_scalar(beta) for beta in betas),
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
            "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults)

    def __setstate__(self, state: dict) -> None:
        super().__setstate__(state)
        opt.set_group_defaults(
            self,
            amsgrad=False,
            maximize=False,
            foreach=None,
            capturable=False,
            differentiable=False,
            decoupled_weight_decay=False,
            fused=None,
        )
        opt.upgrade_state(self, "step")

    @_use_grad_for_differentiable
    def step(self, closure=None):
        loss = opt.evaluate(closure)
        sparse = "Adam does not support sparse gradients, please consider SparseAdam instead"
        for group in self.param_groups:
            for param, grad in opt.params_with_grad(group, sparse):
                opt.check_capturable(group)
                self._update(param, grad, self._state_of(param, group), group)
        return loss

    def _state_of(self, param, group: dict) -> dict:
        state = self.state[param]
        if len(state) == 0:
            state["step"] = opt.scalar_state(0.0)
            state["exp_avg"] = opt.zeros_like(param)
            state["exp_avg_sq"] = opt.zeros_like(param)
            if group["amsgrad"]:
                state["max_exp_avg_sq"] = opt.zeros_like(param)
        if group["differentiable"] and state["step"].requires_grad:
            raise RuntimeError("`requires_grad` is not supported for `step` in differentiable mode")
        return state

    def _update(self, param, grad, state: dict, group: dict) -> None:
        lr = opt.to_scalar(group["lr"])
        beta1, beta2 = group["betas"]
        eps = group["eps"]
        weight_decay = group["weight_decay"]
        amsgrad = group["amsgrad"]
        step_t = state["step"]
        step_t += 1

        if weight_decay != 0:
            if group["decoupled_weight_decay"]:
                param.mul_(1 - lr * weight_decay)
            elif _needs_grad(weight_decay):
                grad = grad.addcmul_(param.clone(), weight_decay)
            else:
                grad = grad.add(param, alpha=weight_decay)

        param, grad, exp_avg, exp_avg_sq = opt.as_real(param, grad, state["exp_avg"], state["exp_avg_sq"])
        if isinstance(beta1, flambeau.Tensor):
            exp_avg.lerp_(grad, 1 - beta1.to(device=param.device, dtype=param.dtype))
        else:
            exp_avg.lerp_(grad, 1 - beta1)
        if group["differentiable"] and _needs_grad(beta2):
            exp_avg_sq.lerp_(flambeau.square(grad), weight=1 - beta2)
        else:
            exp_avg_sq.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)

        second_moment = exp_avg_sq
        if amsgrad:
            _, second_moment = opt.as_real(state["exp_avg"], state["max_exp_avg_sq"])
            if group["differentiable"]:
                second_moment.copy_(flambeau.maximum(second_moment.clone(), exp_avg_sq))
            else:
                flambeau.maximum(second_moment, exp_avg_sq, out=second_moment)

        if group["differentiable"]:
            # The step count stays a tensor, and the step size moves into the denominator.
            bias_correction1 = 1 - beta1 ** step_t.clone()
            bias_correction2 = 1 - beta2 ** step_t.clone()
            step_size_neg = (lr / bias_correction1).neg()
            scale = bias_correction2.sqrt() * step_size_neg
            denom = (second_moment.sqrt() / scale).add_(eps / step_size_neg)
            param.addcdiv_(exp_avg.clone(), denom)
        else:
            step = step_t.item()
            bias_correction1 = 1 - beta1**step
            bias_correction2 = 1 - beta2**step
            step_size = lr / bias_correction1
            denom = (second_moment.sqrt() / bias_correction2**0.5).add_(eps)
            param.addcdiv_(exp_avg, denom, value=-step_size)


def _needs_grad(option) -> bool:
    return isinstance(option, flambeau.Tensor) and option.requires_grad


def _check_beta_types(betas, loop_only) -> None:
    kinds = (float, flambeau.Tensor)
    if not any(isinstance(betas[0], kind) and isinstance(betas[1], kind) for kind in kinds):
        raise ValueError("betas must be either both floats or both Tensors")
    for i in range(2):
        if isinstance(betas[i], flambeau.Tensor):
            if loop_only:
                raise ValueError(f"betas[{i}] as a Tensor is not supported for capturable=False and foreach=True")
            opt.check_one_element(f"betas[{i}]", betas[i])
