"""The old names of ``torch.amp`` for CUDA; follows torch/cuda/amp. PyTorch deprecates them, too."""

from __future__ import annotations

import functools
import warnings

import flambeau
from flambeau import amp


def _deprecated(old: str, new: str) -> None:
    warnings.warn(
        f"`torch.cuda.amp.{old}(args...)` is deprecated. Please use `torch.amp.{new}` instead.",
        FutureWarning,
        stacklevel=3,
    )


class autocast(amp.autocast):
    """`amp.autocast` for CUDA; without a CUDA device it is disabled."""

    def __init__(self, enabled: bool = True, dtype=None, cache_enabled: bool = True) -> None:
        _deprecated("autocast", "autocast('cuda', args...)")
        dtype = flambeau.float16 if dtype is None else dtype
        super().__init__("cuda", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(amp.GradScaler):
    """`amp.GradScaler` for CUDA; without a CUDA device it is disabled."""

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        _deprecated("GradScaler", "GradScaler('cuda', args...)")
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


def custom_fwd(fwd=None, *, cast_inputs=None):
    _deprecated("custom_fwd", "custom_fwd(args..., device_type='cuda')")
    make = functools.partial(amp.custom_fwd, device_type="cuda", cast_inputs=cast_inputs)
    return make if fwd is None else make(fwd)


def custom_bwd(bwd):
    _deprecated("custom_bwd", "custom_bwd(args..., device_type='cuda')")
    return amp.custom_bwd(bwd, device_type="cuda")
