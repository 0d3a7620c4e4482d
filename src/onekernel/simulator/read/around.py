"""What the learner's own text says on a line that a finding names, and what stands around it: loops, branches,
functions, barriers."""

from __future__ import annotations

import re

from onekernel.simulator.facts import BRANCHES, LOOPS, facts_at

MOST_QUOTED = 60  # characters
POINTER = 8  # bytes
_RUNTIME = re.compile(r"cuda[A-Z]\w*")


def in_loop(file: str | None, number: int | None) -> bool:
    """Whether a loop stands around the line."""
    return bool(facts_at(file).around(number or 0, LOOPS))


def by_loop(file: str | None, number: int | None, variable: str) -> bool:
    """Whether the variable of a loop around the line stands between the array's brackets there."""
    facts = facts_at(file)
    groups = (group for element in facts.elements(variable, number) for group in element.groups)
    names = {token.text for opens, closes in groups for token in facts.code[opens:closes]}
    return any(loop.name in names for loop in facts.counted(number or 0))


def in_branch(file: str | None, number: int | None) -> bool:
    """Whether an `if` or an `else` stands around the line."""
    return bool(facts_at(file).around(number or 0, BRANCHES))


def in_destructor(file: str | None, number: int | None) -> bool:
    """Whether the line belongs to a destructor."""
    function = facts_at(file).function_at(number or 0)
    return function is not None and function.is_destructor


def has_wide_test(file: str | None, number: int | None) -> bool:
    """Whether a `<=` stands on the line or on one of the two before it."""
    facts = facts_at(file)
    return any("<=" in facts.line(n) for n in range((number or 0) - 2, (number or 0) + 1))


def barrier_in_turn(file: str, number: int) -> bool:
    """Whether the innermost loop around the line calls a barrier of the block."""
    facts = facts_at(file)
    around = facts.around(number, LOOPS)
    return bool(around) and any(around[-1].first_line <= line <= around[-1].last_line for line in facts.barriers)


def after_loops(file: str, number: int, outside: int) -> int:
    """The last line of the outermost loop around the line that is not around `outside`; the line itself without one."""
    loops = facts_at(file).around(number, LOOPS)
    return next((s.last_line for s in loops if not s.first_line <= outside <= s.last_line), number)


def stored_in_branch(file: str | None, number: int | None, variable: str) -> int | None:
    """The line of the first store into the array in the function of the line, where an `if` without an `else` stands
    before each of them."""
    facts = facts_at(file)
    function = facts.function_at(number or 0)
    first, last = (function.line, function.last_line) if function else (1, 0)
    stored = (s for s in facts.stores if s.sets and s.target.groups and s.target.name == variable)
    lines = [s.line for s in stored if first <= s.line <= last]
    branches = [facts.around(n, BRANCHES) for n in lines]
    return lines[0] if lines and all(around and not any(s.otherwise for s in around) for around in branches) else None


def share_loop(file: str, one: int, other: int) -> bool:
    """Whether a loop stands around both lines."""
    return any(s.first_line <= other <= s.last_line for s in facts_at(file).around(one, LOOPS))


def same_function(file: str, one: int, other: int) -> bool:
    """Whether the lines stand in one function."""
    facts = facts_at(file)
    return facts.function_at(one) is facts.function_at(other)


def barrier_between(file: str, first: int, last: int) -> bool:
    """Whether a line between the two, both left out, calls a barrier of the block."""
    return any(first < line < last for line in facts_at(file).barriers)


_OF_ONE_WARP = re.compile(
    r"<\s*(?:32|warpSize|WARP\w*)\b|<=\s*31\b|\b\w*[wW]arp\w*\s*==|/\s*32\s*==|>>\s*5\)?\s*==|!\s*\w*[wW]arp\w*"
)


def for_one_warp(file: str | None, number: int | None) -> bool:
    """Whether a test around the line lets one warp alone come to it, as `if (t < 32)`."""
    facts = facts_at(file)
    heads = (s.head for s in facts.around(number or 0, BRANCHES) if s.head and not s.otherwise)
    return any(_OF_ONE_WARP.search(" ".join(t.text for t in facts.code[opens + 1 : closes])) for opens, closes in heads)


def line_of(file: str | None, number: int | None) -> str:
    """The source line without its comment and indentation; "" where there is none."""
    lines = facts_at(file).lines
    return lines[number - 1].strip() if number and 0 < number <= len(lines) else ""


def quoted(text: str) -> str:
    """A source line between backticks, shortened, without the spaces that align it."""
    text = re.sub(r"\s+", " ", text)
    return f"`{text if len(text) <= MOST_QUOTED else text[: MOST_QUOTED - 1] + '…'}`"


def runtime_call(file: str | None, number: int | None) -> str:
    """The function of the CUDA runtime that the line calls; "" where it calls none, or several."""
    names = [call.name for call in facts_at(file).calls if call.line == number and _RUNTIME.fullmatch(call.name)]
    return names[0] if len(names) == 1 else ""
