"""Schedules that move rate and momentum in cycles; follow torch/optim/lr_scheduler.py."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

from ._base import (
    LRScheduler,
    check_optimizer,
    per_group,
    set_group_value,
    state_of_callable,
)


class _MomentumCycle(LRScheduler):
    """What both schedules share: momentum, or beta1 of the Adam family, moves with the rate."""

    def _start_momentum(self, base_momentum, max_momentum, last_epoch: int) -> None:
        optimizer = self.optimizer
        if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        self.use_beta1 = "betas" in optimizer.defaults
        if last_epoch != -1:
            return
        for highest, lowest, group in zip(max_momentum, base_momentum, optimizer.param_groups, strict=True):
            self._set_momentum(group, highest)
            group["max_momentum"] = highest
            group["base_momentum"] = lowest

    def _set_momentum(self, group: dict, momentum) -> None:
        if self.use_beta1:
            group["betas"] = (momentum, *group["betas"][1:])
        else:
            group["momentum"] = momentum


class CyclicLR(_MomentumCycle):
    """From base_lr up to max_lr in step_size_up steps and down in step_size_down; momentum
    the other way.

    mode: "triangular"; "triangular2" halves the height every cycle; "exp_range" times
    gamma**step. scale_fn, of the cycle or of the step by scale_mode, replaces the mode.
    """

    def __init__(
        self,
        optimizer,
        base_lr,
        max_lr,
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn=None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum=0.8,
        max_momentum=0.9,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        base_lrs = per_group("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for lr, group in zip(base_lrs, optimizer.param_groups, strict=True):
                set_group_value(group, "lr", lr)
        self.max_lrs = per_group("max_lr", optimizer, max_lr)

        up = float(step_size_up)
        down = up if step_size_down is None else float(step_size_down)
        self.total_size = up + down
        self.step_ratio = up / self.total_size

        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode
        self._init_scale_fn()

        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.base_momentums = per_group("base_momentum", optimizer, base_momentum)
            self.max_momentums = per_group("max_momentum", optimizer, max_momentum)
            self._start_momentum(self.base_momentums, self.max_momentums, last_epoch)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def _init_scale_fn(self) -> None:
        if self._scale_fn_custom is not None:
            return
        if self.mode == "exp_range":
            self._scale_fn_ref: Callable = functools.partial(_exp_range, self.gamma)
            self.scale_mode = "iterations"
        else:
            self._scale_fn_ref = _triangular2 if self.mode == "triangular2" else _triangular
            self.scale_mode = "cycle"

    def scale_fn(self, x) -> float:
        """The height of the cycle or step x, as a fraction."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        return self._scale_fn_ref(x)

    def get_lr(self) -> list:
        self._warn_unless_stepping()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        if x <= self.step_ratio:
            scale_factor = x / self.step_ratio
        else:
            scale_factor = (x - 1) / (self.step_ratio - 1)
        at = cycle if self.scale_mode == "cycle" else self.last_epoch

        lrs = []
        for base_lr, max_lr in zip(self.base_lrs, self.max_lrs, strict=True):
            height = (max_lr - base_lr) * scale_factor
            lrs.append(base_lr + height * self.scale_fn(at))
        if self.cycle_momentum:
            for lowest, highest, group in zip(
                self.base_momentums, self.max_momentums, self.optimizer.param_groups, strict=True
            ):
                height = (highest - lowest) * scale_factor
                self._set_momentum(group, highest - height * self.scale_fn(at))
        return lrs

    def state_dict(self) -> dict:
        """A scale function is left out; of a callable object the attributes are kept."""
        state = super().state_dict()
        state.pop("_scale_fn_ref", None)
        state["_scale_fn_custom"] = state_of_callable(self._scale_fn_custom)
        return state

    def load_state_dict(self, state_dict: dict) -> None:
        state = dict(state_dict)
        kept = state.pop("_scale_fn_custom")
        super().load_state_dict(state)
        if kept is not None:
            self._scale_fn_custom.__dict__.update(kept)
        self._init_scale_fn()


def _triangular(x) -> float:
    return 1.0


def _triangular2(x) -> float:
    return 1 / (2.0 ** (x - 1))


def _exp_range(gamma: float, x) -> float:
    return gamma**x


class OneCycleLR(_MomentumCycle):
    """One cycle over the whole training: from max_lr / div_factor up to max_lr in the first
    pct_start of the steps, then down to max_lr / div_factor / final_div_factor.

    total_steps, or epochs and steps_per_epoch. anneal_strategy: "cos" or "linear".
    three_phase: down to the initial rate as fast as up, then to the final one.
    """

    def __init__(
        self,
        optimizer,
        max_lr,
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum=0.85,
        max_momentum=0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        self.total_steps = _total_steps(total_steps, epochs, steps_per_epoch)
        self._schedule_phases = _phases(self.total_steps, pct_start, three_phase)
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_func_type = anneal_strategy

        max_lrs = per_group("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for highest, group in zip(max_lrs, optimizer.param_groups):
                group["initial_lr"] = highest / div_factor
                group["max_lr"] = highest
                group["min_lr"] = group["initial_lr"] / final_div_factor

        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._start_momentum(
                per_group("base_momentum", optimizer, base_momentum),
                per_group("max_momentum", optimizer, max_momentum),
                last_epoch,
            )
        super().__init__(optimizer, last_epoch)

    def _anneal(self, start, end, pct: float):
        if self._anneal_func_type == "cos":
            return end + (start - end) / 2.0 * (math.cos(math.pi * pct) + 1)
        return (end - start) * pct + start

    def get_lr(self) -> list:
        self._warn_unless_stepping()
        step_num = self.last_epoch
        if step_num > self.total_steps:
            raise ValueError(
                f"Tried to step {step_num} times. The specified number of total steps is {self.total_steps}"
            )
        phase, start_step = self._phase_at(step_num)
        pct = (step_num - start_step) / (phase["end_step"] - start_step)
        lrs = []
        for group in self.optimizer.param_groups:
            lrs.append(self._anneal(group[phase["start_lr"]], group[phase["end_lr"]], pct))
            if self.cycle_momentum:
                ends = group[phase["start_momentum"]], group[phase["end_momentum"]]
                self._set_momentum(group, self._anneal(*ends, pct))
        return lrs

    def _phase_at(self, step_num: int) -> tuple[dict, float]:
        start_step = 0.0
        for phase in self._schedule_phases[:-1]:
            if step_num <= phase["end_step"]:
                return phase, start_step
            start_step = phase["end_step"]
        return self._schedule_phases[-1], start_step


def _total_steps(total_steps, epochs, steps_per_epoch) -> int:
    if total_steps is not None:
        if total_steps <= 0 or not isinstance(total_steps, int):
            raise ValueError(f"Expected positive integer total_steps, but got {total_steps}")
        return total_steps
    if epochs is None or steps_per_epoch is None:
        raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    if not isinstance(epochs, int) or epochs <= 0:
        raise ValueError(f"Expected positive integer epochs, but got {epochs}")
    if not isinstance(steps_per_epoch, int) or steps_per_epoch <= 0:
        raise ValueError(f"Expected positive integer steps_per_epoch, but got {steps_per_epoch}")
    return epochs * steps_per_epoch


def _phases(total_steps: int, pct_start: float, three_phase: bool) -> list[dict]:
    up = float(pct_start * total_steps) - 1
    last = total_steps - 1
    if not three_phase:
        return [
            _phase(up, "initial_lr", "max_lr", "max_momentum", "base_momentum"),
            _phase(last, "max_lr", "min_lr", "base_momentum", "max_momentum"),
        ]
    down = float(2 * pct_start * total_steps) - 2
    return [
        _phase(up, "initial_lr", "max_lr", "max_momentum", "base_momentum"),
        _phase(down, "max_lr", "initial_lr", "base_momentum", "max_momentum"),
        _phase(last, "initial_lr", "min_lr", "max_momentum", "max_momentum"),
    ]


def _phase(end_step, start_lr, end_lr, start_momentum, end_momentum) -> dict:
    return {
        "end_step": end_step,
        "start_lr": start_lr,
        "end_lr": end_lr,
        "start_momentum": start_momentum,
        "end_momentum": end_momentum,
    }
