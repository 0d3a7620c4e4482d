"""The machine code of a file's kernels, from NVIDIA's compiler where this machine has one, ready for the runtime."""

from __future__ import annotations

import hashlib
import json
import os
import struct
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from onekernel.backends.base import BuildError, Unavailable
from onekernel.backends.cache import cache_folder, prune, used
from onekernel.backends.machine_code import disassemble, disassembler
from onekernel.cuda.ahead import compile_ahead
from onekernel.cuda.nvcc import find
from onekernel.simulator.machine_code import cubin, encode
from onekernel.simulator.machine_code.elf import Symbol, of_any_file, plain_name
from onekernel.simulator.machine_code.instructions import Unreadable, functions_of
from onekernel.simulator.paths import RUNTIME

FIELDS, _SITE = 50, 7  # numbers of an instruction, and which is its access's: runtime/machine_code/program.h
_KEPT_BYTES = 256 << 20


@dataclass
class Code:
    """A kernel's slice and what surrounds it. `unreadable`: why there is none."""

    symbol: str
    numbers: list[int]
    parameter_base: int
    parameters: list[tuple[int, int]]
    static_shared: int
    values: list[str]
    constants: dict[str, str]
    variables: list[tuple[str, int, int, int]]
    unreadable: str = ""
    contends: bool = False  # lanes try again what others have changed meanwhile: compare and swap on shared memory


@dataclass
class Codes:
    """A file's kernels. `places`: the line of each access, by its number."""

    kernels: list[Code] = field(default_factory=list)
    places: list[tuple[str, int] | None] = field(default_factory=list)


def codes_of(data: bytes, listing: str, files: Iterable[Path]) -> Codes:
    """Of a cubin and its listing."""
    out, read = Codes(), cubin.read(data)
    known = {path.name: str(path) for path in files}
    for symbol, function in functions_of(listing, frozenset(known)).items():
        kernel = read.kernels.get(symbol, cubin.Kernel())
        why, encoded = "", encode.Encoded(symbol, [], [], set())
        try:
            encoded = encode.encode(function, kernel, len(out.places))
        except Unreadable as error:
            why = str(error)
        constants = {str(k): v.hex() for k, v in {**read.constants, **kernel.constants}.items()}
        contends = any(one.name == "ATOMS" and one.has("CAS", "CAST") for one in function.instructions)
        variables = [(v.name, v.bank, v.offset, v.size) for v in read.variables]
        out.kernels.append(Code(symbol, encoded.numbers, kernel.parameter_base, kernel.parameters,
                                kernel.static_shared, sorted(encoded.values), constants, variables, why,
                                contends))  # fmt: skip
        for place in encoded.places:
            out.places.append(None if place is None else (known[Path(place[0]).name], place[1]))
    return out


def joined(parts: Iterable[Codes]) -> Codes:
    """The kernels of several files of one program, their accesses numbered on."""
    out = Codes()
    for part in parts:
        for kernel in part.kernels:
            numbers = kernel.numbers.copy()
            for at in range(_SITE, len(numbers), FIELDS):
                numbers[at] += len(out.places) if numbers[at] >= 0 else 0
            out.kernels.append(replace(kernel, numbers=numbers))
        out.places += part.places
    return out


def packed(codes: Codes, symbols: Iterable[Symbol]) -> bytes:
    """The kernels as the runtime reads them (runtime/machine_code/run.cpp). `symbols`: those of what runs."""
    own = {of_any_file(symbol.name): symbol for symbol in symbols if symbol.is_function}
    out = bytearray(_numbers(len(codes.kernels)))
    for code in codes.kernels:
        here = own.get(of_any_file(code.symbol))
        out += _text(code.symbol) + _text(plain_name(code.symbol)) + _text(code.unreadable)
        out += struct.pack("<Q", here.offset if here else 0)
        values = [int(name in code.values) for name in ("global", "shared", "local")]
        out += _numbers(code.parameter_base, code.static_shared, *values)
        out += _numbers(len(code.parameters), *(n for p in code.parameters for n in p))
        out += _numbers(len(code.numbers) // FIELDS) + struct.pack(f"<{len(code.numbers)}i", *code.numbers)
        out += _numbers(len(code.constants))
        for bank, text in code.constants.items():
            out += _numbers(int(bank), len(text) // 2) + bytes.fromhex(text)
        out += _numbers(len(code.variables))
        for name, at_bank, offset, size in code.variables:
            out += _text(plain_name(name)) + _numbers(at_bank, offset, size)
    return bytes(out)


def _numbers(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}I", *values)


def _text(text: str) -> bytes:
    return _numbers(len(text.encode())) + text.encode()


def load(path: Path, files: Iterable[Path], arch: str, options: Sequence[str] = ()) -> Codes | None:
    """The kernels of a `.cu` as NVIDIA's compiler makes them for `arch`, kept in the cache; None where it is missing,
    left away (ONEKERNEL_NVCC=off) or refuses the file. `files`: what the file is made of; `options`: nvcc's."""
    if os.environ.get("ONEKERNEL_NVCC") == "off":
        return None
    files = tuple(files)
    try:
        made = compile_ahead(path, arch, files=files, options=options).cubin
    except (Unavailable, BuildError):
        return None
    found = find()
    tool = disassembler(found.home if found else None)
    if tool is None:
        return None
    folder = cache_folder("machine_code")
    kept = folder / f"{path.stem}-{_key(made, tool, files)}.json"
    if used(kept):
        return _read(json.loads(kept.read_text(encoding="utf-8")))
    try:
        codes = codes_of(made, disassemble(made, tool), files)
    except (ValueError, subprocess.TimeoutExpired):  # not a listing as this disassembler's are known
        return None
    with tempfile.NamedTemporaryFile("w", dir=folder, suffix=".part", delete=False, encoding="utf-8") as file:
        file.write(json.dumps({"kernels": [vars(code) for code in codes.kernels], "places": codes.places}))
    os.replace(file.name, kept)
    prune(folder, _KEPT_BYTES, suffix=".json")
    return codes


def _key(made: bytes, tool: Path, files: tuple[Path, ...]) -> str:
    digest = hashlib.sha256(made + str(tool).encode() + "\0".join(map(str, files)).encode())
    for part in (*sorted(Path(__file__).parent.glob("*.py")), RUNTIME / "machine_code" / "names.inc"):
        digest.update(part.read_bytes())
    return digest.hexdigest()[:20]


def _read(data: dict[str, Any]) -> Codes:
    places = [None if place is None else (str(place[0]), int(place[1])) for place in data["places"]]
    return Codes([Code(**kernel) for kernel in data["kernels"]], places)
