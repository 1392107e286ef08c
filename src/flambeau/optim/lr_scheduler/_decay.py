"""Schedules that step or fade by simple factors; follow torch/optim/lr_scheduler.py."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter

from ._base import LRScheduler, group_values


class _FactorLR(LRScheduler):
    """Schedules whose next rate is the present one times a factor; None keeps it."""

    def _factor(self):
        raise NotImplementedError

    def get_lr(self) -> list:
        self._warn_unless_stepping()
        factor = self._factor()
        if factor is None:
            return group_values(self.optimizer, "lr")
        return [group["lr"] * factor for group in self.optimizer.param_groups]


class StepLR(_FactorLR):
    """Times gamma every step_size epochs."""

    def __init__(self, optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        if self.last_epoch == 0 or self.last_epoch % self.step_size != 0:
            return None
        return self.gamma

    def _get_closed_form_lr(self) -> list:
        times = self.last_epoch // self.step_size
        return [base_lr * self.gamma**times for base_lr in self.base_lrs]


class MultiStepLR(_FactorLR):
    """Times gamma at each milestone."""

    def __init__(self, optimizer, milestones, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        if self.last_epoch not in self.milestones:
            return None
        return self.gamma ** self.milestones[self.last_epoch]

    def _get_closed_form_lr(self) -> list:
        milestones = sorted(self.milestones.elements())
        times = bisect_right(milestones, self.last_epoch)
        return [base_lr * self.gamma**times for base_lr in self.base_lrs]


class ConstantLR(_FactorLR):
    """factor times the rate for the first total_iters epochs, then the rate itself."""

    def __init__(self, optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1) -> None:
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        if self.last_epoch == 0:
            return self.factor
        if self.last_epoch != self.total_iters:
            return None
        return 1.0 / self.factor

    def _get_closed_form_lr(self) -> list:
        rest = (self.last_epoch >= self.total_iters) * (1 - self.factor)
        return [base_lr * (self.factor + rest) for base_lr in self.base_lrs]


class LinearLR(_FactorLR):
    """The factor goes straight from start_factor to end_factor in total_iters epochs."""

    def __init__(
        self,
        optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        if self.last_epoch == 0:
            return self.start_factor
        if self._is_initial or self.last_epoch > self.total_iters:
            return None
        change = self.end_factor - self.start_factor
        so_far = self.total_iters * self.start_factor + (self.last_epoch - 1) * change
        return 1.0 + change / so_far

    def _get_closed_form_lr(self) -> list:
        change = self.end_factor - self.start_factor
        epoch = min(self.total_iters, self.last_epoch)
        factor = self.start_factor + change * epoch / self.total_iters
        return [base_lr * factor for base_lr in self.base_lrs]


class ExponentialLR(_FactorLR):
    """Times gamma every epoch."""

    def __init__(self, optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        return None if self._is_initial else self.gamma

    def _get_closed_form_lr(self) -> list:
        return [base_lr * self.gamma**self.last_epoch for base_lr in self.base_lrs]


class PolynomialLR(_FactorLR):
    """initial lr * (1 - epoch / total_iters)**power, zero from total_iters on."""

    def __init__(self, optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        if self._is_initial or self.last_epoch > self.total_iters:
            return None
        now = 1.0 - self.last_epoch / self.total_iters
        before = 1.0 - (self.last_epoch - 1) / self.total_iters
        return (now / before) ** self.power

    def _get_closed_form_lr(self) -> list:
        epoch = min(self.total_iters, self.last_epoch)
        factor = (1.0 - epoch / self.total_iters) ** self.power
        return [base_lr * factor for base_lr in self.base_lrs]
