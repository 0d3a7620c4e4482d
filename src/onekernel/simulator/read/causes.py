"""Lines as beginners write them, whose text tells more of a finding's cause than the access itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

from onekernel.simulator.read.excerpt import code_lines, line_of

_ROUND = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"  # brackets within brackets within brackets
_EMPTY = r"\s*(?:;|\{\s*;?\s*\})"
_SPIN = re.compile(rf"\bwhile\s*{_ROUND}(?:{_EMPTY}|\s*\{{?\s*$)")
_ENDED_LOOP = re.compile(rf"\b(?:for|while)\s*{_ROUND}\s*;$")
_STEP = re.compile(r"\bfor\s*\(([^;]*\bblockIdx\b[^;]*|[^;]*);[^;]*;\s*(\w+)\s*\+=\s*blockDim\.x\s*\)")
_COLUMNS = re.compile(r"\bfor\s*\([^;]*?\b(\w+)\s*=[^;]*;\s*(\w+)\s*<\s*(\w*(?:[cC]ol|width)\w*)\s*;")
_FAR = 8  # lines, between a loop's head and what a finding names in it


def _up_from(file: str | None, number: int | None) -> Iterator[str]:
    """The line, and those above it as far as a loop's head may be."""
    for n in range(number or 0, max(0, (number or 0) - _FAR), -1):
        yield line_of(file, n)


def spins(file: str | None, number: int | None) -> bool:
    """Whether a loop stands on the line that only waits: `while (test);`, its empty body perhaps on the next line."""
    found = _SPIN.search(line_of(file, number))
    open_ended = found and found[0].rstrip().endswith((")", "{"))
    following = line_of(file, (number or 0) + 1)
    if found and open_ended:
        return bool(re.match(r"\}" if found[0].rstrip().endswith("{") else _EMPTY, following))
    return bool(found)


def waits_plainly(file: str | None, number: int | None) -> bool:
    """Whether the line is a loop that only waits, and what it waits for is not looked at by an atomic."""
    found = _SPIN.search(line_of(file, number))
    by_atomic = found and re.search(r"\batomic\w*\s*\(|\.\s*load\s*\(|\basm\b", found[0])
    return spins(file, number) and not by_atomic


def _wait_above(file: str | None, number: int | None) -> str:
    """The line, or the nearest above it, that is a loop which only waits; "" where there is none."""
    lines = range(number or 0, max(0, (number or 0) - _FAR), -1)
    return next((line_of(file, n) for n in lines if spins(file, n)), "")


def in_lock(file: str | None, number: int | None) -> bool:
    """Whether a loop that waits by atomicCAS or atomicExch stands here or above, and an atomicExch follows."""
    taken = re.search(r"\batomic(?:CAS|Exch)\b", _wait_above(file, number))
    return bool(taken) and any("atomicExch" in line_of(file, n) for n in range(number or 0, (number or 0) + _FAR))


def waits_for_volatile(file: str | None, number: int | None, data: str) -> bool:
    """Whether a loop on the line, or above it, only waits for something volatile that is not `data` itself."""
    found = _SPIN.search(_wait_above(file, number))
    names = set(re.findall(r"[A-Za-z_]\w*", found[0])) - {"while"} if found else set()
    if not file or not names or data in names:
        return False
    declared = re.compile(rf"\bvolatile\b[^;()]*\b(?:{'|'.join(names)})\b")
    return "volatile" in names or any(map(declared.search, code_lines(file)))


def steps_by_block(file: str | None, number: int | None) -> bool:
    """Whether a loop around the line goes on by blockDim.x from an index of the whole grid: the blocks overlap."""
    above = list(_up_from(file, number))
    for text in above:
        if step := _STEP.search(text):
            begins = step[1] if "=" in step[1] else ""
            index = begins or next((t for t in above if re.search(rf"\b{step[2]}\s*=[^=]", t)), "")
            return "blockIdx" in index
    return False


def ended_loop(file: str | None, number: int | None) -> int | None:
    """The line of a loop's head that a `;` ends, just above the line: the line was meant for its body."""
    before = (number or 0) - 1
    return before if _ENDED_LOOP.search(line_of(file, before)) else None


def goes_down(file: str | None, number: int | None) -> dict[str, str]:
    """Of a loop around the line that counts columns, and whose index is multiplied by a stride there: the index, its
    end and the stride; nothing else where it is no such loop."""
    for text in _up_from(file, number):
        head = _COLUMNS.search(text)
        if not head or head[1] != head[2]:
            continue
        stride = r"(\w*(?:stride|pitch|cols|width)\w*|ld\w?)"
        times = re.search(rf"\b{head[1]}\s*\*\s*{stride}\b|\b{stride}\s*\*\s*{head[1]}\b", line_of(file, number))
        if times:
            return {"name": head[1], "end": head[3], "stride": times[1] or times[2]}
    return {}


def takes_remainder(file: str | None, number: int | None) -> bool:
    """Whether the line takes the remainder of a difference, which is below 0 where that is."""
    return bool(re.search(r"-\s*\w+\s*\)?\s*%", line_of(file, number)))


def frees(file: str | None, number: int | None) -> bool:
    """Whether the line gives memory back to the host."""
    return bool(re.search(r"\bfree\s*\(|\bdelete\b", line_of(file, number)))


def resets(file: str | None, number: int | None) -> bool:
    """Whether the line takes all device memory back."""
    return bool(re.search(r"\bcuda(?:DeviceReset|ThreadExit)\s*\(", line_of(file, number)))


def draws(file: str | None, number: int | None) -> bool:
    """Whether the line draws from a random number generator of cuRAND's, which changes its state."""
    return bool(re.search(r"\bcurand(?:_\w+)?\s*\(", line_of(file, number)))


def swapped_extents(file: str | None, number: int | None, variable: str) -> bool:
    """Whether the line reads or writes the variable as [threadIdx.x][threadIdx.y], or by names that begin so."""
    first = rf"\b{re.escape(variable)}\s*\[\s*(?:threadIdx\.x|tx|x)\b[^]]*\]\s*\[\s*(?:threadIdx\.y|ty|y)\b"
    return bool(re.search(first, line_of(file, number)))


def asks_where_it_runs(file: str | None, number: int | None) -> bool:
    """Whether the line asks for the sizes or the number of a block or a thread, which a kernel alone has."""
    return bool(re.search(r"\b(?:blockDim|gridDim|threadIdx|blockIdx)\b", line_of(file, number)))


def takes_reference(file: str | None, kernel: str) -> str:
    """The first parameter that a kernel of this file takes by reference; "" for none."""
    whole = " ".join(code_lines(file)) if file else ""
    head = re.search(rf"__global__[^;{{}}()]*?\b{re.escape(kernel)}\s*(\([^{{;]*\))\s*\{{", whole)
    taken = re.search(r"&\s*(\w+)\s*[,)]", head[1]) if head else None
    return taken[1] if taken else ""
