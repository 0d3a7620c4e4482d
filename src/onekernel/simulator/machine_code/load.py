"""The machine code of a file's kernels, from NVIDIA's compiler where this machine has one, ready for the runtime: each
kernel's slice as numbers, of which runtime/machine_code/program.h says what they are."""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from onekernel.backends.base import BuildError, Unavailable
from onekernel.backends.cache import cache_folder, prune, used
from onekernel.backends.machine_code import disassemble, disassembler
from onekernel.cuda.ahead import compile_ahead
from onekernel.cuda.nvcc import find
from onekernel.simulator.machine_code import cubin
from onekernel.simulator.machine_code import instructions as sass
from onekernel.simulator.machine_code.cubin import Kernel
from onekernel.simulator.machine_code.effects import moved, written
from onekernel.simulator.machine_code.elf import Symbol, of_any_file, plain_name
from onekernel.simulator.machine_code.flow import Flow, unconditional
from onekernel.simulator.machine_code.instructions import (
    Function,
    Instruction,
    Operand,
    Unreadable,
    functions_of,
    plain,
)
from onekernel.simulator.machine_code.relevant import Slice, relevant, space
from onekernel.simulator.paths import RUNTIME

FIELDS = 50  # numbers of an instruction: runtime/machine_code/program.h
_KEPT_BYTES = 256 << 20
CODE_SITE = 1 << 30
_RUN_AS = {
    "ATOM": "ATOMG", "IMNMX": "VIMNMX", "REDG": "RED", "CS2R": "S2R", "S2UR": "S2R", "VOTEU": "VOTE",
    "KILL": "EXIT", "BPT": "TRAP",
}  # fmt: skip
_NOTHING = frozenset({
    "NOP", "MEMBAR", "DEPBAR", "LDGDEPBAR", "ERRBAR", "CGAERRBAR", "CCTL", "CCTLL", "YIELD", "PREEXIT", "ACQBULK",
    "ENDCOLLECTIVE", "LEPC", "NANOSLEEP",
})  # fmt: skip
_SPECIAL = {
    "SR_TID.X": 0, "SR_TID.Y": 1, "SR_TID.Z": 2, "SR_CTAID.X": 3, "SR_CTAID.Y": 4, "SR_CTAID.Z": 5, "SR_LANEID": 6,
    "SR_SWINHI": 10, "SR_EQMASK": 7, "SR_LTMASK": 8, "SR_LEMASK": 9, "SRZ": 10,
    "SR_CgaCtaId": 10, "SR_CLOCKLO": 10, "SR_CLOCKHI": 10,
}  # fmt: skip
_MODE_OF = {
    "MUFU", "ISETP", "FSETP", "FSET", "DSETP", "SHFL", "VOTE", "MATCH", "REDUX", "ATOMG", "ATOMS", "RED", "BAR", "B2R",
}


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
        why, encoded = "", Encoded(symbol, [], [], set())
        try:
            encoded = encode(function, kernel, len(out.places))
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


def give(so: Any, codes: Codes, functions: dict[str, Symbol]) -> None:
    """Hands the kernels to a loaded program."""
    c = ctypes
    string, pointer = c.c_char_p, c.c_void_p
    so.ok_program.argtypes = [string, string, c.c_uint64, pointer, c.c_int, pointer, pointer, string]
    so.ok_program_constants.argtypes = [c.c_int, c.c_char_p, c.c_uint64]
    so.ok_program_variable.argtypes = [c.c_char_p, c.c_int, c.c_uint32, c.c_uint32]
    so.ok_programs_begin()  # the same library may have been given them before
    own = {of_any_file(name): symbol for name, symbol in functions.items()}
    for code in codes.kernels:
        fields = (c.c_int32 * len(code.numbers))(*code.numbers)
        values = [int(name in code.values) for name in ("global", "shared", "local")]
        numbers = (c.c_uint32 * 6)(code.parameter_base, code.static_shared, *values, len(code.parameters))
        parameters = (c.c_uint32 * max(1, 2 * len(code.parameters)))(*(n for p in code.parameters for n in p))
        here = own.get(of_any_file(code.symbol))
        so.ok_program(code.symbol.encode(), plain_name(code.symbol).encode(), here.offset if here else 0, fields,
                      len(code.numbers) // FIELDS, numbers, parameters, code.unreadable.encode())  # fmt: skip
        for bank, text in code.constants.items():
            so.ok_program_constants(int(bank), bytes.fromhex(text), len(text) // 2)
        for name, at_bank, offset, size in code.variables:
            so.ok_program_variable(plain_name(name).encode(), at_bank, offset, size)


def load(path: Path, files: Iterable[Path], arch: str) -> Codes | None:
    """The kernels of a `.cu` as NVIDIA's compiler makes them for `arch`, kept in the cache; None where it is missing,
    left away (ONEKERNEL_NVCC=off) or refuses the file."""
    if os.environ.get("ONEKERNEL_NVCC") == "off":
        return None
    files = tuple(files)
    try:
        made = compile_ahead(path, arch).cubin
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


@dataclass
class Encoded:
    """A kernel for the runtime. `places`: of each access, by its number from `first_site`, the learner's line."""

    symbol: str
    numbers: list[int]
    places: list[tuple[str, int] | None]
    values: set[str]


@cache
def _names() -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
    text = (RUNTIME / "machine_code" / "names.inc").read_text(encoding="utf-8")
    found = (re.findall(r"^(?!//).*?$", text, re.MULTILINE), text)[1]
    lists = (re.findall(rf"\b{kind}\((\w+)\)", found) for kind in ("OPERATION", "MODE", "MODIFIER"))
    operations, modes, modifiers = ({name: n for n, name in enumerate(names)} for names in lists)
    return operations, modes, modifiers


def encode(function: Function, kernel: Kernel, first_site: int) -> Encoded:
    """The instructions of `function` that decide its accesses. Raises Unreadable where one of them is not known."""
    flow = Flow(function)
    kept = relevant(flow)
    out = Encoded(function.symbol, [], [], kept.values)
    chosen = [i for i in range(flow.end) if _runs(flow, kept, i)]
    place = {i: n for n, i in enumerate(chosen)}
    after = [len(chosen)] * (flow.end + 1)
    for i in range(flow.end - 1, -1, -1):
        after[i] = place.get(i, after[i + 1])
    for i in chosen:
        out.numbers += _instruction(flow, kept, i, after, out, first_site)
    return out


def _runs(flow: Flow, kept: Slice, i: int) -> bool:
    one = flow.code[i]
    if one.name in _NOTHING:
        return False
    always = ("BRA", "KILL", "BPT", "BAR", "WARPSYNC")
    return kept.kept[i] or one.name in always or flow.jumps(i)


def _instruction(flow: Flow, kept: Slice, i: int, after: list[int], out: Encoded, first_site: int) -> list[int]:
    one = flow.code[i]
    operations, modes, _ = _names()
    name, target, site = _RUN_AS.get(plain(one.name), plain(one.name)), -1, -1
    guard, operands = one.guard, list(one.operands)
    if one.name == "CALL" and not one.label:
        name = "TRAP"
    elif _only_meets(one, kept.kept[i]):
        name, operands = "MEET", []
    elif (one.name == "BRA" or flow.jumps(i)) and not kept.kept[i] and not unconditional(one):
        # Whichever way it goes, nothing is accessed before both ways meet again.
        name, target, guard, operands = "JUMP", after[flow.post_dominator[i]], None, []
    elif one.name in ("BRA", "CALL", "BSSY"):
        target = after[flow.target(one)]
    elif name == "S2R":
        if one.special not in _SPECIAL:
            raise Unreadable(one.special)
        target = _SPECIAL[one.special]
    if one.name in ("BSSY", "BSYNC", "BREAK"):
        site = int(one.special[1:])
    if one.name == "BMOV":
        target = int(one.special[1:])
    if name not in operations:
        raise Unreadable(one.name)
    predicates: list[Operand | None] = list(one.predicates)
    if one.name == "LDGSTS":  # whose last operand says which lanes read anything: those of a size that is not 0
        predicates, operands = [*operands], []
    if one.name in sass.MEMORY:
        operands = [*one.memory, *one.source, *operands]
        if one.name not in ("LDL", "STL"):
            site = CODE_SITE + first_site + len(out.places)
            out.places.append(one.place)
    low, high = _modifiers(one, name)
    idle = one.name in sass.MEMORY and space(one) not in kept.values
    size = written(one) * 4 if name in ("S2R", "LDSM") else moved(one)
    numbers = [operations[name], _mode(one, name, modes), low, high, size, one.uniform, one.at, site, target, idle]
    predicates = [*predicates, None, None][:2]
    if len(operands) > 6:
        raise Unreadable(f"{one.name}: {len(operands)} operands")
    for operand in (guard, one.destination, *predicates, *(operands + [None] * 6)[:6]):
        numbers += _operand(operand)
    return [int(n) for n in numbers]


def _only_meets(one: Instruction, kept: bool) -> bool:
    """Whether lanes of the warp that have parted meet there, and no more of it matters."""
    return (one.name in ("BAR", "WARPSYNC") and not kept) or (one.name == "BRA" and one.has("DIV", "CONV"))


def _mode(one: Instruction, name: str, modes: dict[str, int]) -> int:
    if name not in _MODE_OF:
        return 0
    found = [m for m in one.modifiers if m in modes]
    if one.name == "ATOMS" and "POPC" in one.modifiers:
        return modes["POPC"]
    if not found and name not in ("BAR", "B2R"):
        raise Unreadable(f"{one.name}.{'.'.join(one.modifiers)}")
    return modes[found[0]] if found else 0


def _modifiers(one: Instruction, name: str) -> tuple[int, int]:
    known = _names()[2]
    words = list(one.modifiers)
    if name in ("F2F", "I2F") and words[:1] in (["F64"], ["F16"]):
        words[0] = f"TO_{words[0]}"
    if name == "ATOMG" or name == "RED":
        words = ["F32" if w == "F32" else w for w in words]
    bits = sum(1 << known[w] for w in {*words} if w in known)
    if {"BF16", "BF16_V2"} & set(words) or (name.startswith("H") and "BF16_V2" in words):
        raise Unreadable(f"{one.name}.BF16")
    return bits & 0xFFFFFFFF, bits >> 32


def _operand(operand: Operand | None) -> list[int]:
    if operand is None:
        return [0, 0, 0, 0]
    extra = 0
    if operand.kind == sass.CONSTANT:
        extra = operand.bank | operand.index << 8
    elif operand.kind in (sass.REGISTER, sass.UNIFORM):
        extra = int(operand.wide) | operand.scale << 1
    value = operand.value - (1 << 32) if operand.value >= 1 << 31 else operand.value
    return [operand.kind, value, operand.flags, extra]
