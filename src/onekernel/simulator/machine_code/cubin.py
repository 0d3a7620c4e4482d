"""What a cubin says beside its code: where parameters lie, constants, variables.

Sources: System V ABI (ELF64); the names of NVIDIA's sections and attributes as `cuobjdump -elf` prints them.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

_PARAMETER, _PARAMETERS_AT = 0x17, 0x0A  # EIATTR_KPARAM_INFO, EIATTR_PARAM_CBANK
_VALUED = 4  # an attribute that is followed by its size and as many bytes


@dataclass
class Kernel:
    """Of one kernel: the offset of its parameters in bank 0, and of each its offset from there and its bytes."""

    parameter_base: int = 0
    parameters: list[tuple[int, int]] = field(default_factory=list)
    static_shared: int = 0
    constants: dict[int, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Variable:
    """A `__device__` variable's address in bank 4, or a `__constant__` one itself in bank 3."""

    name: str
    bank: int
    offset: int
    size: int


@dataclass
class Cubin:
    kernels: dict[str, Kernel]
    constants: dict[int, bytes]  # of all kernels, by bank
    variables: list[Variable]


def read(data: bytes) -> Cubin:
    """Raises ValueError for what is no 64-bit ELF file."""
    if data[:5] != b"\x7fELF\x02":
        raise ValueError("not a cubin")
    (table,) = struct.unpack_from("<Q", data, 40)
    entry, count, strings = struct.unpack_from("<HHH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + i * entry) for i in range(count)]
    names = [_text(data, sections[strings][4] + s[0]) for s in sections]

    def content(i: int) -> bytes:
        return b"" if sections[i][1] == 8 else data[sections[i][4] : sections[i][4] + sections[i][5]]

    out = Cubin({}, {}, [])
    for i, name in enumerate(names):
        kernel = name.rpartition(".nv.info.")[2] if name.startswith(".nv.info.") else ""
        if kernel:
            made = out.kernels.setdefault(kernel, Kernel())
            made.parameter_base, made.parameters = _parameters(content(i))
        elif name.startswith(".nv.shared.") and not name.startswith(".nv.shared.reserved"):
            out.kernels.setdefault(name.removeprefix(".nv.shared."), Kernel()).static_shared = sections[i][5]
        elif name.startswith(".nv.constant"):
            bank, _, kernel = name.removeprefix(".nv.constant").partition(".")
            if bank.isdigit() and kernel and bank != "0":
                out.kernels.setdefault(kernel, Kernel()).constants[int(bank)] = content(i)
            elif bank.isdigit() and not kernel:
                out.constants[int(bank)] = content(i)
    symbols = _symbols(data, sections)
    out.variables = [Variable(n, 3, at, size) for n, section, at, size in symbols
                     if section < len(names) and names[section] == ".nv.constant3" and n]  # fmt: skip
    for i, name in enumerate(names):
        if name in (".rela.nv.constant4", ".rel.nv.constant4"):
            step = 24 if name.startswith(".rela") else 16
            for at in range(sections[i][4], sections[i][4] + sections[i][5], step):
                offset, info = struct.unpack_from("<QQ", data, at)
                out.variables.append(Variable(symbols[info >> 32][0], 4, offset, 8))
    return out


def _text(data: bytes, at: int) -> str:
    return data[at : data.index(b"\0", at)].decode("utf-8", "replace")


def _parameters(info: bytes) -> tuple[int, list[tuple[int, int]]]:
    base, found, at = 0, {}, 0
    while at + 4 <= len(info):
        form, attribute, size = struct.unpack_from("<BBH", info, at)
        at += 4
        if form != _VALUED:
            continue
        if attribute == _PARAMETER and size >= 12:
            _index, ordinal, offset, rest = struct.unpack_from("<IHHI", info, at)
            found[ordinal] = (offset, rest >> 18)
        elif attribute == _PARAMETERS_AT and size >= 8:
            (base,) = struct.unpack_from("<H", info, at + 4)
        at += size
    return base, [found[k] for k in sorted(found)]


def _symbols(data: bytes, sections: list[tuple[int, ...]]) -> list[tuple[str, int, int, int]]:
    out = []
    for section in sections:
        if section[1] == 2:  # SHT_SYMTAB
            strings = sections[section[6]][4]
            for at in range(section[4], section[4] + section[5], 24):
                name, _info, _other, index, value, size = struct.unpack_from("<IBBHQQ", data, at)
                out.append((_text(data, strings + name), index, value, size))
    return out
