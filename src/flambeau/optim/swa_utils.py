"""Averages of the weights of a training run; follows torch/optim/swa_utils.py."""

from __future__ import annotations

import itertools
import math
from copy import deepcopy

import flambeau
from flambeau.nn import Module

from .lr_scheduler._base import LRScheduler, per_group


def _check_decay(decay: float) -> None:
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def get_ema_avg_fn(decay: float = 0.999):
    """average = decay * average + (1 - decay) * weight, for `AveragedModel(avg_fn=...)`."""
    _check_decay(decay)

    def ema_update(ema_param, current_param, num_averaged):
        with flambeau.no_grad():
            return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn():
    """average = average + (weight - average) / (n + 1), for `AveragedModel(avg_fn=...)`."""

    def swa_update(averaged_param, current_param, num_averaged):
        with flambeau.no_grad():
            return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


def get_ema_multi_avg_fn(decay: float = 0.999):
    """The same as `get_ema_avg_fn` by `lerp_`, for `AveragedModel(multi_avg_fn=...)`."""
    _check_decay(decay)

    def ema_update(ema_param_list, current_param_list, _):
        with flambeau.no_grad():
            for ema, current in zip(ema_param_list, current_param_list, strict=True):
                if ema.is_floating_point() or ema.is_complex():
                    ema.lerp_(current, 1 - decay)
                else:
                    ema.copy_(ema * decay + current * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn():
    """The same as `get_swa_avg_fn` by `lerp_`, for `AveragedModel(multi_avg_fn=...)`."""

    def swa_update(averaged_param_list, current_param_list, num_averaged):
        with flambeau.no_grad():
            for average, current in zip(averaged_param_list, current_param_list, strict=True):
                if average.is_floating_point() or average.is_complex():
                    average.lerp_(current, _number(1 / (num_averaged + 1)))
                elif isinstance(num_averaged, flambeau.Tensor):
                    average.addcdiv_(current - average, num_averaged + 1)
                else:
                    average.add_(current - average, alpha=1.0 / (num_averaged + 1))

    return swa_update


def _number(value):
    # PyTorch's foreach kernel takes a 0-dim tensor as the number it holds.
    return value.item() if isinstance(value, flambeau.Tensor) else value


class AveragedModel(Module):
    """A copy of a model whose weights are an average of that model's over time.

    avg_fn: one parameter's average from (average, weight, n). multi_avg_fn: all of them in
    place, from lists. The mean is the default. use_buffers: average buffers, too, instead of
    copying them.
    """

    def __init__(self, model, device=None, avg_fn=None, multi_avg_fn=None, use_buffers: bool = False) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", flambeau.tensor(0, dtype=flambeau.long, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args, **kwargs):
        return self.module(*args, **kwargs)

    def update_parameters(self, model) -> None:
        """Take the present weights of `model` into the average."""
        averages = [p.detach() for p in self._averaged(self.module)]
        currents = [p.detach() for p in self._averaged(model)]
        if self.n_averaged == 0:
            for average, current in zip(averages, currents):
                average.copy_(current)
        elif self.multi_avg_fn is not None:
            for same_type in _by_dtype(averages, currents):
                self.multi_avg_fn(*same_type, self.n_averaged)
        else:
            avg_fn = self.avg_fn or get_swa_avg_fn()
            for average, current in zip(averages, currents):
                average.copy_(avg_fn(average, current, self.n_averaged))
        if not self.use_buffers:
            for own, buffer in zip(self.module.buffers(), model.buffers(), strict=True):
                own.detach().copy_(buffer.detach())
        self.n_averaged += 1

    def _averaged(self, model):
        if self.use_buffers:
            return itertools.chain(model.parameters(), model.buffers())
        return model.parameters()


def _by_dtype(averages, currents) -> list:
    """The pairs as two lists for each type, because user functions may look at the first only."""
    groups: dict = {}
    for average, current in zip(averages, currents):
        own, other = groups.setdefault(average.dtype, ([], []))
        own.append(average)
        other.append(current)
    return list(groups.values())


def update_bn(loader, model, device=None) -> None:
    """Compute the running statistics of all BatchNorm layers anew from one pass over `loader`."""
    momenta = {}
    for module in model.modules():
        if isinstance(module, flambeau.nn.modules.batchnorm._BatchNorm):
            module.reset_running_stats()
            momenta[module] = module.momentum
    if not momenta:
        return
    was_training = model.training
    model.train()
    for module in momenta:
        # None makes the statistics a plain mean over all batches.
        module.momentum = None
    with flambeau.no_grad():
        for input in loader:
            if isinstance(input, (list, tuple)):
                input = input[0]
            if device is not None:
                input = input.to(device)
            model(input)
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """Anneals each group's rate to swa_lr within anneal_epochs, then keeps it.

    anneal_strategy: "cos" or "linear".
    """

    def __init__(
        self,
        optimizer,
        swa_lr,
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        swa_lrs = per_group("swa_lr", optimizer, swa_lr)
        for value, group in zip(swa_lrs, optimizer.param_groups, strict=True):
            group["swa_lr"] = value
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_strategy = anneal_strategy
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _anneal(self, step: int) -> float:
        """How far along the way from the initial rate to swa_lr."""
        t = max(0, min(1, step / max(1, self.anneal_epochs)))
        return (1 - math.cos(math.pi * t)) / 2 if self._anneal_strategy == "cos" else t

    def get_lr(self) -> list:
        self._warn_unless_stepping()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before = self._anneal(step - 1)
        alpha = self._anneal(step)
        lrs = []
        for group in self.optimizer.param_groups:
            lr, swa_lr = group["lr"], group["swa_lr"]
            # The initial rate, worked out from the present one.
            start = swa_lr if before == 1 else (lr - before * swa_lr) / (1 - before)
            lrs.append(swa_lr * alpha + start * (1 - alpha))
        return lrs
