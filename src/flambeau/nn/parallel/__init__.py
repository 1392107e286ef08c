"""Data parallelism, which flambeau does not have (yet). The names exist because scripts import
them before they know how many processes there are."""

from __future__ import annotations

from typing import Any

__all__ = ["DataParallel", "DistributedDataParallel"]


class DistributedDataParallel:
    def __init__(self, module: Any, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError(
            "torch.nn.parallel.DistributedDataParallel is not supported by flambeau (yet): it runs "
            "in one process. Use the module itself."
        )


class DataParallel:
    def __init__(self, module: Any, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError(
            "torch.nn.DataParallel is not supported by flambeau: there are no GPUs to spread over. "
            "Use the module itself."
        )
