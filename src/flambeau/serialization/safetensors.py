"""The safetensors format: a length, a JSON header, then the bytes of the tensors.

Follows the format's published description. ``torch.load`` opens such files, and the functions here
have the names and arguments of ``safetensors.torch``.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Mapping
from typing import Any

from flambeau import _storage_bytes

from .archive import fill
from .atomic import replacing

_MAX_HEADER = 100_000_000
_DTYPES = {
    "F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "I64": "int64",
    "I32": "int32", "I16": "int16", "I8": "int8", "U8": "uint8", "BOOL": "bool",
    "U16": "uint16", "U32": "uint32", "U64": "uint64", "C64": "complex64",
}  # fmt: skip
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}


def save_file(tensors: Mapping[str, Any], filename: str | os.PathLike[str], metadata: Any = None) -> None:
    """Writes contiguous copies of `tensors`, the widest elements first, as safetensors does."""
    header: dict[str, Any] = {"__metadata__": metadata} if metadata else {}
    ordered = sorted(tensors.items(), key=lambda item: (-item[1].dtype.itemsize, item[0]))
    offset = 0
    for name, tensor in ordered:
        size = tensor.numel() * tensor.dtype.itemsize
        header[name] = {
            "dtype": _NAMES[str(tensor.dtype).rpartition(".")[2]],
            "shape": list(tensor.shape),
            "data_offsets": [offset, offset + size],
        }
        offset += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with replacing(filename) as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, tensor in ordered:
            file.write(_bytes_of(tensor))


def load_file(filename: str | os.PathLike[str], device: Any = "cpu") -> dict[str, Any]:
    """The tensors of a file by name, in the file's order."""
    if str(device) != "cpu":
        raise RuntimeError(f"don't know how to restore data location (tagged with {device})")
    with open(filename, "rb") as file:
        length = file.seek(0, 2)
        file.seek(0)
        start = file.read(8)
        (size,) = struct.unpack("<Q", start) if len(start) == 8 else (length,)
        if size > min(length - 8, _MAX_HEADER):
            raise RuntimeError("Error while deserializing header: invalid header length")
        header = _parse(file.read(size), length - 8 - size)
        result = {}
        for name, (dtype, shape, begin, end) in header.items():
            storage = _storage_bytes.new(end - begin)
            if end > begin:
                file.seek(8 + size + begin)
                fill(file, _storage_bytes.view(storage))
            result[name] = _storage_bytes.tensor(storage, dtype, shape, _contiguous(shape), 0)
        return result


def _parse(text: bytes, available: int) -> dict[str, tuple[Any, tuple[int, ...], int, int]]:
    import flambeau

    try:
        header = json.loads(text)
        header.pop("__metadata__", None)
        result = {}
        for name, entry in header.items():
            dtype = getattr(flambeau, _DTYPES[entry["dtype"]])
            shape = tuple(entry["shape"])
            begin, end = entry["data_offsets"]
            numbers = (*shape, begin, end)
            size = dtype.itemsize
            for number in numbers:
                if type(number) is not int or not 0 <= number < 1 << 62:
                    raise ValueError(f"{number!r} is not a size")
            for length in shape:
                size *= length
            if not begin <= end <= available or end - begin != size:
                raise ValueError(f"'{name}' does not fit its place")
            result[name] = (dtype, shape, begin, end)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise RuntimeError(f"Error while deserializing header: {error}") from None
    return result


def _contiguous(shape: tuple[int, ...]) -> tuple[int, ...]:
    stride = [1] * len(shape)
    for dim in range(len(shape) - 2, -1, -1):
        stride[dim] = stride[dim + 1] * max(shape[dim + 1], 1)
    return tuple(stride)


def _bytes_of(tensor: Any) -> Any:
    tensor = tensor.detach().contiguous()
    size = tensor.dtype.itemsize
    begin = tensor.storage_offset() * size
    if not tensor.numel():
        return b""
    return _storage_bytes.view(tensor.untyped_storage())[begin : begin + tensor.numel() * size]
