"""The base of the schedules; follows LRScheduler in torch/optim/lr_scheduler.py.

Most schedules have two forms: `get_lr` goes from the present rate to the next one, so that
schedules can be chained, and `_get_closed_form_lr` computes the rate of an epoch. They round
differently; which one runs when is PyTorch's choice.
"""

from __future__ import annotations

import functools
import types
import warnings
import weakref

import flambeau

from .._options import to_scalar
from ..optimizer import Optimizer

EPOCH_DEPRECATION_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being "
    "deprecated where possible. Please use `scheduler.step()` to step the "
    "scheduler. During the deprecation, if epoch is different from None, the "
    "closed form is used instead of the new chainable form, where available. "
    "Please open an issue if you are unable to replicate your use case: "
    "https://github.com/pytorch/pytorch/issues/new/choose."
)

_ORDER_ADVICE = "See more details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"


class LRScheduler:
    """Sets the learning rate of each parameter group, once per `step`.

    last_epoch: -1 to start; another epoch to go on from there, which needs "initial_lr" in
    the groups.
    """

    _get_lr_called_within_step = False
    _is_initial = False

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        if last_epoch == -1:
            for group in optimizer.param_groups:
                group.setdefault("initial_lr", copy_of(group["lr"]))
        else:
            for i, group in enumerate(optimizer.param_groups):
                if "initial_lr" not in group:
                    raise KeyError(
                        "param 'initial_lr' is not specified in "
                        f"param_groups[{i}] when resuming scheduler with last_epoch >= 0.\n"
                        "This typically happens when:\n"
                        "1. You're trying to resume training from a checkpoint but haven't "
                        "properly loaded the optimizer state\n"
                        "2. You're using last_epoch >= 0 for a fresh training run (not recommended)"
                    )
        self.base_lrs = group_values(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        _note_steps_of(optimizer)
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self) -> dict:
        """Everything but the optimizer."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict) -> None:
        """Take over what `state_dict` gave."""
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list:
        """The rates last set, one per group."""
        return self._last_lr

    def get_lr(self) -> list:
        """The next rates; for subclasses. Users want `get_last_lr`."""
        raise NotImplementedError

    def step(self, epoch=None) -> None:
        """Set the rates of the next epoch, or of `epoch`."""
        if self._step_count == 1:
            self._warn_about_order()
        self._step_count += 1
        if epoch is not None:
            warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=2)
        self._update_lr(epoch)

    def _warn_about_order(self) -> None:
        if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
            warnings.warn(
                "Seems like `optimizer.step()` has been overridden after learning rate scheduler "
                "initialization. Please, make sure to call `optimizer.step()` before "
                "`lr_scheduler.step()`. " + _ORDER_ADVICE,
                UserWarning,
                stacklevel=3,
            )
        elif not getattr(self.optimizer, "_opt_called", False):
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. "
                "In PyTorch 1.1.0 and later, you should call them in the opposite order: "
                "`optimizer.step()` before `lr_scheduler.step()`.  Failure to do this "
                "will result in PyTorch skipping the first value of the learning rate schedule. " + _ORDER_ADVICE,
                UserWarning,
                stacklevel=3,
            )

    def _update_lr(self, epoch=None) -> None:
        self._get_lr_called_within_step = True
        try:
            if epoch is None:
                self.last_epoch += 1
                values = self.get_lr()
            else:
                self.last_epoch = epoch
                closed_form = getattr(self, "_get_closed_form_lr", self.get_lr)
                values = closed_form()
        finally:
            self._get_lr_called_within_step = False
        self._set_lr(values)

    def _set_lr(self, values) -> None:
        for group, lr in zip(self.optimizer.param_groups, values, strict=True):
            set_group_value(group, "lr", lr)
        self._last_lr = group_values(self.optimizer, "lr")

    def _warn_unless_stepping(self) -> None:
        if not self._get_lr_called_within_step:
            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.",
                UserWarning,
                stacklevel=3,
            )


# Kept by PyTorch for code that still derives from the private name.
class _LRScheduler(LRScheduler):
    pass


def _note_steps_of(optimizer) -> None:
    """Make `optimizer.step` leave a mark, for the warning about the order of the two steps."""
    if hasattr(optimizer.step, "_wrapped_by_lr_sched"):
        return
    # Weak, or the optimizer would keep itself alive through its own attribute.
    optimizer_ref = weakref.ref(optimizer)
    func = optimizer.step.__func__

    @functools.wraps(func)
    def step(*args, **kwargs):
        alive = optimizer_ref()
        alive._opt_called = True
        return func.__get__(alive, alive.__class__)(*args, **kwargs)

    vars(step)["_wrapped_by_lr_sched"] = True
    optimizer.step = step


def check_optimizer(optimizer) -> None:
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


def copy_of(value):
    return value.clone() if isinstance(value, flambeau.Tensor) else value


def group_values(optimizer, key: str) -> list:
    """One value per group; tensors as copies, because groups change theirs in place."""
    return [copy_of(group[key]) for group in optimizer.param_groups]


def set_group_value(group: dict, key: str, value) -> None:
    if isinstance(group[key], flambeau.Tensor):
        group[key].fill_(to_scalar(value))
    else:
        group[key] = value


def per_group(name: str, optimizer, value) -> list:
    """An option given once or once per group, as a list."""
    count = len(optimizer.param_groups)
    if isinstance(value, (list, tuple)):
        if len(value) != count:
            raise ValueError(
                f"{name} must have the same length as optimizer.param_groups. "
                f"{name} has {len(value)} values, param_groups has {count}."
            )
    else:
        value = [value] * count
    return [copy_of(v) for v in value]


def state_of_callable(fn):
    """What a state dict keeps of a user's function: the attributes of a callable object."""
    if fn is None or isinstance(fn, types.FunctionType):
        return None
    return fn.__dict__.copy()
