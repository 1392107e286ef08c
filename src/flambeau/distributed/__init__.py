"""``torch.distributed``: one process, and an honest answer to whoever asks for more."""

from __future__ import annotations

from typing import Any, NoReturn

from flambeau._missing import module_getattr

__getattr__ = module_getattr(__name__)


def is_available() -> bool:
    return False


def is_initialized() -> bool:
    return False


def is_torchelastic_launched() -> bool:
    import os

    return os.environ.get("TORCHELASTIC_RUN_ID") is not None


def is_nccl_available() -> bool:
    return False


def is_gloo_available() -> bool:
    return False


def is_mpi_available() -> bool:
    return False


def _unsupported(name: str) -> NoReturn:
    raise RuntimeError(
        f"torch.distributed.{name} is not supported by flambeau (yet): it runs in one process. "
        "Start the script without torchrun (no RANK in the environment)."
    )


def init_process_group(*args: Any, **kwargs: Any) -> NoReturn:
    _unsupported("init_process_group")


def _no_group() -> NoReturn:
    raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")


def destroy_process_group(group: Any = None) -> NoReturn:
    _no_group()


def get_rank(group: Any = None) -> NoReturn:
    _no_group()


def get_world_size(group: Any = None) -> NoReturn:
    _no_group()


def get_backend(group: Any = None) -> NoReturn:
    _no_group()


def barrier(group: Any = None, async_op: bool = False, device_ids: Any = None) -> NoReturn:
    _no_group()


def broadcast(tensor: Any, *args: Any, **kwargs: Any) -> NoReturn:
    _no_group()


def all_reduce(tensor: Any, *args: Any, **kwargs: Any) -> NoReturn:
    _no_group()


def reduce(tensor: Any, *args: Any, **kwargs: Any) -> NoReturn:
    _no_group()


def all_gather(tensor_list: Any, tensor: Any, *args: Any, **kwargs: Any) -> NoReturn:
    _no_group()


class ReduceOp:
    """Names of reductions, for signatures."""

    SUM = "sum"
    AVG = "avg"
    PRODUCT = "product"
    MIN = "min"
    MAX = "max"


class ProcessGroup:
    """For annotations; there is none."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _unsupported("ProcessGroup")
