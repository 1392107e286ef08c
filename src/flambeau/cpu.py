"""``torch.cpu``: the one device there is, in the shape of an accelerator's module."""

from __future__ import annotations

from typing import Any


def is_available() -> bool:
    return True


def device_count() -> int:
    return 1


def current_device() -> str:
    return "cpu"


def set_device(device: Any) -> None:
    pass


def synchronize(device: Any = None) -> None:
    pass


class Stream:
    """Operations run in order, so a stream has nothing to do."""

    def __init__(self, priority: int = -1) -> None:
        pass

    def wait_stream(self, stream: Any) -> None:
        pass


def current_stream(device: Any = None) -> Stream:
    return Stream()


class stream:
    """``with stream(s):`` does nothing."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        pass
