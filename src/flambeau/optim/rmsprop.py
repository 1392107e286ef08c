"""RMSprop; follows `_single_tensor_rmsprop` in torch/optim/rmsprop.py."""

from __future__ import annotations

from . import _options as opt
from .optimizer import Optimizer, _use_grad_for_differentiable


class RMSprop(Optimizer):
    """Gradients divided by their running root mean square.

        g = grad + weight_decay * w
        v = alpha * v + (1 - alpha) * g * g
        w = w - lr * g / (sqrt(v) + eps)

    momentum: b = momentum * b + g / (sqrt(v) + eps), then w = w - lr * b.
    centered: v minus the square of the running mean gradient. maximize: climb instead.
    """

    def __init__(
        self,
        params,
        lr=1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        opt.check_lr(lr)
        opt.check_nonnegative("epsilon value", eps)
        opt.check_nonnegative("momentum value", momentum)
        opt.check_nonnegative("weight_decay value", weight_decay)
        opt.check_nonnegative("alpha value", alpha)
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "centered": centered,
            "weight_decay": weight_decay,
            "capturable": capturable,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def __setstate__(self, state: dict) -> None:
        super().__setstate__(state)
        opt.set_group_defaults(
            self,
            momentum=0,
            centered=False,
            foreach=None,
            maximize=False,
            differentiable=False,
            capturable=False,
        )
        opt.upgrade_state(self, "step")

    @_use_grad_for_differentiable
    def step(self, closure=None):
        loss = opt.evaluate(closure)
        for group in self.param_groups:
            for param, grad in opt.params_with_grad(group, "RMSprop does not support sparse gradients"):
                opt.check_capturable(group)
                self._update(param, grad, self._state_of(param, group), group)
        return loss

    def _state_of(self, param, group: dict) -> dict:
        state = self.state[param]
        if len(state) == 0:
            state["step"] = opt.scalar_state(0.0)
            state["square_avg"] = opt.zeros_like(param)
            if group["momentum"] > 0:
                state["momentum_buffer"] = opt.zeros_like(param)
            if group["centered"]:
                state["grad_avg"] = opt.zeros_like(param)
        return state

    def _update(self, param, grad, state: dict, group: dict) -> None:
        lr = opt.to_scalar(group["lr"])
        alpha = group["alpha"]
        eps = group["eps"]
        momentum = group["momentum"]
        weight_decay = group["weight_decay"]
        step = state["step"]
        step += 1

        if weight_decay != 0:
            grad = grad.add(param, alpha=weight_decay)
        like = param
        param, grad, square_avg = opt.as_real(param, grad, state["square_avg"])
        square_avg.mul_(alpha).addcmul_(grad, grad, value=1 - alpha)

        if group["centered"]:
            _, grad_avg = opt.as_real(like, state["grad_avg"])
            grad_avg.lerp_(grad, 1 - alpha)
            avg = square_avg.addcmul(grad_avg, grad_avg, value=-1).sqrt_()
        else:
            avg = square_avg.sqrt()
        # Not in place when autograd is to go through the square root.
        avg = avg.add(eps) if group["differentiable"] else avg.add_(eps)

        if momentum > 0:
            _, buf = opt.as_real(like, state["momentum_buffer"])
            buf.mul_(momentum).addcdiv_(grad, avg)
            param.add_(buf, alpha=-lr)
        else:
            param.addcdiv_(grad, avg, value=-lr)
