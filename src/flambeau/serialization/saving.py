"""``torch.save``: a pickle with PyTorch's names in it, and the storages beside it.

Follows PyTorch's torch/serialization.py. The pickle is written by Python's own Python-coded
pickler, the one that lets a subclass choose the names of classes and functions; what is pickled
besides tensors is small.
"""

from __future__ import annotations

import os
import pickle
import sys
from io import BytesIO
from typing import Any

from flambeau import _storage_bytes, _utils
from flambeau.storage import TypedStorage, UntypedStorage, typed_class

from . import names
from .archive import ALIGNMENT, Writer
from .atomic import replacing
from .weights_only import _get_layout

DEFAULT_PROTOCOL = 2


def save(
    obj: object,
    f: Any,
    pickle_module: Any = pickle,
    pickle_protocol: int = DEFAULT_PROTOCOL,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:
    """Saves `obj` to a path or to an object with ``write``.

    A path is replaced only when everything has been written: after a full disk or a crash the old
    file is still there.
    """
    if isinstance(f, (str, os.PathLike)):
        path = os.fspath(f)
        stem = os.path.splitext(os.path.basename(path))[0]
        with replacing(path) as file:
            save_to(file, obj, stem, pickle_module, pickle_protocol, _use_new_zipfile_serialization)
        return
    if not hasattr(f, "write"):
        raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")
    save_to(f, obj, "archive", pickle_module, pickle_protocol, _use_new_zipfile_serialization)


def save_to(file: Any, obj: object, stem: str, pickle_module: Any, protocol: int, as_zip: bool) -> None:
    if not as_zip:
        from .legacy import save_legacy

        save_legacy(file, obj, pickle_module, protocol)
        return
    data = BytesIO()
    storages = StorageTable()
    make_pickler(data, pickle_module, protocol, storages.persistent_id).dump(obj)
    writer = Writer(file, stem)
    writer.add("data.pkl", data.getvalue())
    writer.add(".format_version", b"1")
    writer.add(".storage_alignment", b"%d" % ALIGNMENT)
    writer.add("byteorder", sys.byteorder.encode())
    for key, storage in storages.in_order():
        writer.add(f"data/{key}", _storage_bytes.view(storage) if storage.nbytes() else b"")
    writer.finish()


class StorageTable:
    """Gives every storage met while pickling a key, and keeps it alive until it is written."""

    def __init__(self) -> None:
        self._keys: dict[tuple[int, int], str] = {}
        self._storages: list[Any] = []
        self._dtypes: dict[int, Any] = {}

    def in_order(self) -> list[tuple[str, Any]]:
        return [(str(key), storage) for key, storage in enumerate(self._storages)]

    def persistent_id(self, obj: Any) -> tuple[Any, ...] | None:
        """``("storage", class, key, location, number of elements)``, or None for other things."""
        if isinstance(obj, TypedStorage):
            storage, dtype, size = obj._untyped_storage, obj.dtype, obj.size()
            kind = typed_class(dtype)
        elif type(obj) is UntypedStorage:
            storage, dtype, size, kind = obj, None, obj.nbytes(), UntypedStorage
        else:
            return None
        address = storage.data_ptr()
        if address and self._dtypes.setdefault(address, dtype) != dtype:
            raise RuntimeError("Cannot save multiple tensors or storages that view the same data as different types")
        return "storage", kind, self._key(storage), "cpu", size

    def _key(self, storage: Any) -> str:
        identity = _storage_bytes.identity(storage)
        if identity not in self._keys:
            self._keys[identity] = str(len(self._storages))
            self._storages.append(storage)
        return self._keys[identity]


def make_pickler(file: Any, pickle_module: Any, protocol: int, persistent_id: Any) -> Any:
    """A pickler that writes PyTorch's names, or one of the user's own module."""
    if pickle_module is pickle:
        return _Pickler(file, protocol, persistent_id)
    base = pickle_module.Pickler
    kind = type("Pickler", (base,), {"persistent_id": lambda self, obj: persistent_id(obj)})
    return kind(file, protocol=protocol)


# Its methods are not in the public description of the module.
_PythonPickler: Any = pickle._Pickler


class _Pickler(_PythonPickler):
    def __init__(self, file: Any, protocol: int, persistent_id: Any) -> None:
        super().__init__(file, protocol=protocol)
        self.persistent_id = persistent_id
        self._reducers = _reducers()

    def reducer_override(self, obj: Any) -> Any:
        reducer = self._reducers.get(type(obj))
        return NotImplemented if reducer is None else reducer(obj)

    def save_global(self, obj: Any, name: str | None = None) -> None:
        name = name or getattr(obj, "__qualname__", obj.__name__)
        found = names.torch_global(obj, name)
        if found is None or "." in found[1]:
            super().save_global(obj, name)
            return
        if self.proto >= 4:
            for part in found:
                self.save(part)
            self.write(pickle.STACK_GLOBAL)
        else:
            self.write(pickle.GLOBAL + "{}\n{}\n".format(*found).encode())
        self.memoize(obj)

    # Classes are met by their type, functions by theirs; both end in save_global.
    dispatch = dict(_PythonPickler.dispatch)
    dispatch[type(_utils._rebuild_tensor_v2)] = save_global


def _reducers() -> dict[type, Any]:
    """How the core's small types are pickled, as PyTorch pickles its own."""
    import flambeau

    def device(obj: Any) -> tuple[Any, ...]:
        # A new string each time, as in PyTorch: pickle refers back to objects it has seen.
        kind = obj.type.encode().decode()
        return flambeau.device, (kind,) if obj.index is None else (kind, obj.index)

    return {
        flambeau.Tensor: lambda obj: _utils._reduce_tensor(obj, DEFAULT_PROTOCOL),
        flambeau.dtype: lambda obj: str(obj).rpartition(".")[2],
        flambeau.device: device,
        flambeau.Size: lambda obj: (flambeau.Size, (tuple(obj),)),
        flambeau.layout: lambda obj: (_get_layout, (str(obj),)),
    }
