"""``torch.load``: finds out what a file is, checks it, and builds what it holds.

Follows PyTorch's torch/serialization.py. `weights_only` is on unless a script turns it off. Left
out: TorchScript archives, the tar format of before 2017, and devices other than the CPU.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any

from flambeau import _storage_bytes
from flambeau._missing import attribute_error
from flambeau.storage import TypedStorage, class_named

from . import names
from . import weights_only as _weights_only
from .archive import Reader

_UNSAFE = (
    "In PyTorch 2.6, we changed the default value of the `weights_only` argument in `torch.load` "
    "from `False` to `True`. Re-running `torch.load` with `weights_only` set to `False` will "
    "likely succeed, but it can result in arbitrary code execution. Do it only if you got the "
    "file from a trusted source."
)
_TRUE = ("1", "y", "yes", "true")


def load(
    f: Any,
    map_location: Any = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """Loads what ``save`` of either library wrote, from a path or a seekable file object.

    With `mmap` the tensors lie in the file and are read when touched; writing to them does not
    change the file.
    """
    restricted = _is_restricted(weights_only, pickle_module)
    if restricted and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    is_path = isinstance(f, (str, os.PathLike))
    if is_path and os.fspath(f).endswith(".safetensors"):
        from .safetensors import load_file

        return load_file(f)
    if mmap and not is_path:
        raise ValueError("f must be a file path in order to use the mmap argument")
    pickle_load_args.setdefault("encoding", "utf-8")
    module = _weights_only if restricted else pickle_module or pickle
    with _opened(f) as file, _explaining(restricted):
        start = file.tell()
        magic = file.read(4)
        file.seek(start)
        if magic == b"PK\3\4":
            return _load_zip(file, map_location, module, bool(mmap), pickle_load_args)
        if mmap:
            raise RuntimeError(
                "mmap can only be used with files saved with `torch.save(..., "
                "_use_new_zipfile_serialization=True)`, please torch.save your checkpoint with "
                "this option in order to use mmap."
            )
        from .legacy import load_legacy

        return load_legacy(file, map_location, module, pickle_load_args)


def get_unsafe_globals_in_checkpoint(f: Any) -> list[str]:
    """The names in a file that ``load`` with ``weights_only=True`` would refuse."""
    with _opened(f) as file:
        if file.read(4) != b"PK\3\4":
            raise ValueError("Expected input to be a checkpoint returned by torch.save")
        file.seek(0)
        archive = Reader(file)
        if "constants.pkl" in archive:
            raise ValueError(
                "Expected input to be a checkpoint returned by torch.save but got a torchscript checkpoint"
            )
        return _weights_only.unsafe_globals_in(archive.read("data.pkl"))


def _is_restricted(weights_only: bool | None, pickle_module: Any) -> bool:
    force = os.getenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "0").lower() in _TRUE
    force_not = os.getenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "0").lower() in _TRUE
    if force and force_not:
        raise RuntimeError(
            "Only one of `TORCH_FORCE_WEIGHTS_ONLY_LOAD` or `TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD` "
            "should be set, but both were set."
        )
    if force:
        return True
    if weights_only is None:
        return pickle_module is None and not force_not
    return bool(weights_only)


@contextmanager
def _opened(f: Any) -> Iterator[Any]:
    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as file:
            yield file
        return
    for method in ("read", "readline", "tell", "seek"):
        if not hasattr(f, method):
            raise AttributeError(
                f"'{type(f).__name__}' object has no attribute '{method}'. You can only torch.load "
                "from a file that is seekable. Please pre-load the data into a buffer like "
                "io.BytesIO and try to load from it instead."
            )
    yield f


@contextmanager
def _explaining(restricted: bool) -> Iterator[None]:
    """Adds to a refusal what can be done about it."""
    try:
        yield
    except pickle.UnpicklingError as error:
        if not restricted:
            raise
        message = str(error)
        if "was not an allowed global by default" in message:
            advice = (
                "This file can still be loaded, to do so you have two options, do those steps only "
                f"if you trust the source of the checkpoint.\n\t(1) {_UNSAFE}\n\t(2) "
                "Alternatively, to load with `weights_only=True` please check the recommended "
                "steps in the following error message.\n\tWeightsUnpickler error: "
            )
        else:
            advice = f"{_UNSAFE}\n\nWeightsUnpickler error: "
        raise pickle.UnpicklingError(f"Weights only load failed. {advice}{message}") from None


def _load_zip(file: Any, map_location: Any, module: Any, mapped: bool, arguments: Any) -> Any:
    archive = Reader(file)
    if "constants.pkl" in archive:
        raise RuntimeError(
            "this is a TorchScript archive: flambeau has no torch.jit.load; save the model's "
            "state_dict with torch.save instead"
        )
    swap = _must_swap(archive)
    memory = _map(file) if mapped else None
    restore = location_restorer(map_location)
    storages: dict[str, TypedStorage] = {}

    def persistent_load(pid: Any) -> TypedStorage:
        dtype, key, location, numel = check_persistent_id(pid, 5)
        if key not in storages:
            nbytes = numel * dtype.itemsize
            untyped = _read_storage(archive, f"data/{key}", nbytes, dtype.itemsize, memory)
            if swap:
                swap_bytes(_storage_bytes.view(untyped), dtype)
            storages[key] = TypedStorage(wrap_storage=restore(untyped, location), dtype=dtype)
        return storages[key]

    data = BytesIO(archive.read("data.pkl"))
    return make_unpickler(data, module, persistent_load, arguments).load()


def _must_swap(archive: Reader) -> bool:
    # Files from before the record existed come from little-endian machines.
    order = archive.read("byteorder") if "byteorder" in archive else b"little"
    if order not in (b"little", b"big"):
        raise ValueError(f"Unknown endianness type: {order!r}")
    return order.decode() != sys.byteorder


def _map(file: Any) -> memoryview:
    import mmap

    return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))


def _read_storage(archive: Reader, record: str, nbytes: int, itemsize: int, memory: memoryview | None) -> Any:
    if archive.size(record) != nbytes:
        raise RuntimeError(f"'{record}' has {archive.size(record)} bytes, but the tensors in it need {nbytes}")
    if memory is not None and archive.is_stored(record) and nbytes:
        offset = archive.offset(record)
        # Files that PyTorch did not write may hold elements at odd addresses.
        if offset % itemsize == 0:
            return _storage_bytes.wrap(memory[offset : offset + nbytes])
    storage = _storage_bytes.new(nbytes)
    if nbytes:
        archive.read_into(record, _storage_bytes.view(storage))
    return storage


def check_persistent_id(pid: Any, length: int) -> tuple[Any, str, str, int]:
    """Dtype, key, location and number of elements of ``("storage", class, key, ...)``."""
    if type(pid) is not tuple or len(pid) != length or _text(pid[0]) != "storage":
        raise pickle.UnpicklingError(f"Unknown saved id: {pid!r:.200}")
    kind, key, location, numel = pid[1:5]
    key, location = _text(key), _text(location)
    if type(key) is not str or type(location) is not str or type(numel) is not int or numel < 0:
        raise pickle.UnpicklingError(f"a storage is described by {pid!r:.200}")
    return _dtype_of(kind), key, location, numel


def _dtype_of(kind: Any) -> Any:
    import flambeau

    if kind is class_named("UntypedStorage"):
        return flambeau.uint8
    if isinstance(kind, type) and issubclass(kind, TypedStorage) and kind is not TypedStorage:
        return kind.dtype
    raise pickle.UnpicklingError(f"{kind!r:.200} is not a kind of storage")


def _text(value: Any) -> Any:
    """Python 2 wrote keys as bytes."""
    return value.decode("ascii") if isinstance(value, bytes) else value


def swap_bytes(data: memoryview, dtype: Any) -> None:
    from array import array

    width = dtype.itemsize // 2 if dtype.is_complex else dtype.itemsize
    if width == 1:
        return
    numbers = array({2: "H", 4: "I", 8: "Q"}[width])
    numbers.frombytes(data)
    numbers.byteswap()
    data[:] = numbers.tobytes()


def make_unpickler(file: Any, module: Any, persistent_load: Callable[..., Any], args: Any) -> Any:
    """An unpickler of `module` that finds our classes under PyTorch's names."""

    class Unpickler(module.Unpickler):
        def find_class(self, module_name: str, name: str) -> Any:
            if module_name in ("torch", "torch.storage") and class_named(name) is not None:
                return class_named(name)
            ours = names.to_ours(module_name, name)
            try:
                return super().find_class(ours, name)
            except (AttributeError, ModuleNotFoundError):
                if ours == module_name:
                    raise
                raise attribute_error(module_name, name) from None

    unpickler = Unpickler(file, **args)
    unpickler.persistent_load = persistent_load
    return unpickler


def location_restorer(map_location: Any) -> Callable[[Any, str], Any]:
    """A function from a storage and the device it was saved from to the storage to use."""
    if map_location is None:
        return _restore
    if isinstance(map_location, dict):
        return lambda storage, location: _restore(storage, map_location.get(location, location))
    if isinstance(map_location, (str, bytes)) or not callable(map_location):
        place = _text(map_location) if isinstance(map_location, bytes) else str(map_location)
        return lambda storage, location: _restore(storage, place)

    def restore(storage: Any, location: str) -> Any:
        result = map_location(storage, location)
        result = _restore(storage, location) if result is None else result
        return result._untyped_storage if isinstance(result, TypedStorage) else result

    return restore


def _restore(storage: Any, location: Any) -> Any:
    location = str(location)
    if location.partition(":")[0] == "cpu":
        return storage
    if location.startswith("cuda"):
        raise RuntimeError(
            "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is "
            "False. If you are running on a CPU-only machine, please use torch.load with "
            "map_location=torch.device('cpu') to map your storages to the CPU."
        )
    raise RuntimeError(
        f"don't know how to restore data location of torch.storage.UntypedStorage (tagged with {location})"
    )
