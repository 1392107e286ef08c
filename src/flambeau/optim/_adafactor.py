"""Adafactor; follows `_single_tensor_adafactor` in torch/optim/_adafactor.py."""

from __future__ import annotations

import flambeau

from . import _options as opt
from .optimizer import Optimizer


class Adafactor(Optimizer):
    """Second moments of matrices kept as a row r and a column c; step count t.

        w = w - lr * weight_decay * w
        r = r + t**beta2_decay * (mean of grad**2 over columns - r), c over rows
        v = outer(r, c) / max(mean(r), eps1)          vectors: v itself is kept
        u = grad / sqrt(max(v, eps1**2))
        w = w - max(eps2, rms(w)) * min(lr, 1 / sqrt(t)) / max(1, rms(u) / d) * u

    eps: (eps1, eps2); an eps1 of None is the parameter type's epsilon. maximize: climb instead.
    """

    def __init__(
        self,
        params,
        lr=1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        opt.check_one_element("lr", lr)
        if not 0.0 <= lr:
            raise ValueError(f"Learning rate should be >= 0 but is: {lr}")
        if not 0.0 >= beta2_decay:
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        if eps[0] is not None and not 0.0 <= eps[0]:
            raise ValueError(f"epsilon1 should be >= 0 but is: {eps[0]}")
        if not 0.0 <= eps[1]:
            raise ValueError(f"epsilon2 should be >= 0 but is: {eps[1]}")
        if not 1.0 <= d:
            raise ValueError(f"Clipping threshold d should be >= 1 but is: {d}")
        if not 0.0 <= weight_decay:
            raise ValueError(f"weight_decay should be >= 0 but is: {weight_decay}")
        defaults = {
            "lr": lr,
            "beta2_decay": beta2_decay,
            "eps": eps,
            "d": d,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def __setstate__(self, state: dict) -> None:
        super().__setstate__(state)
        opt.set_group_defaults(self, foreach=None)
        opt.upgrade_state(self, "step")

    def step(self, closure=None):
        loss = opt.evaluate(closure)
        with flambeau.no_grad():
            for group in self.param_groups:
                for param, grad in opt.params_with_grad(group, "Adafactor does not support sparse gradients"):
                    if param.is_complex():
                        raise RuntimeError("Adafactor does not support complex parameters")
                    self._update(param, grad, self._state_of(param), group)
        return loss

    def _state_of(self, param) -> dict:
        state = self.state[param]
        grad = param.grad
        if len(state) == 0:
            state["step"] = opt.scalar_state(0.0)
            if grad.dim() > 1:
                shape = list(grad.shape)
                state["row_var"] = grad.new_zeros(shape[:-1] + [1])
                state["col_var"] = grad.new_zeros(shape[:-2] + [1] + shape[-1:])
            else:
                state["variance"] = opt.zeros_like(grad)
        return state

    def _update(self, param, grad, state: dict, group: dict) -> None:
        lr = opt.to_scalar(group["lr"])
        weight_decay = group["weight_decay"]
        eps1, eps2 = group["eps"]
        if eps1 is None:
            eps1 = flambeau.finfo(param.dtype).eps
        step_t = state["step"]
        step_t += 1
        step = step_t.item()
        one_minus_beta2_t = step ** group["beta2_decay"]
        rho_t = min(lr, 1 / (step**0.5))
        alpha = max(eps2, param.norm(2).item() / (param.numel() ** 0.5)) * rho_t

        if weight_decay != 0:
            param.mul_(1 - lr * weight_decay)

        if grad.dim() > 1:
            row_var = state["row_var"]
            col_var = state["col_var"]
            row_var.lerp_(_mean_square(grad, -1), one_minus_beta2_t)
            col_var.lerp_(_mean_square(grad, -2), one_minus_beta2_t)
            estimate = row_var @ col_var
            estimate.div_(row_var.mean(dim=-2, keepdim=True).clamp_(min=eps1))
        else:
            variance = state["variance"]
            variance.lerp_(grad * grad, one_minus_beta2_t)
            estimate = variance.clone()

        update = estimate.clamp_(min=eps1 * eps1).rsqrt_()
        update.mul_(grad)
        denom = max(1.0, update.norm(2).item() / ((update.numel() ** 0.5) * group["d"]))
        param.add_(update, alpha=-alpha / denom)


def _mean_square(grad, dim: int):
    # Through the norm, as PyTorch does to save the memory of a square.
    return flambeau.norm(grad, dim=dim, keepdim=True).square_().div_(grad.size(dim))
