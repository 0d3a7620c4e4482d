"""Gaps behind the variables of the device: where an index leaves one, it is not to come into the next.

Each variable has a section of its own in the object file (-fdata-sections), and the linker lays sections out one after
the other: a section that says that it is longer leaves a gap.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable
from pathlib import Path

from onekernel.simulator.machine_code.elf import sections, symbols_of, variables
from onekernel.simulator.paths import RUNTIME

_PLACE_AT = 24  # of a section's header: where its bytes begin in the file, and how many it has
_ALIGNED = 64
_NO_BYTES = 8  # SHT_NOBITS: all of it begins as 0
_MERGED = 16  # SHF_MERGE: what is alike in several such sections is kept once
BYTES = int(re.search(r"SYMBOL_GAP = (\d+)", (RUNTIME / "memory" / "memory.h").read_text("utf-8"))[1])  # type: ignore[index]
"""Of a gap, as the runtime knows it."""


def leave(built: Path, names: Iterable[str]) -> None:
    """Makes the sections of the object file `built` longer that hold one of the variables `names` and nothing else."""
    data, headers = sections(built)
    table = struct.unpack_from("<Q", data, 40)[0]
    entry = struct.unpack_from("<H", data, 58)[0]
    changed = bytearray(data)
    for _, symbol in variables(symbols_of(data, headers), names):
        header = headers[symbol.section]
        if symbol.offset or header[5] != symbol.size or header[2] & _MERGED:
            continue  # it shares its section
        begin = header[4]
        if header[1] != _NO_BYTES:  # its bytes go to the file's end, where there is room
            begin = -(-len(changed) // _ALIGNED) * _ALIGNED
            changed += bytes(begin - len(changed)) + data[header[4] : header[4] + symbol.size] + bytes(BYTES)
        struct.pack_into("<QQ", changed, table + symbol.section * entry + _PLACE_AT, begin, symbol.size + BYTES)
    if changed != data:
        built.write_bytes(changed)
