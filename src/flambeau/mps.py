"""``torch.mps`` on a machine without Apple's GPU."""

from __future__ import annotations

from typing import NoReturn


def is_available() -> bool:
    return False


def device_count() -> int:
    return 0


def manual_seed(seed: int) -> None:
    int(seed)


def seed() -> None:
    pass


def _no_mps(what: str) -> NoReturn:
    raise RuntimeError(f"Cannot execute {what}() without MPS backend.")


def empty_cache() -> NoReturn:
    _no_mps("emptyCache")


def synchronize() -> NoReturn:
    _no_mps("deviceSynchronize")


def current_allocated_memory() -> NoReturn:
    _no_mps("getCurrentAllocatedMemory")


def driver_allocated_memory() -> NoReturn:
    _no_mps("getDriverAllocatedMemory")
