"""A disassembler's listing as instructions: guards, operands, what each reads and writes, which line it comes from.

The listing is nvdisasm's (`nvdisasm -gi -c`); names and operands are those of NVIDIA's "CUDA Binary Utilities",
section "Instruction Set Reference". What an instruction does with its operands was read from code and from what the
instructions of one kernel must add up to: the numbers that they compute are held to the kernel's own in the tests.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path

REGISTER, UNIFORM, IMMEDIATE, CONSTANT, PREDICATE, UNIFORM_PREDICATE, SPECIAL = range(1, 8)
NEGATIVE, ABSOLUTE, INVERTED = 1, 2, 4
LOW_HALF, HIGH_HALF = 8, 16  # of a pair of 16-bit numbers: the same one twice
ZERO = 255  # RZ, URZ; of predicates, true: 7
UNIFORM_INDEX = 256
TRUE = 7

_SECTION = re.compile(r"^\s*//-+ \.text\.(?P<symbol>\S+)")
_LABEL = re.compile(r"^(?P<name>[.$\w]+):\s*$")
_WHERE = re.compile(r'"(?P<file>[^"]+)", line (?P<line>\d+)')
_CODE = re.compile(r"^\s+/\*(?P<at>[0-9a-f]{4,})\*/\s+(?:@(?P<guard>!?U?P\w+)\s+)?(?P<text>[A-Z][^;]*?)\s*;")
_REGISTER = re.compile(
    r"^(?P<sign>[-~!]*)(?P<abs>\|?)(?P<name>UR\d+|URZ|R\d+|RZ|UP\d|UPT|P\d|PT)\|?(?P<rest>(?:\.\w+)*)\|?$"
)
_CONSTANT = re.compile(r"^(?P<sign>[-~]*)\|?c\[0x(?P<bank>\w+)\]\[(?:(?P<index>U?R\w+)\+?)?(?P<offset>-?0x\w+)?\]\|?")
_MEMORY = re.compile(r"^(?:desc\[UR\w+\](?:\.64)?)?\[(?P<inside>[^\]]*)\](?:\.64)?$")


@dataclass(frozen=True)
class Operand:
    """`value`: a register's or predicate's number, an immediate's bits, or the offset of a constant in its `bank`."""

    kind: int
    value: int
    flags: int = 0
    bank: int = 0
    index: int = ZERO  # the register that is added to a constant's offset; UNIFORM_INDEX more for a uniform one
    wide: bool = False  # written `.64`: this register and the next
    scale: int = 0  # an address in units of 1 << scale bytes


@dataclass
class Instruction:
    """One instruction: `name` without modifiers, `operands` without the destinations."""

    at: int
    name: str
    modifiers: tuple[str, ...]
    guard: Operand | None
    place: tuple[str, int] | None
    destination: Operand | None = None
    predicates: list[Operand] = field(default_factory=list)
    operands: list[Operand] = field(default_factory=list)
    memory: list[Operand] = field(default_factory=list)  # register, uniform register, offset
    source: list[Operand] = field(default_factory=list)  # likewise, of a copy that has two addresses
    label: str = ""
    special: str = ""

    @property
    def uniform(self) -> bool:
        """Executed once for the warp."""
        return self.name in UNIFORM_NAMES

    def has(self, *names: str) -> bool:
        return any(n in self.modifiers for n in names)


@dataclass
class Function:
    """A kernel's instructions in order, and the index in them of each label. `unreadable`: what of it is not known."""

    symbol: str
    instructions: list[Instruction]
    labels: dict[str, int]
    unreadable: str = ""


class Unreadable(ValueError):
    """An operand or an instruction of a form that is not known."""


# Destinations: predicates before the register (or alone), the register, predicates behind it.
_NO_DESTINATION = {
    "ST", "STG", "STS", "STL", "RED", "REDG", "BRA", "EXIT", "BAR", "BSSY", "BSYNC", "BREAK", "WARPSYNC", "CALL", "RET",
    "NOP", "MEMBAR", "DEPBAR", "LDGDEPBAR", "LDGSTS", "ENDCOLLECTIVE", "ERRBAR", "CGAERRBAR", "CCTL", "YIELD",
    "PREEXIT", "ACQBULK", "BPT", "BRX", "JMP", "R2P", "LEPC", "UCGABAR_ARV", "UCGABAR_WAIT", "SYNCS", "STAS", "KILL",
    "NANOSLEEP",
    "ARRIVES", "UTMALDG", "CCTLL", "WARPGROUP", "STSM", "BMOV", "RPCMOV", "USETMAXREG", "ELECT",
}  # fmt: skip
_ONLY_PREDICATES = {"ISETP", "FSETP", "DSETP", "HSETP2", "PLOP3", "FCHK"}
_PREDICATE_FIRST = {"LOP3", "SHFL", "ATOM", "ATOMG"}
_PREDICATE_AFTER = {"IADD3", "LEA", "IMAD", "VOTE", "VOTEU", "MATCH", "VIADDMNMX"}
_UNIFORM_FORMS = {
    "UIADD3": "IADD3", "ULEA": "LEA", "UIMAD": "IMAD", "ULOP3": "LOP3", "USHF": "SHF", "UISETP": "ISETP", "UMOV": "MOV",
    "USEL": "SEL", "UPLOP3": "PLOP3", "UPRMT": "PRMT", "UFLO": "FLO", "UPOPC": "POPC", "UBREV": "BREV", "USGXT": "SGXT",
    "UBMSK": "BMSK", "ULDC": "LDC", "UIABS": "IABS", "UVIADD": "VIADD", "UVIMNMX": "VIMNMX",
}  # fmt: skip
UNIFORM_NAMES = frozenset({*_UNIFORM_FORMS, "S2UR", "R2UR", "VOTEU", "REDUX", "UP2UR"})
LOADS = frozenset({"LD", "LDG", "LDS", "LDL", "LDSM"})
STORES = frozenset({"ST", "STG", "STS", "STL"})
ATOMICS = frozenset({"ATOM", "ATOMG", "ATOMS", "RED", "REDG"})
MEMORY = LOADS | STORES | ATOMICS | {"LDGSTS"}


def plain(name: str) -> str:
    """What an instruction does, whether once for the warp or for each lane."""
    return _UNIFORM_FORMS.get(name, name)


def functions_of(listing: str, files: frozenset[str]) -> dict[str, Function]:
    """The kernels of a listing by mangled name. `files`: the names of the learner's files; code that was inlined from
    elsewhere has the place that called it."""
    found: dict[str, Function] = {}
    current: Function | None = None
    place: tuple[str, int] | None = None
    told = False  # whether the lines just read say where the next instruction is from
    for text in listing.splitlines():
        if text.lstrip().startswith("//"):
            section = _SECTION.match(text)
            if section:
                current = found[section["symbol"]] = Function(section["symbol"], [], {})
                place = None
            elif text.lstrip().startswith("//##"):
                if not told:
                    place = None
                own = [(m["file"], int(m["line"])) for m in _WHERE.finditer(text) if _file_name(m["file"]) in files]
                if own and place is None:
                    place = own[0]
                told = True
            continue
        if current is None:
            continue
        if label := _LABEL.match(text):
            current.labels[label["name"]] = len(current.instructions)
        elif code := _CODE.match(text):
            told = False
            try:
                current.instructions.append(_instruction(code, place))
            except Unreadable as error:
                current.unreadable = current.unreadable or str(error)
    return found


def _instruction(code: re.Match[str], place: tuple[str, int] | None) -> Instruction:
    head, _, rest = code["text"].replace(".reuse", "").partition(" ")
    name, *modifiers = head.split(".")
    guard = _operand(code["guard"]) if code["guard"] else None
    out = Instruction(int(code["at"], 16), name, tuple(modifiers), guard, place)
    parts = [p.strip() for p in rest.split(",")] if rest.strip() else []
    operands: list[Operand] = []
    for part in parts:
        if "`(" in part:
            out.label = part[part.index("`(") + 2 : part.rindex(")")]
            part = part[: part.index("`(")].strip()
            if not part:
                continue
        if (memory := _MEMORY.match(part)) and not part.startswith("c["):
            address = _address(memory["inside"])
            if out.memory:
                out.source = address
            else:
                out.memory = address
        elif re.match(r"^(SR_|SRZ|SB\d|B\d+$|PR$|gsb)", part):
            out.special = out.special or part
        elif part:
            operands.append(_operand(part, name))
    _divide(out, operands)
    return out


def _divide(out: Instruction, operands: list[Operand]) -> None:
    """Takes the destinations off the operands."""
    name = plain(out.name)
    are_predicates = [o.kind in (PREDICATE, UNIFORM_PREDICATE) for o in operands]
    if name in _NO_DESTINATION:
        out.operands = operands
        return
    if name in _ONLY_PREDICATES:
        count = 1 if name == "FCHK" else 2
        out.predicates, out.operands = operands[:count], operands[count:]
        return
    at = 0
    if name in _PREDICATE_FIRST and are_predicates[:1] == [True]:
        out.predicates.append(operands[0])
        at = 1
    if at < len(operands):
        out.destination = operands[at]
        at += 1
    most = 1 if name in ("VOTE", "VOTEU", "MATCH") else 2
    while name in _PREDICATE_AFTER and at < len(operands) and are_predicates[at] and len(out.predicates) < most:
        out.predicates.append(operands[at])
        at += 1
    out.operands = operands[at:]


@cache
def _file_name(path: str) -> str:
    return Path(path).name


@lru_cache(1 << 14)  # a listing names few operands, and each many times
def _operand(text: str, name: str = "") -> Operand:
    if match := _REGISTER.match(text):
        flags = (NEGATIVE if "-" in match["sign"] else 0) | (INVERTED if set("~!") & set(match["sign"]) else 0)
        flags |= ABSOLUTE if match["abs"] else 0
        flags |= LOW_HALF if ".H0_H0" in match["rest"] else HIGH_HALF if ".H1_H1" in match["rest"] else 0
        kind, number = _named(match["name"])
        return Operand(kind, number, flags, wide=".64" in match["rest"])
    if match := _CONSTANT.match(text):
        flags = (NEGATIVE if "-" in match["sign"] else 0) | (INVERTED if "~" in match["sign"] else 0)
        flags |= ABSOLUTE if "|" in text else 0
        kind, index = _named(match["index"]) if match["index"] else (REGISTER, ZERO)
        index += UNIFORM_INDEX if kind == UNIFORM and index != ZERO else 0
        return Operand(CONSTANT, int(match["offset"] or "0", 16), flags, int(match["bank"], 16), index)
    if re.fullmatch(r"-?0x[0-9a-f]+", text):
        return Operand(IMMEDIATE, int(text, 16) & 0xFFFFFFFF)
    return Operand(IMMEDIATE, _number(text, name))


def _named(name: str) -> tuple[int, int]:
    if name.startswith("UR"):
        return UNIFORM, ZERO if name == "URZ" else int(name[2:])
    if name.startswith("R"):
        return REGISTER, ZERO if name == "RZ" else int(name[1:])
    if name.startswith("UP"):
        return UNIFORM_PREDICATE, TRUE if name == "UPT" else int(name[2:])
    return PREDICATE, TRUE if name == "PT" else int(name[1:])


def _number(text: str, name: str) -> int:
    """A number with a point: the bits of a float, of a double's upper half, of a 16-bit float."""
    words = {"+INF": float("inf"), "INF": float("inf"), "-INF": float("-inf"), "+QNAN": float("nan"),
             "QNAN": float("nan"), "-QNAN": -float("nan")}  # fmt: skip
    try:
        value = words[text.upper()] if text.upper() in words else float(text)
    except ValueError as error:
        raise Unreadable(f"{name} {text}") from error
    if name.startswith("D"):
        return int(struct.unpack("<Q", struct.pack("<d", value))[0] >> 32)
    if name.startswith(("HFMA2", "HADD2", "HMUL2", "HSETP2", "HMNMX2")):
        return int(struct.unpack("<H", struct.pack("<e", value))[0])
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


def _address(inside: str) -> list[Operand]:
    """The parts of an address: a register, a uniform register, an offset."""
    register, uniform, offset = Operand(REGISTER, ZERO), Operand(UNIFORM, ZERO), 0
    for part in re.findall(r"[^+]+", inside.replace("+-", "+~")):
        match = re.fullmatch(r"(U?R\d+|U?RZ)((?:\.\w+)*)", part)
        if match:
            kind, number = _named(match[1])
            scale = re.search(r"\.X(\d+)", match[2])
            made = Operand(kind, number, wide=".64" in match[2],
                           scale=int(scale[1]).bit_length() - 1 if scale else 0)  # fmt: skip
            if kind == REGISTER:
                register = made
            else:
                uniform = made
        else:
            try:
                offset += -int(part[1:], 16) if part.startswith("~") else int(part, 16)
            except ValueError as error:
                raise Unreadable(inside) from error
    return [register, uniform, Operand(IMMEDIATE, offset & 0xFFFFFFFF)]
