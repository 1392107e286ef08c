"""The few things Python code needs from the core to move raw bytes in and out of storages."""

from __future__ import annotations

from typing import Any

from flambeau import _C


def view(storage: Any) -> memoryview:
    """A writable view of the storage's bytes; it keeps the storage alive."""
    return _C._storage_view(storage)


def wrap(buffer: Any) -> Any:
    """A storage over `buffer` without copying; it keeps the buffer alive."""
    return _C._storage_from_buffer(buffer)


def new(nbytes: int) -> Any:
    """A storage with `nbytes` bytes of its own, not initialised."""
    return _C.UntypedStorage(nbytes)


def tensor(storage: Any, dtype: Any, size: Any, stride: Any, storage_offset: int) -> Any:
    """A tensor over `storage`. The caller has checked that it lies within."""
    return _C._tensor_from_storage(storage, dtype, size, stride, storage_offset)


def identity(storage: Any) -> tuple[int, int]:
    """Equal for two storage objects over the same memory. Empty ones are all different."""
    address = storage.data_ptr()
    return (address, storage.nbytes()) if address else (0, id(storage))
