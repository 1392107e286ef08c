"""Loss scaling for half precision; follows torch/amp/grad_scaler.py on the CPU."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import flambeau

# What has happened to the gradients of one optimizer since the last `update`.
READY, UNSCALED, STEPPED = "ready", "unscaled", "stepped"


def _new_optimizer_state() -> dict:
    return {"stage": READY, "found_inf": None}


class GradScaler:
    """Scales a loss up before backward, so that small gradients survive in half precision.

        scaler.scale(loss).backward()
        scaler.step(optimizer)         # divides the gradients; no step if one is inf or nan
        scaler.update()

    The scale starts at init_scale. An inf or nan multiplies it by backoff_factor;
    growth_interval steps in a row without one, by growth_factor.
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._device = device
        self._enabled = enabled
        if enabled and device == "cuda":
            warnings.warn(
                "torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.",
                stacklevel=2,
            )
            self._enabled = False
        if self._enabled:
            if growth_factor <= 1.0:
                raise AssertionError("The growth factor must be > 1.0.")
            if backoff_factor >= 1.0:
                raise AssertionError("The backoff factor must be < 1.0.")
            self._init_scale = init_scale
            # Tensors from the first `scale` on.
            self._scale: Any = None
            self._growth_factor = growth_factor
            self._backoff_factor = backoff_factor
            self._growth_interval = growth_interval
            self._init_growth_tracker = 0
            self._growth_tracker: Any = None
            self._per_optimizer_states: dict[int, dict] = defaultdict(_new_optimizer_state)

    # -- an iteration

    def scale(self, outputs):
        """`outputs`, a tensor or nested lists and tuples of tensors, times the scale."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, flambeau.Tensor):
            if self._scale is None:
                self._start()
            return outputs * self._scale
        if isinstance(outputs, Iterable):
            scaled = map(self.scale, outputs)
            return type(outputs)(scaled) if isinstance(outputs, (list, tuple)) else scaled
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def unscale_(self, optimizer) -> None:
        """Divide the gradients now, for example to clip them before `step`."""
        if not self._enabled:
            return
        self._check_started("unscale_")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if state["stage"] is STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        # Through double, as in PyTorch: the reciprocal of the float scale may round otherwise.
        inv_scale = self._scale.double().reciprocal().float()
        state["found_inf"] = _unscale_grads(optimizer, inv_scale)
        state["stage"] = UNSCALED

    def step(self, optimizer, *args, **kwargs):
        """`optimizer.step`, unless a gradient is inf or nan."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._check_started("step")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if state["stage"] is READY:
            self.unscale_(optimizer)
        if state["found_inf"] is None:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        result = None
        if not state["found_inf"].item():
            result = optimizer.step(*args, **kwargs)
        state["stage"] = STEPPED
        return result

    def update(self, new_scale=None) -> None:
        """Adapt the scale, once at the end of an iteration; or set it."""
        if not self._enabled:
            return
        self._check_started("update")
        if new_scale is not None:
            self._set_scale(new_scale)
        else:
            self._adapt_scale()
        self._per_optimizer_states = defaultdict(_new_optimizer_state)

    def _start(self) -> None:
        self._scale = flambeau.full((), self._init_scale, dtype=flambeau.float32)
        self._growth_tracker = flambeau.full((), self._init_growth_tracker, dtype=flambeau.int32)

    def _check_started(self, funcname: str) -> None:
        if self._scale is None:
            raise AssertionError(
                f"Attempted {funcname} but _scale is None.  This may indicate your script did not "
                "use scaler.scale(loss or outputs) earlier in the iteration."
            )

    def _set_scale(self, new_scale) -> None:
        if isinstance(new_scale, float):
            self._scale.fill_(new_scale)
            return
        fits = new_scale.device.type == self._device and new_scale.numel() == 1
        if not fits or new_scale.requires_grad:
            raise AssertionError(
                "new_scale should be a float or a 1-element torch.cuda.FloatTensor or "
                "torch.FloatTensor with requires_grad=False."
            )
        self._scale.copy_(new_scale)

    def _adapt_scale(self) -> None:
        """The rule of `_amp_update_scale_`, in Python: the scale and the tracker are numbers."""
        found = [state["found_inf"] for state in self._per_optimizer_states.values()]
        found = [value for value in found if value is not None]
        if not found:
            raise AssertionError("No inf checks were recorded prior to update.")
        if any(value.item() for value in found):
            self._scale.mul_(self._backoff_factor)
            self._growth_tracker.fill_(0)
            return
        successes = int(self._growth_tracker.item()) + 1
        if successes < self._growth_interval:
            self._growth_tracker.fill_(successes)
            return
        # A scale that would overflow stays.
        grown = self._scale * self._growth_factor
        if flambeau.isfinite(grown).item():
            self._scale.copy_(grown)
        self._growth_tracker.fill_(0)

    # -- the numbers

    def is_enabled(self) -> bool:
        return self._enabled

    def get_scale(self) -> float:
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else self._scale.item()

    def _get_growth_tracker(self) -> int:
        if not self._enabled:
            return 0
        tracker = self._growth_tracker
        return self._init_growth_tracker if tracker is None else int(tracker.item())

    def get_growth_factor(self) -> float:
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        self._growth_interval = new_interval

    # -- checkpoints

    def state_dict(self) -> dict:
        """The numbers, or an empty dict of a disabled scaler."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._get_growth_tracker(),
        }

    def load_state_dict(self, state_dict: dict) -> None:
        """Take over what `state_dict` gave; a disabled scaler ignores it."""
        if not self._enabled:
            return
        if len(state_dict) == 0:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._init_scale = state_dict["scale"]
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._init_growth_tracker = state_dict["_growth_tracker"]
        if self._scale is not None:
            self._scale.fill_(self._init_scale)
            self._growth_tracker.fill_(self._init_growth_tracker)

    def __getstate__(self) -> dict:
        state = self.__dict__.copy()
        if self._enabled:
            if len(self._per_optimizer_states) != 0:
                raise AssertionError(
                    "A GradScaler instance may only be pickled at the beginning of an iteration, "
                    "or at the end after scaler.update()."
                )
            state["_init_scale"] = self.get_scale()
            state["_init_growth_tracker"] = self._get_growth_tracker()
            state["_scale"] = None
            state["_growth_tracker"] = None
        return state


def _unscale_grads(optimizer, inv_scale):
    """Multiply all gradients; the result is 1.0 if one of them is inf or nan, 0.0 if none is.

    None without gradients.
    """
    found = None
    with flambeau.no_grad():
        for group in optimizer.param_groups:
            for param in group["params"]:
                grad = param.grad
                if grad is None:
                    continue
                if grad.dtype == flambeau.float16:
                    raise ValueError("Attempting to unscale FP16 gradients.")
                if found is None:
                    found = flambeau.full((), 0.0, dtype=flambeau.float32)
                if not flambeau.isfinite(grad).all().item():
                    found.fill_(1.0)
                grad.mul_(inv_scale)
    return found
