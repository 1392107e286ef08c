"""``torch.backends.mkldnn``: oneDNN is not linked; the switches keep what is put into them."""

from __future__ import annotations

from ._flags import swapped

enabled = True
deterministic = False
allow_tf32 = True
fp32_precision = "none"


def is_available() -> bool:
    return False


def flags(enabled: bool = False, deterministic: bool = False, allow_tf32: bool = True) -> swapped:
    return swapped(__name__, enabled=enabled, deterministic=deterministic, allow_tf32=allow_tf32)
