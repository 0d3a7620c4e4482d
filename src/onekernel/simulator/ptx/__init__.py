"""Inline PTX: the asm statements of a preprocessed file become C++ that the simulator runs and watches, each on the
line where it stands, each instruction a call of api/ok/ptx*.h."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from onekernel.simulator.ptx import arithmetic, bulk, memory, together, warpgroup
from onekernel.simulator.ptx.assembly import Bad, Code, Instruction, Name, parse
from onekernel.simulator.ptx.operands import P, Writer
from onekernel.simulator.ptx.statements import Statement, asm_statements

Handler = Callable[[Instruction, Writer], None]
_HANDLERS: dict[str, Handler] = {**arithmetic.HANDLERS, **memory.HANDLERS, **bulk.HANDLERS, **together.HANDLERS,
                                **warpgroup.HANDLERS}  # fmt: skip
_WORDS = {1: "bool", 8: "uint8_t", 16: "uint16_t", 32: "uint32_t", 64: "uint64_t", 128: P + "Bits128"}
_OF_CONSTRAINT = {"h": "uint16_t", "r": "uint32_t", "l": "uint64_t", "f": "float", "d": "double", "q": P + "Bits128"}
# What the simulated card has not, or nobody has asked for yet: told by the family's name.
_FAMILIES = {
    "tcgen05": "tcgen05 (Tensor Cores of sm_100)",
    "tex": "textures", "tld4": "textures", "suld": "surfaces", "sust": "surfaces", "call": "calls in PTX",
}  # fmt: skip


@dataclass(frozen=True)
class Refused:
    """A statement that cannot be run: `key` is a message of ptx.toml, `values` are what its sentence names."""

    file: str
    line: int
    key: str
    values: dict[str, object]


def translate(preprocessed: str, card: str) -> tuple[str, list[Refused]]:
    """The text with every marked asm statement as C++, and those that are refused, on the card `card`."""
    out: list[str] = []
    refused: list[Refused] = []
    done = 0
    for number, statement in enumerate(asm_statements(preprocessed)):
        out.append(preprocessed[done : statement.begin])
        done = statement.end
        try:
            out.append(_cpp(statement, card, number))
        except Bad as bad:
            refused.append(Refused(statement.file, statement.line, bad.key, bad.values))
            continue
        span = preprocessed[statement.begin : statement.end]
        if "\n" in span:
            out.append(f'\n# {_last_line(span, statement.line)} "{statement.file}"\n')
    out.append(preprocessed[done:])
    return "".join(out), refused


def _last_line(span: str, line: int) -> int:
    for text in span.split("\n")[1:]:
        marker = text.split(" ", 2)
        line = int(marker[1]) - 1 if text.startswith("# ") and marker[1].isdigit() else line + 1
    return line


def _cpp(statement: Statement, card: str, number: int) -> str:
    if statement.wrong:
        raise Bad("statement")
    writer = Writer(statement, parse(statement.assembly), card, number)
    for line in writer.code.lines:
        if isinstance(line, str):
            writer.add(f"__ok_label_{number}_{_label(line)}:;")
        else:
            _instruction(line, writer)
    begin, end = _before(statement, writer.code), _behind(statement, writer.kept)
    return " ".join(("do {", *begin, *writer.lines, *end, "} while (0)"))


def _label(name: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in name)


def _before(statement: Statement, code: Code) -> Iterator[str]:
    """The registers: the statement's operands, with what they hold, and those that its text declares."""
    for k, operand in enumerate(statement.operands):
        if operand.constraint == "n":
            yield f"constexpr auto __ok_{k} = ({operand.expression});"
            continue
        kind = _OF_CONSTRAINT.get(operand.constraint)
        if kind is None:
            raise Bad("constraint", what=operand.constraint)
        if operand.written:
            yield f"auto& __ok_to_{k} = ({operand.expression}); {P}check_operand<{kind}>(__ok_to_{k});"
        source = f"__ok_to_{k}" if operand.written else f"({operand.expression})"
        value = f"{P}operand<{kind}>({source})" if operand.read else f"{P}nothing<{kind}>()"
        yield f"auto __ok_{k} = {value};"
    for name, (bits, _) in code.registers.items():
        yield f"{_WORDS[bits]} __ok_{name}{{}}; static_cast<void>(__ok_{name});"


def _behind(statement: Statement, kept: set[int]) -> Iterator[str]:
    """What the statement gives; but for `kept`, which something that goes on will write."""
    for k, operand in enumerate(statement.operands):
        if operand.written and k not in kept:
            yield f"{P}give(__ok_to_{k}, __ok_{k});"
        else:
            yield f"static_cast<void>(__ok_{k});"


def _instruction(one: Instruction, writer: Writer) -> None:
    guard = "" if one.guard is None else f"if ({writer.read(one.guard, 'pred')}) "
    if one.name == "bra":
        target = one.operands[0] if one.operands else None
        if not isinstance(target, Name):
            raise Bad("unknown", what=one.text)
        labels = [line for line in writer.code.lines if isinstance(line, str)]
        if target.text not in labels:
            raise Bad("no-label", name=target.text)
        writer.add(f"{guard}goto __ok_label_{writer.number}_{_label(target.text)};")
        return
    handler = _HANDLERS.get(one.name)
    if handler is None:
        raise Bad("unknown", what=_FAMILIES.get(one.name, one.text))
    writer.add(f"{guard}{{")
    try:
        handler(one, writer)
    except (IndexError, KeyError, ValueError) as error:
        if isinstance(error, Bad):
            error.values.setdefault("instruction", one.text)
            raise
        raise Bad("unknown", what=one.text) from error
    writer.add("}")
