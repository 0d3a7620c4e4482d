"""Lines as beginners write them, whose text tells more of a finding's cause than the access itself."""

from __future__ import annotations

import re

from onekernel.simulator.facts import LOOPS, facts_at
from onekernel.simulator.facts.functions import KERNEL, name_of
from onekernel.simulator.facts.names import INDICES
from onekernel.simulator.facts.tokens import text_of

_FAR = 8  # lines, between a loop and what takes the lock that it waits for
_COLUMNS = re.compile(r"\w*(?:[cC]ol|width)\w*")


def _wait(file: str | None, number: int | None) -> str:
    """The loop on the line that only waits, `while (test);`, its empty body perhaps on the next line, or the test that
    ends a `do`; "" for none."""
    facts = facts_at(file)
    for loop in (s for s in facts.around(number or 0, LOOPS) if s.word != "for" and s.head):
        opens, closes = loop.head or (0, 0)
        body = text_of(facts.code[closes + 1 : loop.last + 1])
        if facts.code[opens - 1].line == number and body in (";", "{}", "{;}"):
            return text_of(facts.code[opens - 1 : loop.last + 1])
    return ""


def spins(file: str | None, number: int | None) -> bool:
    """Whether a loop stands on the line that only waits."""
    return bool(_wait(file, number))


def waits_plainly(file: str | None, number: int | None) -> bool:
    """Whether the line is a loop that only waits, and what it waits for is not looked at by an atomic."""
    wait = _wait(file, number)
    return bool(wait) and not re.search(r"\batomic\w*\(|\.load\(|\basm\b", wait)


def _wait_above(file: str | None, number: int | None) -> str:
    """The loop that only waits on the line, or on the nearest above it; "" where there is none."""
    lines = range(number or 0, max(0, (number or 0) - _FAR), -1)
    return next(filter(None, (_wait(file, n) for n in lines)), "")


def in_lock(file: str | None, number: int | None) -> bool:
    """Whether a loop that waits by atomicCAS or atomicExch stands here or above, and an atomicExch follows."""
    facts, taken = facts_at(file), re.search(r"\batomic(?:CAS|Exch)\b", _wait_above(file, number))
    return bool(taken) and any("atomicExch" in facts.line(n) for n in range(number or 0, (number or 0) + _FAR))


def waits_for_volatile(file: str | None, number: int | None, data: str) -> bool:
    """Whether a loop on the line, or above it, only waits for something volatile that is not `data` itself."""
    names = set(re.findall(r"[A-Za-z_]\w*", _wait_above(file, number))) - {"while"}
    if not names or data in names:
        return False
    return "volatile" in names or any(one.name in names and "volatile" in one.type for one in facts_at(file).named)


def steps_by_block(file: str | None, number: int | None) -> bool:
    """Whether a loop around the line goes on by blockDim.x from an index of the whole grid: the blocks overlap."""
    facts = facts_at(file)
    for loop in facts.counted(number or 0):
        name, _, by = text_of(loop.step).partition("+=")
        if by == "blockDim.x":
            return any(t.text == "blockIdx" for t in loop.value or facts.given(name, number or 0))
    return False


def ended_loop(file: str | None, number: int | None) -> int | None:
    """The line of a loop's head that a `;` ends, just above the line: the line was meant for its body."""
    facts, before = facts_at(file), (number or 0) - 1
    loops = (s for s in facts.around(before, LOOPS) if s.word != "do" and s.last_line == before)
    return before if any(facts.code[loop.first].text == ";" for loop in loops) else None


def goes_down(file: str | None, number: int | None) -> dict[str, str]:
    """Of a loop around the line that counts columns, and whose index is multiplied by a stride there: the index, its
    end and the stride; nothing else where it is no such loop."""
    facts = facts_at(file)
    for loop in facts.counted(number or 0):
        name, _, end = text_of(loop.condition).partition("<")
        if name != loop.name or not _COLUMNS.fullmatch(end):
            continue
        stride = r"(\w*(?:stride|pitch|cols|width)\w*|ld\w?)"
        times = re.search(rf"\b{name}\s*\*\s*{stride}\b|\b{stride}\s*\*\s*{name}\b", facts.line(number))
        if times:
            return {"name": name, "end": end, "stride": times[1] or times[2]}
    return {}


def steps_twice(file: str | None, number: int | None) -> dict[str, object]:
    """Of a loop around the line that goes on by more than 1, and whose index is multiplied by that step there once
    more: the index, the step and the loop's line; nothing where none does."""
    facts = facts_at(file)
    for loop, head in facts.counted_at(number or 0):
        name, _, step = text_of(loop.step).partition("+=")
        if name != loop.name or step in ("", "1") or not re.fullmatch(r"\w+", step):
            continue
        if re.search(rf"\b{name}\s*\*\s*{step}\b|\b{step}\s*\*\s*{name}\b", facts.line(number)):
            return {"name": name, "step": step, "at": head}
    return {}


def turns_once_more(file: str | None, number: int | None) -> dict[str, object]:
    """Of a loop around the line that ends with `<=` and whose index stands there: the index and the loop's line."""
    facts = facts_at(file)
    for loop, head in facts.counted_at(number or 0):
        to_the_end = re.fullmatch(rf"{loop.name}<=\w+", text_of(loop.condition)) and text_of(loop.value) != "1"
        if loop.name and to_the_end and re.search(rf"\b{loop.name}\b", facts.line(number)):
            return {"name": loop.name, "at": head}
    return {}


_LETS_END_THROUGH = re.compile(r"\bif\s*\(\s*(\w+)\s*>\s*(\w+)\s*(?:\|\|[^;{]*)?\)\s*\{?\s*return\b")


def lets_end_through(file: str | None, number: int | None) -> dict[str, object]:
    """Of a test above the line, in its function, on which threads beyond an end return, and which lets one too many go
    on, `if (i > n) return`: the index, the end and the line."""
    facts = facts_at(file)
    function = facts.function_at(number or 0)
    for at in range(function.line if function else 1, number or 0):
        if found := _LETS_END_THROUGH.search(facts.line(at)):
            return {"name": found[1], "end": found[2], "at": at}
    return {}


def takes_remainder(file: str | None, number: int | None) -> bool:
    """Whether the line takes the remainder of a difference, which is below 0 where that is."""
    return bool(re.search(r"-\s*\w+\s*\)?\s*%", facts_at(file).line(number)))


def frees(file: str | None, number: int | None) -> bool:
    """Whether the line gives memory back to the host."""
    facts = facts_at(file)
    return bool(facts.called("free", line=number)) or any(t.line == number and t.text == "delete" for t in facts.code)


def resets(file: str | None, number: int | None) -> bool:
    """Whether the line takes all device memory back."""
    return bool(facts_at(file).called("cudaDeviceReset", "cudaThreadExit", line=number))


def draws(file: str | None, number: int | None) -> bool:
    """Whether the line draws from a random number generator of cuRAND's, which changes its state."""
    return any(c.line == number and re.fullmatch(r"curand(?:_\w+)?", c.name) for c in facts_at(file).calls)


def swapped_extents(file: str | None, number: int | None, variable: str) -> bool:
    """Whether the line reads or writes the variable as [threadIdx.x][threadIdx.y], or by names that begin so."""
    first = rf"\b{re.escape(variable)}\s*\[\s*(?:threadIdx\.x|tx|x)\b[^]]*\]\s*\[\s*(?:threadIdx\.y|ty|y)\b"
    return bool(re.search(first, facts_at(file).line(number)))


def asks_where_it_runs(file: str | None, number: int | None) -> bool:
    """Whether the line asks for the sizes or the number of a block or a thread, which a kernel alone has."""
    return bool(re.search(rf"\b(?:{'|'.join(INDICES)})\b", facts_at(file).line(number)))


def takes_reference(file: str | None, kernel: str) -> str:
    """The first parameter that a kernel of this file takes by reference; "" for none."""
    facts = facts_at(file)
    for function in facts.functions:
        if function.name == kernel and function.side == KERNEL:
            for parameter in function.parameters(facts.code):
                if any(t.text == "&" for t in parameter):
                    return name_of(parameter)
    return ""
