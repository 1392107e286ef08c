"""``torch.cuda`` on a machine without a GPU, as a CPU build of PyTorch answers.

Asking is harmless, seeding is a no-op, counters are zero; what needs a device raises PyTorch's
"Torch not compiled with CUDA enabled".
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, NoReturn

from flambeau._missing import module_getattr

__getattr__ = module_getattr(__name__, lazy=("amp",))

has_half = True
has_magma = False


def _no_cuda() -> NoReturn:
    raise AssertionError("Torch not compiled with CUDA enabled")


# Questions


def is_available() -> bool:
    return False


def is_initialized() -> bool:
    return False


def device_count() -> int:
    return 0


def is_bf16_supported(including_emulation: bool = True) -> bool:
    return False


def is_tf32_supported() -> bool:
    return False


def get_arch_list() -> list[str]:
    return []


def is_current_stream_capturing() -> bool:
    return False


# Seeds: there is nothing to seed.


def manual_seed(seed: int) -> None:
    int(seed)


def manual_seed_all(seed: int) -> None:
    int(seed)


def seed() -> None:
    pass


def seed_all() -> None:
    pass


def get_rng_state_all() -> list[Any]:
    return []


def set_rng_state_all(new_states: Any) -> None:
    for _ in new_states:
        _no_cuda()


# Memory: none is held.


def empty_cache() -> None:
    pass


def memory_allocated(device: Any = None) -> int:
    return 0


def max_memory_allocated(device: Any = None) -> int:
    return 0


def memory_reserved(device: Any = None) -> int:
    return 0


def max_memory_reserved(device: Any = None) -> int:
    return 0


def memory_stats(device: Any = None) -> OrderedDict[str, Any]:
    return OrderedDict()


# Everything else needs a device.


def init() -> NoReturn:
    _no_cuda()


def initial_seed() -> NoReturn:
    _no_cuda()


def current_device() -> NoReturn:
    _no_cuda()


def set_device(device: Any) -> NoReturn:
    _no_cuda()


def get_device_name(device: Any = None) -> NoReturn:
    _no_cuda()


def get_device_capability(device: Any = None) -> NoReturn:
    _no_cuda()


def get_device_properties(device: Any = None) -> NoReturn:
    _no_cuda()


def can_device_access_peer(device: Any, peer_device: Any) -> NoReturn:
    _no_cuda()


def synchronize(device: Any = None) -> NoReturn:
    _no_cuda()


def current_stream(device: Any = None) -> NoReturn:
    _no_cuda()


def default_stream(device: Any = None) -> NoReturn:
    _no_cuda()


def set_stream(stream: Any) -> NoReturn:
    _no_cuda()


def ipc_collect() -> NoReturn:
    _no_cuda()


def mem_get_info(device: Any = None) -> NoReturn:
    _no_cuda()


def memory_summary(device: Any = None, abbreviated: bool = False) -> NoReturn:
    _no_cuda()


def reset_peak_memory_stats(device: Any = None) -> NoReturn:
    _no_cuda()


def reset_max_memory_allocated(device: Any = None) -> NoReturn:
    _no_cuda()


def set_per_process_memory_fraction(fraction: float, device: Any = None) -> NoReturn:
    _no_cuda()


def get_rng_state(device: Any = "cuda") -> NoReturn:
    _no_cuda()


def set_rng_state(new_state: Any, device: Any = "cuda") -> NoReturn:
    _no_cuda()


class _NeedsCuda:
    """A class that scripts may name but not build."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _no_cuda()


class Stream(_NeedsCuda):
    pass


class Event(_NeedsCuda):
    pass


class CUDAGraph(_NeedsCuda):
    pass


class device(_NeedsCuda):
    pass


class stream:
    """``with stream(None):`` does nothing, as in PyTorch; no other stream exists."""

    def __init__(self, stream: Any) -> None:
        if stream is not None:
            _no_cuda()

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        pass
