"""``torch.accelerator`` on a machine without one."""

from __future__ import annotations

from typing import Any, NoReturn


def is_available() -> bool:
    return False


def device_count() -> int:
    return 0


def current_accelerator(check_available: bool = False) -> None:
    return None


def _no_accelerator() -> NoReturn:
    raise RuntimeError("Cannot access accelerator device when none is available.")


def current_device_index() -> NoReturn:
    _no_accelerator()


current_device_idx = current_device_index


def set_device_index(device: Any, /) -> NoReturn:
    _no_accelerator()


set_device_idx = set_device_index


def current_stream(device: Any = None, /) -> NoReturn:
    _no_accelerator()


def set_stream(stream: Any) -> NoReturn:
    _no_accelerator()


def synchronize(device: Any = None, /) -> NoReturn:
    _no_accelerator()


def empty_cache() -> NoReturn:
    _no_accelerator()


def memory_allocated(device: Any = None, /) -> NoReturn:
    _no_accelerator()
