"""The symbols of a shared object, read from its file. Source: System V ABI, "Object Files" (ELF64)."""

from __future__ import annotations

import re
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


def plain_name(name: str) -> str:
    """A function's name without its mangling: `softmax_kernel` of `_Z14softmax_kernelPKfPf`. Namespaces and arguments
    go; a name that is not mangled stays. Source: Itanium C++ ABI, "Mangling"."""
    start = re.match(r"_ZN?K?L?", name)
    if start is None:
        return name
    rest, found = name[start.end() :], name
    while digits := re.match(r"L?(\d+)", rest):
        length = int(digits[1])
        found, rest = rest[digits.end() : digits.end() + length], rest[digits.end() + length :]
        if "N" not in start[0]:
            break
    return found
