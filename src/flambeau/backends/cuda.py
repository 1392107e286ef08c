"""``torch.backends.cuda``: there is no CUDA; the switches keep what is put into them."""

from __future__ import annotations

from typing import Any

from flambeau import _C

from ._flags import Flags

matmul = Flags(
    "torch.backends.cuda.matmul",
    allow_tf32=False,
    fp32_precision="none",
    allow_fp16_reduced_precision_reduction=True,
    allow_bf16_reduced_precision_reduction=True,
    allow_fp16_accumulation=False,
)

# Which kernels scaled_dot_product_attention may use. Of these only flash exists on the CPU: the core keeps its switch.
_sdp = {"mem_efficient": True, "math": True, "cudnn": True}


def is_built() -> bool:
    return False


def flash_sdp_enabled() -> bool:
    return _C._get_flash_sdp_enabled()


def mem_efficient_sdp_enabled() -> bool:
    return _sdp["mem_efficient"]


def math_sdp_enabled() -> bool:
    return _sdp["math"]


def cudnn_sdp_enabled() -> bool:
    return _sdp["cudnn"]


def enable_flash_sdp(enabled: bool) -> None:
    _C._set_sdp_use_flash(bool(enabled))


def enable_mem_efficient_sdp(enabled: bool) -> None:
    _sdp["mem_efficient"] = bool(enabled)


def enable_math_sdp(enabled: bool) -> None:
    _sdp["math"] = bool(enabled)


def enable_cudnn_sdp(enabled: bool) -> None:
    _sdp["cudnn"] = bool(enabled)


class sdp_kernel:
    """Allows kernels for a block; the old form of ``torch.nn.attention.sdpa_kernel``."""

    def __init__(
        self,
        enable_flash: bool = True,
        enable_math: bool = True,
        enable_mem_efficient: bool = True,
        enable_cudnn: bool = True,
    ) -> None:
        self._flash = enable_flash
        self._wanted = {
            "math": enable_math,
            "mem_efficient": enable_mem_efficient,
            "cudnn": enable_cudnn,
        }

    def __enter__(self) -> Any:
        self._before = dict(_sdp)
        self._flash_before = flash_sdp_enabled()
        _sdp.update(self._wanted)
        enable_flash_sdp(self._flash)
        return self

    def __exit__(self, *exception: object) -> None:
        _sdp.update(self._before)
        enable_flash_sdp(self._flash_before)
