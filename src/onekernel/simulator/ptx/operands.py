"""Operands as C++: registers are unsigned words of their size, and every use says the type that it takes them for."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

from onekernel.simulator.arch import ARCHITECTURES
from onekernel.simulator.ptx.assembly import (
    Address,
    Bad,
    Code,
    Instruction,
    Name,
    Not,
    Number,
    Pair,
    Ref,
    Value,
    Vector,
)
from onekernel.simulator.ptx.statements import Statement

P = "::__ok::ptx::"

BITS = {"pred": 1, **{f"{kind}{n}": n for n in (8, 16, 32, 64) for kind in "bus"}, "b128": 128,
        "f16": 16, "bf16": 16, "f16x2": 32, "bf16x2": 32, "tf32": 32, "f32": 32, "f64": 64}  # fmt: skip
"""The bits of each of PTX's types."""

_CPP = {"pred": "bool", **{f"{k}{n}": f"{'' if k == 's' else 'u'}int{n}_t" for n in (8, 16, 32, 64) for k in "bus"},
        "f16": P + "Half", "bf16": P + "BFloat16", "f16x2": P + "Pair<" + P + "Half>", "tf32": "float",
        "bf16x2": P + "Pair<" + P + "BFloat16>", "f32": "float", "f64": "double", "b128": P + "Bits128"}  # fmt: skip
_CONSTRAINTS = {"h": 16, "r": 32, "l": 64, "f": 32, "d": 64, "q": 128, "n": 0}
_WORDS = {1: "bool", 8: "uint8_t", 16: "uint16_t", 32: "uint32_t", 64: "uint64_t", 128: P + "Bits128"}
_FLOATS = {"f": 32, "d": 64}
# Special registers: C++ and bits.
_SPECIAL = {
    **{f"{ptx}.{axis}": (f"{cpp}.{axis}", 32)
       for ptx, cpp in (("tid", "threadIdx"), ("ntid", "blockDim"), ("ctaid", "blockIdx"), ("nctaid", "gridDim"))
       for axis in "xyz"},
    "laneid": (P + "lane()", 32), "warpid": ("::__ok::ok_thread_rank() / 32", 32), "smid": ("0u", 32),
    "nsmid": ("unsigned(::__ok::CARD.multiprocessors)", 32), "gridid": ("0ull", 64),
    "nwarpid": ("unsigned(::__ok::CARD.threads_per_multiprocessor / 32)", 32),
    "lanemask_eq": ("(1u << " + P + "lane())", 32), "lanemask_lt": ("((1u << " + P + "lane()) - 1)", 32),
    "lanemask_le": ("((2u << " + P + "lane()) - 1)", 32), "lanemask_gt": ("~((2u << " + P + "lane()) - 1)", 32),
    "lanemask_ge": ("~((1u << " + P + "lane()) - 1)", 32),
    "clock": ("unsigned(clock64())", 32), "clock64": ("uint64_t(clock64())", 64),
    "globaltimer": ("uint64_t(clock64())", 64), "globaltimer_lo": ("unsigned(clock64())", 32),
    "dynamic_smem_size": (P + "dynamic_shared_bytes()", 32), "WARP_SZ": ("32u", 32),
    **{f"{ptx}.{axis}": (f"{P}cluster().{cpp}.{axis}", 32)
       for ptx, cpp in (("cluster_ctaid", "block"), ("cluster_nctaid", "blocks"), ("clusterid", "cluster"))
       for axis in "xyz"},
    "cluster_ctarank": (P + "cluster().rank", 32), "cluster_nctarank": (P + "cluster_blocks()", 32),
}  # fmt: skip


def cpp(kind: str) -> str:
    """The C++ type of a PTX type. Raises Bad for one that is not known."""
    if kind not in _CPP:
        raise Bad("unknown", what=f".{kind}")
    return _CPP[kind]


@dataclass
class Writer:
    """The C++ of one statement, as it grows. `card`: the name of the one that is modelled, `sm_80` say."""

    statement: Statement
    code: Code
    card: str
    number: int  # of the statement in its file: makes labels unique
    lines: list[str] = field(default_factory=list)
    kept: set[int] = field(default_factory=set)  # operands that an instruction writes after the statement

    def add(self, line: str) -> None:
        self.lines.append(line)

    def bits_of(self, value: Value) -> int:
        """The bits of a register; 0 for a number, which takes those of its use."""
        if isinstance(value, Ref):
            if value.number >= len(self.statement.operands):
                raise Bad("no-operand", number=value.number, count=len(self.statement.operands))
            constraint = self.statement.operands[value.number].constraint
            if constraint not in _CONSTRAINTS:
                raise Bad("constraint", what=constraint)
            return _CONSTRAINTS[constraint]
        if isinstance(value, Name) and value.text in self.code.registers:
            return self.code.registers[value.text][0]
        if isinstance(value, Name) and value.text.lstrip("%") in _SPECIAL:
            return _SPECIAL[value.text.lstrip("%")][1]
        return 0

    def later(self, value: Ref) -> str:
        """The C++ variable itself, which something writes when the statement is over: nothing else of it may use it."""
        self.kept.add(value.number)
        return f"__ok_to_{value.number}"

    def variable(self, value: Value) -> str:
        if isinstance(value, Ref):
            if value.number in self.kept:
                raise Bad("kept", number=value.number)
            return f"__ok_{value.number}"
        if isinstance(value, Name) and value.text in self.code.registers:
            return f"__ok_{value.text}"
        raise Bad("syntax", near=_text(value))

    def read(self, value: Value, kind: str, *, wider: bool = False) -> str:
        """A C++ expression of the type of `kind`. `wider`: the register may have more bits, as of a store."""
        if isinstance(value, Number):
            return _number(value.text, kind)
        if isinstance(value, Not):
            return f"!{self.read(value.predicate, 'pred')}"
        if isinstance(value, Vector) and len(value.items) > 1:
            return f"{P}as<{cpp(kind)}>({self._packed(value, BITS[kind])})"
        if isinstance(value, Vector):
            return self.read(value.items[0], kind, wider=wider)
        if isinstance(value, Ref) and self.bits_of(value) == 0:
            return f"{P}immediate<{cpp(kind)}>({self.variable(value)})"
        if isinstance(value, Name) and value.text.lstrip("%") in _SPECIAL and value.text not in self.code.registers:
            expression, has = _SPECIAL[value.text.lstrip("%")]
            if has != BITS[kind] and not (wider and has > BITS[kind]):
                raise Bad("size", operand=value.text, has=has, wants=BITS[kind])
            return f"{P}as<{cpp(kind)}>({'uint64_t' if has == 64 else 'uint32_t'}({expression}))"
        if isinstance(value, Name) and value.text not in self.code.registers:
            raise Bad("not-declared", name=value.text)
        self.fits(value, kind, wider)
        return f"{P}as<{cpp(kind)}>({self.variable(value)})"

    def fits(self, value: Value, kind: str, wider: bool = False) -> None:
        """Raises Bad where ptxas would: a register of another size, or a float's for an integer."""
        has, wants = self.bits_of(value), BITS[kind]
        if has != wants and not (wider and has > wants):
            raise Bad("size", operand=_text(value), has=has, wants=wants)
        real = isinstance(value, Ref) and self.statement.operands[value.number].constraint in _FLOATS
        real |= isinstance(value, Name) and self.code.registers[value.text][1]
        if real and kind[0] in "us":
            raise Bad("float-operand", operand=_text(value), kind=kind)

    def _packed(self, value: Vector, bits: int) -> str:
        each = bits // len(value.items)
        return f"{P}pack<{_WORDS[bits]}>({', '.join(self.read(v, f'b{each}') for v in value.items)})"

    def write(self, value: Value, expression: str, kind: str, *, wider: bool = False) -> None:
        """Assigns an expression of the type of `kind`."""
        if isinstance(value, Name) and value.text == "_":
            self.add(f"static_cast<void>({expression});")
            return
        if isinstance(value, Vector) and len(value.items) == 1:
            value = value.items[0]
        if isinstance(value, Vector):
            each = BITS[kind] // len(value.items)
            for item in value.items:
                if not (isinstance(item, Name) and item.text == "_"):
                    self.fits(item, f"b{each}")
            targets = [self.target(item, _WORDS[each]) for item in value.items]
            self.add(f"{P}unpack({P}bits({expression}), {', '.join(targets)});")
            return
        if isinstance(value, Name) and value.text not in self.code.registers:
            raise Bad("not-declared", name=value.text)
        self.writable(value)
        self.fits(value, kind, wider)
        has = self.bits_of(value)
        if has > BITS[kind]:
            expression = f"{P}widened<{_WORDS[has]}>({expression})"
            self.add(f"{self.variable(value)} = {expression};")
        else:
            self.add(f"{self.variable(value)} = {P}bits({expression});")

    def target(self, value: Value, word: str) -> str:
        """A variable that a function of ours may write."""
        if isinstance(value, Name) and value.text == "_":
            return f"{P}Sink<{word}>().value"
        self.writable(value)
        return self.variable(value)

    def writable(self, value: Value) -> None:
        if isinstance(value, Ref):
            self.bits_of(value)
            if not self.statement.operands[value.number].written:
                raise Bad("not-output", number=value.number)

    def address(self, value: Value) -> str:
        """An address as a 64-bit number; a 32-bit register is widened with zeros."""
        inside = value if isinstance(value, Address) else Address(value)
        bits = self.bits_of(inside.base) or 64
        if bits not in (32, 64):
            raise Bad("size", operand=_text(inside.base), has=bits, wants=64)
        text = f"uint64_t({self.read(inside.base, f'u{bits}')})"
        if inside.offset:
            text += f" + {inside.offset}ll"
        if inside.plus is not None:
            text += f" + {self.read(inside.plus, 's64')}"
        return text


def need_card(w: Writer, one: Instruction, arch: int, *, alone: bool = False) -> None:
    """Raises Bad where the simulated card is older than the instruction. `alone`: no later card has it, and a file must
    be compiled for that one, sm_90a say."""
    card = f"sm_{arch}a" if alone else f"sm_{arch}"
    if ARCHITECTURES[w.card] < 10 * arch or (alone and w.card != card):
        raise Bad("needs-card", instruction=one.text, card=card, modelled=w.card, ask="sm_90a" if alone else "sm_90")


def _text(value: Value) -> str:
    match value:
        case Ref(number):
            return f"%{number}"
        case Name(text) | Number(text):
            return text
        case Address(base):
            return f"[{_text(base)}]"
        case Vector(items):
            return "{" + ", ".join(map(_text, items)) + "}"
        case Pair(first, second):
            return f"{_text(first)}|{_text(second)}"
        case Not(predicate):
            return f"!{_text(predicate)}"


def _number(text: str, kind: str) -> str:
    """A literal as an expression of the type of `kind` (PTX ISA, "Constants")."""
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    if digits[:2].lower() == "0f" and len(digits) == 10:
        value = struct.unpack(">f", bytes.fromhex(digits[2:]))[0]
        bits, real = int(digits[2:], 16), float(value)
        if kind == "f64":
            return f"{P}as<double>(uint64_t(0x{struct.pack('>d', real).hex()}ull))"
        return f"{sign}{P}as<{cpp(kind)}>(uint32_t(0x{bits:x}u))"
    if digits[:2].lower() == "0d" and len(digits) == 18:
        if kind == "f32":
            return f"{sign}float({P}as<double>(uint64_t(0x{digits[2:]}ull)))"
        return f"{sign}{P}as<{cpp(kind)}>(uint64_t(0x{digits[2:]}ull))"
    if kind in ("f32", "f64", "tf32"):
        if kind != "f64" and "." not in digits and "e" not in digits.lower():
            return f"{cpp(kind)}({sign}{digits.rstrip('U')}.0)"
        return f"{cpp(kind)}({sign}{digits.rstrip('U')})"
    if "." in digits:
        raise Bad("syntax", near=text)
    value = int(digits.rstrip("U"), 0) if digits[:1] != "0" or digits[1:2] in "xXbB" else int(digits.rstrip("U"), 8)
    value = (-value if sign else value) & 0xFFFFFFFFFFFFFFFF
    if kind == "pred":
        return "true" if value else "false"
    if BITS[kind] <= 64 and kind[0] in "bus" and kind[:2] != "bf":
        return f"{cpp(kind)}(0x{value:x}ull)"
    return f"{P}as<{cpp(kind)}>(uint64_t(0x{value:x}ull))"
