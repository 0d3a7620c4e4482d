"""The symbols of an object, read from its file. Source: System V ABI, "Object Files" (ELF64)."""

from __future__ import annotations

import ctypes
import re
import struct
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_SYMTAB, _RELA, _DYNSYM = 2, 4, 11
_LOADED = 2  # SHF_ALLOC: a section that is there when the program runs
_X86_64, _AARCH64 = 62, 183
_CALLS = {_X86_64: (4,), _AARCH64: (282, 283)}  # R_X86_64_PLT32; R_AARCH64_JUMP26, R_AARCH64_CALL26


_SITE = re.compile(r"_ZZ(.+)E\d+ok_site_\w+")  # a name that rewrite/shared_arrays.py gives


@dataclass(frozen=True)
class Symbol:
    """A named stretch of the loaded object: offset from its base and size in bytes."""

    name: str
    offset: int
    size: int
    is_function: bool
    exported: bool
    section: int  # its number; of an object file, from whose beginning the offset counts


def symbols(path: Path) -> list[Symbol]:
    """Functions and variables that `path` defines. Raises ValueError if it is no 64-bit little-endian ELF file."""
    return symbols_of(*sections(path))


def symbols_of(data: bytes, headers: list[tuple[int, ...]]) -> list[Symbol]:
    """Those of a file that `sections` has read."""
    out: dict[str, Symbol] = {}
    for kind, name, info, index, value, length in _entries(data, headers, (_SYMTAB, _DYNSYM)):
        if index == 0 or info & 15 not in (1, 2):  # undefined; STT_OBJECT, STT_FUNC
            continue
        exported = kind == _DYNSYM
        if name not in out or exported:
            out[name] = Symbol(name, value, length, info & 15 == 2, exported, index)
    return list(out.values())


def variables(of: Iterable[Symbol], names: Iterable[str]) -> list[tuple[str, Symbol]]:
    """The program's own variables of these names, each with what it is called in the source."""
    found = [s for s in of if not s.is_function and s.size and "4__ok" not in s.name]  # the others are the runtime's
    return [
        (name, s) for name in dict.fromkeys(names) for s in found
        if s.name == name or f"{len(name)}{name}" in s.name
    ]  # fmt: skip


def shared_sites(of: Sequence[Symbol]) -> list[tuple[Symbol, Symbol]]:
    """Each kernel's, or other function's, own __shared__ arrays: the function, and what tells the runtime of an array.
    Source: Itanium C++ ABI, "Mangling": scope encoding."""
    functions = {s.name: s for s in of if s.is_function}
    found = []
    for site in of:
        match = _SITE.fullmatch(site.name)
        if match and not site.is_function and (kernel := functions.get(f"_Z{match[1]}")):
            found.append((kernel, site))
    return found


def undefined(path: Path) -> dict[str, bool]:
    """The names that the object file `path` refers to and does not define, and whether each may stay without a meaning
    (STB_WEAK). Raises ValueError if it is none (ELF64)."""
    entries = _entries(*sections(path), (_SYMTAB,))
    names = {name: info >> 4 == 2 for _, name, info, index, _, _ in entries if index == 0 and name}
    return dict(sorted(names.items()))


def defined(path: Path, *, weakly: bool | None = None) -> frozenset[str]:
    """The names that the object file `path` defines for others; those alone that it defines `weakly` (STB_WEAK), as an
    inline function of a header, or that it does not. Raises ValueError if it is none (ELF64)."""
    entries = _entries(*sections(path), (_SYMTAB,))
    bindings = {None: (1, 2, 10), True: (2,), False: (1, 10)}[weakly]  # STB_GLOBAL, STB_WEAK, STB_GNU_UNIQUE
    return frozenset(name for _, name, info, index, _, _ in entries if index and info >> 4 in bindings)


@dataclass(frozen=True)
class References:
    """What an object file asks of others: by function the names that its code refers to, and the names whose addresses
    it takes, for more than a call."""

    by_function: dict[str, set[str]]
    taken: set[str]


def references(path: Path) -> References:
    """The names that the object file `path` refers to and does not define. Raises ValueError if it is none (ELF64).
    Sources: the ABI's supplements for x86-64 and AArch64, "Relocation"."""
    data, headers = sections(path)
    table = list(_entries(data, headers, (_SYMTAB,)))
    calls = _CALLS.get(struct.unpack_from("<H", data, 18)[0], ())
    functions = [
        (index, value, value + size, name) for _, name, info, index, value, size in table if info & 15 == 2 and index
    ]
    found = References({name: set() for *_, name in functions}, set())
    for section in (s for s in headers if s[1] == _RELA and headers[s[7]][2] & _LOADED):
        mine = sorted(f for f in functions if f[0] == section[7])
        starts = [f[1] for f in mine]
        for offset, info, _addend in struct.iter_unpack("<QQq", data[section[4] : section[4] + section[5]]):
            _, name, _, index, _, _ = table[info >> 32]
            if index or not name:
                continue
            if info & 0xFFFFFFFF not in calls:
                found.taken.add(name)
            at = bisect_right(starts, offset) - 1
            if at >= 0 and offset < mine[at][2]:
                found.by_function[mine[at][3]].add(name)
    return found


def sections(path: Path) -> tuple[bytes, list[tuple[int, ...]]]:
    """The bytes of the file, and the headers of its sections."""
    data = path.read_bytes()
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError(f"{path}: not a 64-bit little-endian ELF file")
    (table,) = struct.unpack_from("<Q", data, 40)
    entry, count = struct.unpack_from("<HH", data, 58)
    return data, [struct.unpack_from("<IIQQQQIIQQ", data, table + i * entry) for i in range(count)]


def _entries(
    data: bytes, headers: list[tuple[int, ...]], kinds: tuple[int, ...]
) -> Iterator[tuple[int, str, int, int, int, int]]:
    """The tables of those kinds, one after the other: kind, name, info, section, value and size of each symbol."""
    for kind in kinds:
        for section in (s for s in headers if s[1] == kind):
            offset, size, strings = section[4], section[5], headers[section[6]][4]
            for at in range(offset, offset + size, 24):
                name_at, info, _other, index, value, length = struct.unpack_from("<IBBHQQ", data, at)
                end = data.index(b"\0", strings + name_at)
                yield kind, data[strings + name_at : end].decode("utf-8", "replace"), info, index, value, length


def demangled(name: str) -> str:
    """A symbol's name as people write it, parameters included: `void fill<float, 16>(float*)`; one that is not mangled
    stays. Source: Itanium C++ ABI, "Demangler API"."""
    demangle = ctypes.CDLL("libstdc++.so.6")["__cxa_demangle"]
    demangle.restype = ctypes.c_void_p
    at = demangle(name.encode(), None, None, None)
    if not at:
        return name
    said = ctypes.string_at(at).decode("utf-8", "replace")
    ctypes.CDLL(None).free(ctypes.c_void_p(at))
    return said


def template_arguments(name: str) -> str:
    """`<float, 16>` of the symbol of a template's instance; "" of any other function."""
    said, plain = demangled(name), plain_name(name)
    begin = said.find(f"{plain}<")
    if name == plain or begin < 0:
        return ""
    depth, at = 0, begin + len(plain)
    for k in range(at, len(said)):
        depth += (said[k] in "<(") - (said[k] in ">)")
        if not depth:
            return said[at : k + 1]
    return ""


def of_any_file(name: str) -> str:
    """A mangled name of what a file keeps to itself, a static function or one in a nameless namespace, without what
    says so: compilers say it in different words. Any other stays as it is."""
    name = re.sub(r"^_ZL(?=\d)", "_Z", name)
    while own := re.search(r"(\d+)_GLOBAL__N_", name):
        name = name[: own.start()] + name[own.end(1) + int(own[1]) :]
    return name


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
