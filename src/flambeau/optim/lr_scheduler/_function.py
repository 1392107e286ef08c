"""Schedules given as functions of the epoch; follow torch/optim/lr_scheduler.py."""

from __future__ import annotations

from ._base import LRScheduler, group_values, state_of_callable


class _FunctionLR(LRScheduler):
    """One function for all groups or a list of one per group; what both schedules share."""

    def __init__(self, optimizer, lr_lambda, last_epoch: int = -1) -> None:
        self.optimizer = optimizer
        count = len(optimizer.param_groups)
        if isinstance(lr_lambda, (list, tuple)):
            if len(lr_lambda) != count:
                raise ValueError(f"Expected {count} lr_lambdas, but got {len(lr_lambda)}")
            self.lr_lambdas = list(lr_lambda)
        else:
            self.lr_lambdas = [lr_lambda] * count
        self._check_functions()
        super().__init__(optimizer, last_epoch)

    def _check_functions(self) -> None:
        pass

    def state_dict(self) -> dict:
        """Functions are left out; of callable objects the attributes are kept."""
        state = super().state_dict()
        state["lr_lambdas"] = [state_of_callable(fn) for fn in self.lr_lambdas]
        return state

    def load_state_dict(self, state_dict: dict) -> None:
        state = dict(state_dict)
        for fn, kept in zip(self.lr_lambdas, state.pop("lr_lambdas")):
            if kept is not None:
                fn.__dict__.update(kept)
        super().load_state_dict(state)


class LambdaLR(_FunctionLR):
    """lr = initial lr * lr_lambda(epoch)."""

    def get_lr(self) -> list:
        self._warn_unless_stepping()
        return [base_lr * fn(self.last_epoch) for fn, base_lr in zip(self.lr_lambdas, self.base_lrs, strict=True)]


class MultiplicativeLR(_FunctionLR):
    """lr = lr * lr_lambda(epoch)."""

    def _check_functions(self) -> None:
        for fn in self.lr_lambdas:
            if not callable(fn):
                raise TypeError(f"lr_lambda should be a function, but got {type(fn).__name__}")

    def get_lr(self) -> list:
        self._warn_unless_stepping()
        if self._is_initial:
            return group_values(self.optimizer, "lr")
        return [
            group["lr"] * fn(self.last_epoch)
            for fn, group in zip(self.lr_lambdas, self.optimizer.param_groups, strict=True)
        ]
