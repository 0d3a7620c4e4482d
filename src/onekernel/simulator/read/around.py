"""What stands around a line of the learner's own text: loops, branches, functions, barriers."""

from __future__ import annotations

import re

from onekernel.simulator.read.excerpt import code_of, line_of, lines_of

_BRANCH = re.compile(r"\b(?:if|else)\b")
_ELSE = re.compile(r"\belse\b(?!\s*if\b)")
_BARRIER = re.compile(r"\b__syncthreads(?:_\w+)?\s*\(|\bsync\s*\(")
_DESTRUCTOR = re.compile(r"~\w+\s*\(")
_LOOP = re.compile(r"\b(?:for|while|do)\b")


def in_loop(file: str | None, number: int | None) -> bool:
    """Whether a loop of the same function stands around the line: told by braces, or by a loop that needs none."""
    return _inside(file, number, _LOOP)


def by_loop(file: str | None, number: int | None, variable: str) -> bool:
    """Whether the variable of a loop around the line stands between the array's brackets there."""
    counted = re.findall(rf"\b{re.escape(variable)}((?:\[[^\]]*\])+)", code_of(line_of(file, number)))
    names = set(re.findall(r"\b\w+\b", " ".join(counted)))
    before = lines_of(file)[: number or 0]
    loops = {m[1] for line in before for m in re.finditer(r"\bfor\s*\(\s*\w+\s+(\w+)\s*=", code_of(line))}
    return in_loop(file, number) and bool(names & loops)


def in_branch(file: str | None, number: int | None) -> bool:
    """Whether an `if` or an `else` of the same function stands around the line, likewise."""
    return _inside(file, number, _BRANCH)


def in_destructor(file: str | None, number: int | None) -> bool:
    """Whether the line belongs to a destructor."""
    return _inside(file, number, _DESTRUCTOR)


def _inside(file: str | None, number: int | None, word: re.Pattern[str]) -> bool:
    lines = lines_of(file)
    if not number or not 0 < number <= len(lines):
        return False
    if word.search(code_of(lines[number - 1])):
        return True
    open_braces = 0
    for k in range(number - 2, -1, -1):
        code = code_of(lines[k])
        if k == number - 2 and word.search(code) and not code.rstrip().endswith((";", "{", "}")):
            return True
        for at in range(len(code) - 1, -1, -1):
            if code[at] == "}":
                open_braces += 1
            elif code[at] == "{" and open_braces:
                open_braces -= 1
            elif code[at] == "{" and word.search(code[:at]):
                return True
    return False


def has_wide_test(file: str | None, number: int | None) -> bool:
    """Whether a `<=` stands on the line or on one of the two before it."""
    lines = lines_of(file) if number else ()
    return any("<=" in code_of(line) for line in lines[max(0, (number or 0) - 3) : number])


def _loops(file: str) -> list[tuple[int, int]]:
    """First and last line of each loop: of its braces, or of the statement that it has without them."""
    found, open_braces = [], []
    for n, line in enumerate(lines_of(file), 1):
        code = code_of(line)
        for at, sign in enumerate(code):
            if sign == "{":
                open_braces.append((n, bool(_LOOP.search(code[:at]))))
            elif sign == "}" and open_braces:
                first, is_loop = open_braces.pop()
                found += [(first, n)] if is_loop else []
        if _LOOP.search(code) and "{" not in code:
            found.append((n, n if code.rstrip().endswith(";") else n + 1))
    return found


def barrier_in_turn(file: str, number: int) -> bool:
    """Whether the innermost loop around the line calls a barrier of the block."""
    around = [(first, last) for first, last in _loops(file) if first <= number <= last]
    first, last = max(around, default=(1, 0), key=lambda loop: (loop[0], -loop[1]))
    return any(_BARRIER.search(code_of(line)) for line in lines_of(file)[first - 1 : last])


def after_loops(file: str, number: int, outside: int) -> int:
    """The last line of the outermost loop around the line that is not around `outside`; the line itself without one."""
    around = [loop for loop in _loops(file) if loop[0] <= number <= loop[1] and not loop[0] <= outside <= loop[1]]
    return min(around, default=(number, number))[1]


def stored_in_branch(file: str | None, number: int | None, variable: str) -> int | None:
    """The line of the first store into the array in the function of the line, where an `if` without an `else` stands
    before each of them."""
    store = re.compile(rf"\b{re.escape(variable)}\s*(?:\[[^\]]*\]\s*)+=[^=]")
    lines = [n for n, line in enumerate(lines_of(file), 1) if store.search(code_of(line))]
    lines = [n for n in lines if same_function(file or "", n, number or n)]
    if any(_inside(file, n, _ELSE) for n in lines):
        return None
    return lines[0] if lines and all(in_branch(file, n) for n in lines) else None


def share_loop(file: str, one: int, other: int) -> bool:
    """Whether a loop with braces stands around both lines."""
    open_loops: list[tuple[int, bool]] = []
    around: dict[int, set[int]] = {}
    for n, line in enumerate(lines_of(file), 1):
        code = code_of(line)
        around[n] = {at for at, loop in open_loops if loop}
        for at, sign in enumerate(code):
            if sign == "{":
                open_loops.append((n, bool(_LOOP.search(code[:at]))))
            elif sign == "}" and open_loops:
                open_loops.pop()
    return bool(around.get(one, set()) & around.get(other, set()))


def same_function(file: str, one: int, other: int) -> bool:
    """Whether no brace in the first column, where functions end as everybody writes them, stands between the lines."""
    first, last = sorted((one, other))
    return not any(line.startswith("}") for line in lines_of(file)[first - 1 : last])


def barrier_between(file: str, first: int, last: int) -> bool:
    """Whether a line between the two, both left out, calls a barrier of the block."""
    return any(_BARRIER.search(code_of(line)) for line in lines_of(file)[first : last - 1])
