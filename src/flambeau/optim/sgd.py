"""Stochastic gradient descent; follows `_single_tensor_sgd` in torch/optim/sgd.py."""

from __future__ import annotations

import flambeau

from . import _options as opt
from .optimizer import Optimizer, _use_grad_for_differentiable


class SGD(Optimizer):
    """Gradient descent with momentum b (dampening d) and weight decay wd.

        g = grad + wd * w
        b = momentum * b + (1 - d) * g        b = g at the first step
        w = w - lr * b                        nesterov: w - lr * (g + momentum * b)

    maximize: climb instead.
    """

    def __init__(
        self,
        params,
        lr=1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay=0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        opt.check_one_element("lr", lr)
        if lr < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if momentum < 0.0:
            raise ValueError(f"Invalid momentum value: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        opt.check_fused("SGD", fused, foreach, differentiable)
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)

    def __setstate__(self, state: dict) -> None:
        super().__setstate__(state)
        opt.set_group_defaults(self, nesterov=False, maximize=False, foreach=None, differentiable=False, fused=False)

    @_use_grad_for_differentiable
    def step(self, closure=None):
        loss = opt.evaluate(closure)
        for group in self.param_groups:
            for param, grad in opt.params_with_grad(group, refuse_sparse=""):
                self._update(param, grad, group)
        return loss

    def _update(self, param, grad, group: dict) -> None:
        lr = opt.to_scalar(group["lr"])
        momentum = group["momentum"]
        weight_decay = group["weight_decay"]
        if weight_decay != 0:
            if _needs_grad(weight_decay):
                grad = grad.addcmul_(param.clone(), weight_decay)
            else:
                grad = grad.add(param, alpha=weight_decay)

        if momentum != 0:
            state = self.state[param]
            buf = state.get("momentum_buffer")
            if buf is None:
                buf = grad.detach().clone()
                state["momentum_buffer"] = buf
            else:
                buf.mul_(momentum).add_(grad, alpha=1 - group["dampening"])
            if group["nesterov"]:
                grad = grad.add(buf, alpha=momentum)
            else:
                grad = buf

        if _needs_grad(lr):
            param.addcmul_(grad, lr, value=-1)
        else:
            param.add_(grad, alpha=-lr)


def _needs_grad(option) -> bool:
    return isinstance(option, flambeau.Tensor) and option.requires_grad
