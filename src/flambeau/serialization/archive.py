"""The zip container of ``.pt`` files, written as PyTorch writes it and read without trusting it.

Follows PyTorch's caffe2/serialize/inline_container.cc: every record is stored uncompressed, its
bytes begin at a multiple of 64 (an "FB" extra field pads the local header), sizes follow the bytes
in a data descriptor, and the archive ends with a zip64 directory. Python's zipfile is not used: it
cannot map records, and its errors on broken files are of a dozen kinds.

Left out: encryption, spanning several disks, and every compression but deflate.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

ALIGNMENT = 64
# What writers of this format put in `version`, and the newest one that readers accept.
FORMAT_VERSION = b"3\n"
NEWEST_VERSION = 10

_LOCAL = struct.Struct("<4s5H3L2H")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_END = struct.Struct("<4s4H2LH")
_END64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR64 = struct.Struct("<4sLQL")
_STORED, _DEFLATED = 0, 8
_FLAGS = 0x0808  # sizes in a data descriptor, names in UTF-8
_MAX32 = 0xFFFFFFFF
_MAX16 = 0xFFFF
# Deflate cannot shrink by more than 1032 : 1, so a record that claims more is lying.
_MAX_DEFLATE_RATIO = 1032


def _broken(why: str) -> RuntimeError:
    return RuntimeError(
        f"PytorchStreamReader failed reading zip archive: {why}. If you are seeing this error, the "
        "checkpoint file is probably corrupted: not saved properly, transferred incorrectly, or "
        "modified after saving."
    )


class Writer:
    """Appends records to `file`, which needs nothing but ``write``."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file = file
        self._name = name
        self._offset = 0
        self._directory: list[bytes] = []
        self._checksum = 0

    def add(self, record: str, data: Any) -> None:
        """Writes one record; `data` is anything with a buffer of bytes."""
        from zlib import crc32

        view = memoryview(data).cast("B")
        name = f"{self._name}/{record}".encode()
        start, size, crc = self._offset, len(view), crc32(view)
        zip64 = self._zip64_field(size, start)
        unpadded = start + _LOCAL.size + len(name) + len(zip64) + 4
        padding = -unpadded % ALIGNMENT
        extra = zip64 + struct.pack("<2sH", b"FB", padding) + b"Z" * padding
        # An empty record is described by the zeros already in its header.
        flags = _FLAGS if size else _FLAGS & ~8
        header = _LOCAL.pack(b"PK\3\4", 0, flags, _STORED, 0, 0, 0, 0, 0, len(name), len(extra))
        self._write(header + name + extra)
        self._write(view)
        if size:
            big = size >= _MAX32 or start >= _MAX32
            self._write(struct.pack("<4sLQQ" if big else "<4s3L", b"PK\7\10", crc, size, size))
        self._directory.append(
            _CENTRAL.pack(
                b"PK\1\2", 0, 0, flags, _STORED, 0, 0, crc, min(size, _MAX32), min(size, _MAX32),
                len(name), len(zip64), 0, 0, 0, 0, min(start, _MAX32),
            ) + name + zip64
        )  # fmt: skip
        self._checksum = crc32(name + struct.pack("<L", crc), self._checksum)

    def finish(self) -> None:
        """Writes the two records every archive ends with, then the directory."""
        self.add("version", FORMAT_VERSION)
        # PyTorch's id is a hash of names and checksums too; readers only log it.
        self.add(".data/serialization_id", b"%040d" % self._checksum)
        start, count = self._offset, len(self._directory)
        for entry in self._directory:
            self._write(entry)
        size, end = self._offset - start, self._offset
        count16 = min(count, _MAX16)
        self._write(
            _END64.pack(b"PK\6\6", 44, 0x031E, 45, 0, 0, count, count, size, start)
            + _LOCATOR64.pack(b"PK\6\7", 0, end, 1)
            + _END.pack(b"PK\5\6", 0, 0, count16, count16, min(size, _MAX32), min(start, _MAX32), 0)
        )

    def _write(self, data: bytes | memoryview) -> None:
        self._file.write(data)
        self._offset += len(data)

    @staticmethod
    def _zip64_field(size: int, start: int) -> bytes:
        values = [size, size] if size >= _MAX32 else []
        if start >= _MAX32:
            values.append(start)
        if not values:
            return b""
        return struct.pack(f"<2H{len(values)}Q", 1, 8 * len(values), *values)


class Entry(NamedTuple):
    """One record as the directory describes it."""

    method: int
    stored_size: int
    size: int
    header_offset: int


class Reader:
    """Reads records of a seekable `file`; every size and offset is checked against its length."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._start = file.tell()
        self._length = file.seek(0, 2) - self._start
        entries = dict(self._read_directory())
        if not entries:
            raise _broken("it has no records")
        first = next(iter(entries))
        folder, slash, _ = first.partition("/")
        if not slash:
            raise RuntimeError(f"file in archive is not in a subdirectory: {first}")
        prefix = folder + slash
        self._entries = {name.removeprefix(prefix): entry for name, entry in entries.items() if name.startswith(prefix)}
        self._check_version()

    def names(self) -> list[str]:
        return list(self._entries)

    def size(self, record: str) -> int:
        return self._entry(record).size

    def read(self, record: str) -> bytes:
        """The whole record."""
        data = bytearray(self._entry(record).size)
        self.read_into(record, memoryview(data))
        return bytes(data)

    def read_into(self, record: str, target: memoryview) -> None:
        """Fills `target`, whose length must be the record's size."""
        entry = self._entry(record)
        if len(target) != entry.size:
            raise _broken(f"'{record}' has {entry.size} bytes where {len(target)} were expected")
        offset = self.offset(record)
        if entry.method == _STORED:
            self._file.seek(self._start + offset)
            self._fill(target)
            return
        self._inflate(record, entry, offset, target)

    def offset(self, record: str) -> int:
        """Where the record's bytes begin, counted from the archive's first byte."""
        entry = self._entry(record)
        header = self._at(entry.header_offset, _LOCAL.size)
        signature, *_, name_length, extra_length = _LOCAL.unpack(header)
        if signature != b"PK\3\4":
            raise _broken(f"'{record}' has no local header")
        offset = entry.header_offset + _LOCAL.size + name_length + extra_length
        if offset + entry.stored_size > self._length:
            raise _broken(f"'{record}' reaches past the end of the file")
        return offset

    def is_stored(self, record: str) -> bool:
        return self._entry(record).method == _STORED

    def __contains__(self, record: str) -> bool:
        return record in self._entries

    def _entry(self, record: str) -> Entry:
        try:
            return self._entries[record]
        except KeyError:
            raise RuntimeError(f"PytorchStreamReader failed locating file {record}: file not found") from None

    def _check_version(self) -> None:
        names = [name for name in (".data/version", "version") if name in self._entries]
        if not names:
            raise RuntimeError('Expected hasRecord("version") to be true, but got false.')
        if self.size(names[0]) > 20:
            raise _broken("its version is not a number")
        text = self.read(names[0]).strip()
        if not text.isdigit():
            raise _broken("its version is not a number")
        if int(text) > NEWEST_VERSION:
            raise RuntimeError(
                f"Attempted to read a PyTorch file with version {int(text)}, but the maximum "
                f"supported version for reading is {NEWEST_VERSION}."
            )

    def _read_directory(self) -> Iterator[tuple[str, Entry]]:
        start, size, count = self._find_directory()
        directory = self._at(start, size)
        position = 0
        for _ in range(count):
            fields = directory[position : position + _CENTRAL.size]
            if len(fields) < _CENTRAL.size or fields[:4] != b"PK\1\2":
                raise _broken("a directory entry is damaged")
            (_, _, _, flags, method, _, _, _, stored, full, name_length, extra_length,
             comment_length, _, _, _, header) = _CENTRAL.unpack(fields)  # fmt: skip
            position += _CENTRAL.size
            name = directory[position : position + name_length].decode("utf-8", "replace")
            position += name_length
            extra = directory[position : position + extra_length]
            position += extra_length + comment_length
            if position > size:
                raise _broken("a directory entry is damaged")
            full, stored, header = _widen(extra, full, stored, header)
            if flags & 1 or method not in (_STORED, _DEFLATED):
                raise _broken(f"'{name}' is encrypted or compressed in a way that is not supported")
            if header + _LOCAL.size + stored > self._length:
                raise _broken(f"'{name}' reaches past the end of the file")
            limit = stored if method == _STORED else stored * _MAX_DEFLATE_RATIO + 64
            if full > limit or (method == _STORED and full != stored):
                raise _broken(f"'{name}' claims {full} bytes but has {stored}")
            yield name, Entry(method, stored, full, header)

    def _find_directory(self) -> tuple[int, int, int]:
        """Offset, size and number of entries of the central directory."""
        # The end record may be followed by a comment of up to 64 KiB.
        tail_start = max(0, self._length - _END.size - _MAX16)
        tail = self._at(tail_start, self._length - tail_start)
        at = tail.rfind(b"PK\5\6")
        if at < 0 or len(tail) - at < _END.size:
            raise _broken("failed finding central directory")
        _, _, _, _, count, size, start, _ = _END.unpack_from(tail, at)
        locator = tail_start + at - _LOCATOR64.size
        if locator >= 0:
            signature, _, end64, _ = _LOCATOR64.unpack(self._at(locator, _LOCATOR64.size))
            if signature == b"PK\6\7":
                record = _END64.unpack(self._at(end64, _END64.size))
                if record[0] != b"PK\6\6":
                    raise _broken("failed finding central directory")
                _, _, _, _, _, _, _, count, size, start = record
        if start + size > self._length or count > size // _CENTRAL.size:
            raise _broken("its central directory reaches past the end of the file")
        return start, size, count

    def _inflate(self, record: str, entry: Entry, offset: int, target: memoryview) -> None:
        import zlib

        self._file.seek(self._start + offset)
        stored = self._file.read(entry.stored_size)
        try:
            data = zlib.decompressobj(-15).decompress(stored, entry.size + 1)
        except zlib.error as error:
            raise _broken(f"'{record}': {error}") from None
        if len(data) != entry.size:
            raise _broken(f"'{record}' does not have the size it claims")
        target[:] = data

    def _at(self, offset: int, size: int) -> bytes:
        if offset + size > self._length:
            raise _broken("it is truncated")
        self._file.seek(self._start + offset)
        data = self._file.read(size)
        if len(data) != size:
            raise _broken("it is truncated")
        return data

    def _fill(self, target: memoryview) -> None:
        fill(self._file, target)


def fill(file: BinaryIO, target: memoryview) -> None:
    """Reads exactly ``len(target)`` bytes into `target`, in place where the file object can."""
    readinto = getattr(file, "readinto", None)
    done = 0
    while done < len(target):
        if readinto is not None:
            count = readinto(target[done:])
        else:
            data = file.read(min(len(target) - done, 1 << 24))
            count = len(data)
            target[done : done + count] = data
        if not count:
            raise _broken("it is truncated")
        done += count


def _widen(extra: bytes, *sizes: int) -> list[int]:
    """Replaces those of `sizes` that say "see the zip64 field" by the values found there."""
    wide = list(sizes)
    if _MAX32 not in wide:
        return wide
    position = 0
    while position + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, position)
        position += 4
        if kind == 1:
            field = extra[position : position + length]
            for index, size in enumerate(wide):
                if size != _MAX32:
                    continue
                if len(field) < 8:
                    raise _broken("a zip64 field is damaged")
                (wide[index],) = struct.unpack_from("<Q", field)
                field = field[8:]
            return wide
        position += length
    return wide
