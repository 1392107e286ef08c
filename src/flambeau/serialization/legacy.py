"""The format of ``torch.save`` before the zip archive: pickles and raw bytes, one after another.

Follows ``_legacy_save`` and ``_legacy_load`` of PyTorch's torch/serialization.py. In order: a magic
number, a version, facts about the machine, the object, the keys of the storages (five pickles),
then for every key its number of elements (8 bytes) and its bytes.

Left out: the tar archives of before 2017, and files from big-endian machines.
"""

from __future__ import annotations

import struct
import sys
from pickle import UnpicklingError
from typing import Any

from flambeau import _storage_bytes
from flambeau.storage import TypedStorage

from .archive import fill
from .loading import check_persistent_id, location_restorer, make_unpickler
from .saving import StorageTable, make_pickler

_MAGIC_NUMBER = 0x1950A86A20F9469CFC6C
_PROTOCOL_VERSION = 1001
_SYSTEM = {
    "protocol_version": _PROTOCOL_VERSION,
    "little_endian": sys.byteorder == "little",
    "type_sizes": {"short": 2, "int": 4, "long": 4},
}


def save_legacy(file: Any, obj: object, pickle_module: Any, protocol: int) -> None:
    storages = StorageTable()
    element_sizes: dict[str, int] = {}

    def persistent_id(item: Any) -> tuple[Any, ...] | None:
        described = storages.persistent_id(item)
        if described is None:
            return None
        element_sizes[described[2]] = item.element_size() if isinstance(item, TypedStorage) else 1
        # The last element describes a view of another storage; nobody writes one any more.
        return (*described, None)

    for header in (_MAGIC_NUMBER, _PROTOCOL_VERSION, _SYSTEM):
        pickle_module.dump(header, file, protocol=protocol)
    make_pickler(file, pickle_module, protocol, persistent_id).dump(obj)
    written = storages.in_order()
    pickle_module.dump([key for key, _ in written], file, protocol=protocol)
    for key, storage in written:
        file.write(struct.pack("<q", storage.nbytes() // element_sizes[key]))
        if storage.nbytes():
            file.write(_storage_bytes.view(storage))


def load_legacy(file: Any, map_location: Any, module: Any, arguments: Any) -> Any:
    length = _length_after(file)
    restore = location_restorer(map_location)
    storages: dict[str, TypedStorage] = {}
    promised = 0

    def read_pickle() -> Any:
        return make_unpickler(file, module, _no_storage, arguments).load()

    def persistent_load(pid: Any) -> TypedStorage:
        nonlocal promised
        dtype, key, location, numel = check_persistent_id(pid, 6)
        if key not in storages:
            promised += numel * dtype.itemsize
            if promised > length:
                raise UnpicklingError(f"the storages need {promised} bytes, the file has {length}")
            storage = restore(_storage_bytes.new(numel * dtype.itemsize), location)
            storages[key] = TypedStorage(wrap_storage=storage, dtype=dtype)
        return storages[key] if pid[5] is None else _view(storages[key], pid[5])

    if read_pickle() != _MAGIC_NUMBER:
        raise RuntimeError("Invalid magic number; corrupt file?")
    version = read_pickle()
    if version != _PROTOCOL_VERSION:
        raise RuntimeError(f"Invalid protocol version: {version!r:.100}")
    system = read_pickle()
    if not isinstance(system, dict) or system.get("little_endian") is not True:
        raise RuntimeError("files from big-endian machines are not supported in the old format")
    result = make_unpickler(file, module, persistent_load, arguments).load()
    keys = read_pickle()
    if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
        raise UnpicklingError("the list of storages is damaged")
    if sorted(keys) != sorted(storages):
        raise UnpicklingError("the list of storages is not that of the tensors")
    for key in keys:
        _read_bytes(file, storages[key])
    return result


def _no_storage(pid: Any) -> Any:
    raise UnpicklingError("unsupported persistent id encountered")


def _length_after(file: Any) -> int:
    start = file.tell()
    length = file.seek(0, 2) - start
    file.seek(start)
    return length


def _read_bytes(file: Any, storage: TypedStorage) -> None:
    header = file.read(8)
    if len(header) != 8 or struct.unpack("<q", header)[0] != storage.size():
        raise UnpicklingError("a storage does not have the size its tensors expect")
    if storage.nbytes():
        fill(file, _storage_bytes.view(storage._untyped_storage))


def _view(root: TypedStorage, metadata: Any) -> TypedStorage:
    """A part of another storage: its key, then offset and length in elements."""
    _, offset, size = metadata
    if type(offset) is not int or type(size) is not int or not 0 <= offset <= offset + size:
        raise UnpicklingError("a view of a storage is damaged")
    if offset + size > root.size():
        raise UnpicklingError("a view of a storage leaves it")
    step = root.element_size()
    data = _storage_bytes.view(root._untyped_storage)[offset * step : (offset + size) * step]
    return TypedStorage(wrap_storage=_storage_bytes.wrap(data), dtype=root.dtype)
