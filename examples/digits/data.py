"""MNIST's idx files, read without any library: images (N, 1, 28, 28) in [0, 1] and labels (N,)."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

FOLDERS = (Path("data"), Path("../shared/data"))


def find(folder: Path | None) -> Path:
    """The folder that holds t10k-images-idx3-ubyte.gz."""
    candidates = (folder,) if folder is not None else FOLDERS
    for candidate in candidates:
        if (candidate / "t10k-images-idx3-ubyte.gz").exists():
            return candidate
    raise SystemExit(
        "MNIST's test set (t10k-images-idx3-ubyte.gz, t10k-labels-idx1-ubyte.gz) was not found in "
        + ", ".join(str(c) for c in candidates)
        + "; name its folder with --data"
    )


def read(path: Path) -> tuple[tuple[int, ...], bytes]:
    """Sizes and bytes of one idx file, checked."""
    with gzip.open(path) as file:
        raw = file.read()
    zero, kind, ndim = struct.unpack(">HBB", raw[:4])
    if zero or kind != 8:
        raise ValueError(f"{path} is not an idx file of bytes")
    sizes = struct.unpack(f">{ndim}I", raw[4 : 4 + 4 * ndim])
    body = raw[4 + 4 * ndim :]
    count = 1
    for size in sizes:
        count *= size
    if len(body) != count:
        raise ValueError(f"{path} holds {len(body)} bytes where its header says {count}")
    return sizes, body


def load(torch, folder: Path | None):
    """Images and labels as tensors of the given library."""
    where = find(folder)
    sizes, pixels = read(where / "t10k-images-idx3-ubyte.gz")
    _, labels = read(where / "t10k-labels-idx1-ubyte.gz")
    images = torch.frombuffer(bytearray(pixels), dtype=torch.uint8).view(sizes[0], 1, sizes[1], sizes[2])
    return images.float() / 255, torch.frombuffer(bytearray(labels), dtype=torch.uint8).long()
