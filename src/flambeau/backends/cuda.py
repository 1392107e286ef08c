"""``torch.backends.cuda``: there is no CUDA; the switches keep what is put into them."""

from __future__ import annotations

from typing import Any

from ._flags import Flags

matmul = Flags(
    "torch.backends.cuda.matmul",
    allow_tf32=False,
    fp32_precision="none",
    allow_fp16_reduced_precision_reduction=True,
    allow_bf16_reduced_precision_reduction=True,
    allow_fp16_accumulation=False,
)

# Which kernels scaled_dot_product_attention may use on a GPU.
_sdp = {"flash": True, "mem_efficient": True, "math": True, "cudnn": True}


def is_built() -> bool:
    return False


def flash_sdp_enabled() -> bool:
    return _sdp["flash"]


def mem_efficient_sdp_enabled() -> bool:
    return _sdp["mem_efficient"]


def math_sdp_enabled() -> bool:
    return _sdp["math"]


def cudnn_sdp_enabled() -> bool:
    return _sdp["cudnn"]


def enable_flash_sdp(enabled: bool) -> None:
    _sdp["flash"] = bool(enabled)


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
        self._wanted = {
            "flash": enable_flash,
            "math": enable_math,
            "mem_efficient": enable_mem_efficient,
            "cudnn": enable_cudnn,
        }

    def __enter__(self) -> Any:
        self._before = dict(_sdp)
        _sdp.update(self._wanted)
        return self

    def __exit__(self, *exception: object) -> None:
        _sdp.update(self._before)
