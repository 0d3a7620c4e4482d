"""Reads machine code: which line of the source asks for which loads, stores, shuffles, barriers, and how wide they are.

The listing is nvdisasm's with line information (`nvdisasm -gi -c`), the instructions' names are those of NVIDIA's "CUDA
Binary Utilities", section "Instruction Set Reference". NVIDIA's toolkit carries nvdisasm, and so does Triton's wheel.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections import Counter
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

SECONDS = 120
_SECTION = re.compile(r"^\s*//-+ \.text\.(?P<symbol>\S+)")
_WHERE = re.compile(r'"(?P<file>[^"]+)", line (?P<line>\d+)')
_INSTRUCTION = re.compile(r"^\s+/\*[0-9a-f]{4,5}\*/\s+(?:@!?U?P\w+\s+)?(?P<name>[A-Z][A-Z0-9_]*)(?P<rest>[.A-Z0-9_]*)")
_KINDS = {
    "LDG": "load", "LD": "load", "STG": "store", "ST": "store", "LDGSTS": "copy",
    "LDS": "shared-load", "LDSM": "shared-load", "STS": "shared-store", "STSM": "shared-store",
    "LDL": "spill-load", "STL": "spill-store", "SHFL": "shuffle", "BAR": "barrier",
    "ATOM": "atomic", "ATOMG": "atomic", "RED": "atomic", "REDG": "atomic", "ATOMS": "shared-atomic",
    "UTMALDG": "tile-load", "UTMASTG": "tile-store",
}  # fmt: skip
_SIZED = ("load", "store", "copy", "shared-load", "shared-store", "spill-load", "spill-store")
_BYTES = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16, "256": 32}


@dataclass(frozen=True)
class Count:
    """`times` instructions of one kind on one source line; for loads and stores, `bytes` is what a thread moves.

    Kinds: load, store (global memory), copy (global to shared, asynchronous), shared-load, shared-store, spill-load,
    spill-store (local memory), tile-load and tile-store (by the tensor memory accelerator), shuffle, barrier, atomic,
    shared-atomic, exp2.
    """

    line: int
    kind: str
    bytes: int
    times: int


@dataclass(frozen=True)
class Function:
    """One kernel's machine code: its mangled name, its listing, how many instructions, and those that say most."""

    symbol: str
    listing: str
    instructions: int
    counts: tuple[Count, ...]

    def wide(self, kind: str, bytes_wide: int = 16) -> tuple[int, int]:
        """(instructions that move `bytes_wide` or more, all instructions) of one kind."""
        times = [(c.bytes, c.times) for c in self.counts if c.kind == kind]
        return sum(n for width, n in times if width >= bytes_wide), sum(n for _, n in times)


def functions_of(listing: str, source: str) -> dict[str, Function]:
    """The kernels of a listing by mangled name. `source` is the name of the file whose lines are counted: code that was
    inlined from a header counts for the line of `source` that called it, code of no line for line 0."""
    found: dict[str, Function] = {}
    parts = re.split(r"^(?=\s*//-+ \.)", listing, flags=re.MULTILINE)
    for part in parts:
        section = _SECTION.match(part)
        if section:
            counts, total = _counts(part, source)
            found[section["symbol"]] = Function(section["symbol"], part, total, counts)
    return found


def _counts(part: str, source: str) -> tuple[tuple[Count, ...], int]:
    found: Counter[tuple[int, str, int]] = Counter()
    line = total = 0
    told = False  # whether the lines just read say where the next instruction is from
    for text in part.splitlines():
        if text.lstrip().startswith("//## File"):
            own = [int(m["line"]) for m in _WHERE.finditer(text) if Path(m["file"]).name == source]
            if own and not told:
                line, told = own[0], True
            continue
        match = _INSTRUCTION.match(text)
        if not match:
            continue
        told = False
        total += 1
        modifiers = match["rest"].split(".")
        kind = "exp2" if match["name"] == "MUFU" and "EX2" in modifiers else _KINDS.get(match["name"])
        if kind == "barrier" and not {"SYNC", "RED", "ARV"} & set(modifiers):
            kind = None
        if kind:
            found[line, kind, _width(modifiers) if kind in _SIZED else 0] += 1
    return tuple(Count(*key, times) for key, times in sorted(found.items())), total


def _width(modifiers: list[str]) -> int:
    return next((_BYTES[m] for m in reversed(modifiers) if m in _BYTES), 4)


def disassembler(toolkit: Path | None = None) -> Path | None:
    """nvdisasm: the toolkit's, the one on PATH, or the one in Triton's wheel. Triton itself is not imported."""
    if toolkit and (toolkit / "bin" / "nvdisasm").is_file():
        return toolkit / "bin" / "nvdisasm"
    on_path = shutil.which("nvdisasm")
    if on_path:
        return Path(on_path)
    spec = find_spec("triton")
    for place in (spec.submodule_search_locations or ()) if spec else ():
        found = Path(place) / "backends" / "nvidia" / "bin" / "nvdisasm"
        if found.is_file():
            return found
    return None


def disassemble(cubin: bytes, nvdisasm: Path) -> str:
    """The listing of a cubin, with lines where it was compiled with -lineinfo. Raises ValueError where it is none."""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        command = [str(nvdisasm), "-gi", "-c", file.name]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SECONDS, check=False)
    if done.returncode:
        raise ValueError(done.stderr.strip() or f"nvdisasm ended with {done.returncode}")
    return done.stdout
