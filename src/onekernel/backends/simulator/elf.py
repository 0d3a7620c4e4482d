"""The symbols of a shared object, read from its file. Source: System V ABI, "Object Files" (ELF64)."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Symbol:
    """A named stretch of the loaded object: offset from its base and size in bytes."""

    name: str
    offset: int
    size: int
    is_function: bool
    exported: bool


def symbols(path: Path) -> list[Symbol]:
    """Functions and variables that `path` defines. Raises ValueError if it is no 64-bit little-endian ELF file."""
    data = path.read_bytes()
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError(f"{path}: not a 64-bit little-endian ELF file")
    (table,) = struct.unpack_from("<Q", data, 40)
    entry, count = struct.unpack_from("<HH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + i * entry) for i in range(count)]
    out = {}
    for kind in (2, 11):  # SHT_SYMTAB, SHT_DYNSYM
        for section in sections:
            if section[1] != kind:
                continue
            offset, size, strings = section[4], section[5], sections[section[6]][4]
            for at in range(offset, offset + size, 24):
                name_at, info, _other, index, value, length = struct.unpack_from("<IBBHQQ", data, at)
                if index == 0 or info & 15 not in (1, 2):  # undefined; STT_OBJECT, STT_FUNC
                    continue
                end = data.index(b"\0", strings + name_at)
                name = data[strings + name_at : end].decode("utf-8", "replace")
                exported = kind == 11
                if name not in out or exported:
                    out[name] = Symbol(name, value, length, info & 15 == 2, exported)
    return list(out.values())
