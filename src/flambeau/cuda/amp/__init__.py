"""The old names of ``torch.amp`` for CUDA: the same objects with the device filled in."""

from __future__ import annotations

from typing import Any


def GradScaler(*args: Any, **kwargs: Any) -> Any:
    from flambeau.amp import GradScaler as Scaler

    return Scaler("cuda", *args, **kwargs)


def autocast(*args: Any, **kwargs: Any) -> Any:
    from flambeau.amp import autocast as cast

    return cast("cuda", *args, **kwargs)
