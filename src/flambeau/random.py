"""The state of the default generator: ``torch.seed``, ``torch.random.fork_rng`` and the like.

Follows PyTorch's torch/random.py for the CPU; there are no other generators to seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flambeau import _C


def _default() -> Any:
    return _C.default_generator


def manual_seed(seed: Any) -> Any:
    """Seeds the default generator and returns it."""
    return _default().manual_seed(int(seed))


def seed() -> int:
    """Seeds the default generator from the system and returns the seed."""
    return _default().seed()


def initial_seed() -> int:
    return _default().initial_seed()


def get_rng_state() -> Any:
    return _default().get_state()


def set_rng_state(new_state: Any) -> None:
    _default().set_state(new_state)


@contextmanager
def fork_rng(
    devices: Any = None,
    enabled: bool = True,
    _caller: str = "fork_rng",
    _devices_kw: str = "devices",
    device_type: str = "cuda",
) -> Iterator[None]:
    """Restores the generator's state after the block."""
    if not enabled:
        yield
        return
    before = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(before)
