"""Storages: `UntypedStorage` is the core's; the typed names exist for pickles and old scripts.

Follows PyTorch's torch/storage.py. A typed storage is a pair of an untyped one and a dtype. Files
made by ``torch.save`` name the dtype of a tensor by such a class (``torch.FloatStorage``). Left
out: most methods of typed storages, which PyTorch deprecates in favour of `UntypedStorage`.
"""

from __future__ import annotations

import copyreg
from typing import Any

from flambeau import _C, _storage_bytes

UntypedStorage = _C.UntypedStorage

# The dtypes that have a storage class, in the order torch lists them. Newer dtypes have none.
_DTYPE_NAMES = {
    "DoubleStorage": "float64",
    "FloatStorage": "float32",
    "LongStorage": "int64",
    "IntStorage": "int32",
    "ShortStorage": "int16",
    "CharStorage": "int8",
    "ByteStorage": "uint8",
    "HalfStorage": "float16",
    "BoolStorage": "bool",
    "BFloat16Storage": "bfloat16",
    "ComplexDoubleStorage": "complex128",
    "ComplexFloatStorage": "complex64",
}


class _StorageType(type):
    """Gives ``FloatStorage.dtype`` its value when asked, so that no dtype is needed at import."""

    @property
    def dtype(cls) -> Any:
        import flambeau

        return getattr(flambeau, _DTYPE_NAMES[cls.__name__])


class TypedStorage(metaclass=_StorageType):
    """An untyped storage seen as elements of one dtype."""

    def __init__(self, *, wrap_storage: Any, dtype: Any = None, _internal: bool = False) -> None:
        self._untyped_storage = wrap_storage
        self._dtype: Any = type(self).dtype if dtype is None else dtype

    @property
    def dtype(self) -> Any:
        return self._dtype

    @property
    def device(self) -> Any:
        import flambeau

        return flambeau.device("cpu")

    def untyped(self) -> Any:
        return self._untyped_storage

    def element_size(self) -> int:
        return self._dtype.itemsize

    def nbytes(self) -> int:
        return self._untyped_storage.nbytes()

    def size(self) -> int:
        return self.nbytes() // self.element_size()

    def data_ptr(self) -> int:
        return self._untyped_storage.data_ptr()

    def tolist(self) -> list[Any]:
        size = self.size()
        return _storage_bytes.tensor(self._untyped_storage, self._dtype, (size,), (1,), 0).tolist()

    def __len__(self) -> int:
        return self.size()

    def __repr__(self) -> str:
        lines = [f" {value}" for value in self.tolist()]
        kind = f"torch.storage.TypedStorage(dtype={self._dtype}, device={self.device})"
        return "\n".join([*lines, f"[{kind} of size {self.size()}]"])

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        function, (data,) = _reduce_storage(self._untyped_storage, protocol)
        return _typed_from_bytes, (function, data, self._dtype)


def _legacy_class(name: str) -> type:
    return _StorageType(name, (TypedStorage,), {"__module__": "flambeau", "__doc__": None})


DoubleStorage = _legacy_class("DoubleStorage")
FloatStorage = _legacy_class("FloatStorage")
LongStorage = _legacy_class("LongStorage")
IntStorage = _legacy_class("IntStorage")
ShortStorage = _legacy_class("ShortStorage")
CharStorage = _legacy_class("CharStorage")
ByteStorage = _legacy_class("ByteStorage")
HalfStorage = _legacy_class("HalfStorage")
BoolStorage = _legacy_class("BoolStorage")
BFloat16Storage = _legacy_class("BFloat16Storage")
ComplexDoubleStorage = _legacy_class("ComplexDoubleStorage")
ComplexFloatStorage = _legacy_class("ComplexFloatStorage")


def typed_class(dtype: Any) -> Any:
    """The class that stands for `dtype` in a file, or None where it has none."""
    name = str(dtype).rpartition(".")[2]
    for class_name, dtype_name in _DTYPE_NAMES.items():
        if dtype_name == name:
            return globals()[class_name]
    return None


def class_named(name: str) -> Any:
    """The storage class called `name` in a file, or None."""
    if name in _DTYPE_NAMES or name in ("UntypedStorage", "TypedStorage"):
        return globals()[name]
    return None


def _reduce_storage(storage: Any, protocol: int = 2) -> tuple[Any, tuple[Any, ...]]:
    """A storage outside of ``torch.save``: its bytes, out of band where pickle can."""
    data = _storage_bytes.view(storage)
    if protocol >= 5:
        from pickle import PickleBuffer

        return _storage_from_bytes, (PickleBuffer(data),)
    return _storage_from_bytes, (bytes(data),)


copyreg.pickle(UntypedStorage, _reduce_storage)


def _storage_from_bytes(data: Any) -> Any:
    storage = _storage_bytes.new(len(memoryview(data)))
    _storage_bytes.view(storage)[:] = data
    return storage


def _typed_from_bytes(function: Any, data: Any, dtype: Any) -> TypedStorage:
    return TypedStorage(wrap_storage=function(data), dtype=dtype)


def _load_from_bytes(data: bytes) -> Any:
    """PyTorch's own pickles of a storage hold a whole file in the old format."""
    from io import BytesIO

    from flambeau.serialization import load

    return load(BytesIO(data), weights_only=False)


def _from_file(filename: Any, shared: bool = False, nbytes: int = 0) -> Any:
    """`UntypedStorage.from_file`: the file's bytes; with `shared`, what is written to them is written to it."""
    import mmap

    with open(filename, "r+b" if shared else "rb") as file:
        length = file.seek(0, 2)
        if shared and length < nbytes:
            file.truncate(nbytes)
        elif length < nbytes:
            raise RuntimeError(f"'{filename}' has {length} bytes where {nbytes} were expected")
        if nbytes == 0:
            return _storage_bytes.new(0)
        access = mmap.ACCESS_WRITE if shared else mmap.ACCESS_COPY
        return _storage_bytes.wrap(mmap.mmap(file.fileno(), nbytes, access=access))
