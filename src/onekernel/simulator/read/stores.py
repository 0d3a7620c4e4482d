"""What a line of the learner's own text reads and writes of an array; and what the index is made of that it stores at:
whether its column is compared with what it must not reach, and whether the threads of a block differ in it."""

from __future__ import annotations

import re
from itertools import pairwise

from onekernel.simulator.facts import BRANCHES, LOOPS, Facts, facts_at
from onekernel.simulator.facts.functions import name_of
from onekernel.simulator.facts.names import INDICES
from onekernel.simulator.facts.statements import Statement
from onekernel.simulator.facts.tokens import Token, closing, one_line, split, text_of

_CONSTANT = re.compile(r"\d\w*|[A-Z][A-Z0-9_]*|k[A-Z]\w*")
_TYPES = ("int", "unsigned", "long", "size_t", "int64_t", "int32_t", "uint32_t", "uint64_t")
_LESS = "<>"
_ENDS = ("&", "|", ";", "?", ":", ",", "return")
_LEAVES = ("return", "continue", "break")
_OPENS, _CLOSES = "([{", ")]}"
_LEFT_OUT = re.compile(r'//.*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|\s')

# In code without spaces: `v[i]`, of brackets within brackets, and `*v`.
_ELEMENT = r"(?:\w+(?:\[(?:[^][]|\[[^][]*\])*\])+|\*\w+)"


def unchecked(file: str | None, number: int | None) -> dict[str, str]:
    """The column and the width as the file writes them, where no branch or loop around the line, and no early return
    above it in its function, compares the column with a size; nothing where one does, or where the index has another
    form."""
    facts = facts_at(file)
    column, width = _column(facts, _index(facts, number or 0), number or 0)
    conditions = _conditions(facts, number or 0) if width else []
    if not width or any(_compares(facts, part, column, width, number or 0) for part in conditions):
        return {}
    return {"column": " + ".join(map(one_line, column)), "width": width}


def same_for_all(file: str | None, number: int | None, variable: str) -> str:
    """The index at which the line stores into a parameter of its kernel, as the file writes it, where every name in it
    is a launch's of all threads, a parameter, or was given a value of such names; "" where one may be a thread's."""
    facts = facts_at(file)
    index = _index(facts, number or 0)
    stored = any(
        one.line == number and one.text == variable and other.text == "[" for one, other in pairwise(facts.code)
    )
    if not index or not stored or variable not in _parameters(facts, number or 0):
        return ""
    return text_of(index) if not _of_thread(facts, index, number or 0) else ""


def _of_thread(facts: Facts, tokens: list[Token], number: int, within: int = 4) -> bool:
    """Whether threads of a block may differ in it: what is called or loaded may be anything."""
    parameters = _parameters(facts, number)
    for name in _names(tokens):
        if name.startswith(INDICES):
            if name.startswith("threadIdx"):
                return True
        elif not _CONSTANT.fullmatch(name) and name not in _TYPES:
            given = _given(facts, name, number)
            if given and (not within or _of_thread(facts, given, number, within - 1)):
                return True
            if not given and name not in parameters:
                return True
    return any(t.text == "[" for t in tokens)


def _index(facts: Facts, number: int) -> list[Token]:
    """What stands between the brackets of the element that the line stores into."""
    code = facts.code
    for i, token in enumerate(code):
        if token.line == number and token.text == "[":
            closes = closing(code, i)
            sign, more = (t.text for t in code[closes + 1 : closes + 3])
            if (sign == "=" and more != "=") or (sign in "-+*/" and more == "="):
                return code[i + 1 : closes]
    return []


def _column(facts: Facts, index: list[Token], number: int) -> tuple[list[list[Token]], str]:
    """Of `(row) * width + column` the terms of the column, and the width; of a name, those of what it was given."""
    if len(index) == 1:
        index = _given(facts, index[0].text, number)
    terms = split(index, "+")
    rows = [(n, width) for n, term in enumerate(terms) if (width := _width(facts, term))]
    if len(rows) > 1:
        parameters = _parameters(facts, number)
        rows = [(n, width) for n, width in rows if width in parameters]
    if len(rows) != 1 or len(terms) < 2:
        return [], ""
    at, width = rows[0]
    return [term for n, term in enumerate(terms) if n != at], width


def _width(facts: Facts, term: list[Token]) -> str:
    """The factor of a product that is one name, of no constant; "" without one."""
    factors = [f[0].text for f in split(term, "*") if len(f) == 1 and f[0].kind == "name"]
    found = [name for name in factors if name not in facts.numbers and not name.startswith("k")]
    return found[-1] if found and len(split(term, "*")) > 1 else ""


def _parameters(facts: Facts, number: int) -> set[str]:
    function = facts.function_at(number)
    return {name_of(p) for p in function.parameters(facts.code)} if function else set()


def _given(facts: Facts, name: str, before: int) -> list[Token]:
    """The value that the name is given last before the end of that line."""
    code = facts.code
    for i in range(len(code) - 2, -1, -1):
        if code[i].line <= before and code[i].text == name and code[i + 1].text == "=":
            return split(code[i + 2 : next(k for k in range(i, len(code)) if code[k].text == ";")], ",")[0]
    return []


def _conditions(facts: Facts, number: int) -> list[list[Token]]:
    """The conditions around the line, and those above it in its function that leave it or its turn; of a name that
    was given a comparison, that."""
    function = facts.function_at(number)
    around = facts.around(number, LOOPS | BRANCHES)
    first = function.line if function else 1
    leaving = [s for s in facts.statements if first <= s.first_line <= number and s.word == "if" and _leaves(facts, s)]
    found = [facts.code[s.head[0] + 1 : s.head[1]] for s in (*around, *leaving) if s.head]
    line = [t for t in facts.code if t.line == number]
    found += [line] if any(t.text == "?" for t in line) else []
    named = [_given(facts, t.text, number) for part in found for t in part if t.kind == "name"]
    return found + [value for value in named if any(t.text in _LESS for t in value)]


def _leaves(facts: Facts, branch: Statement) -> bool:
    return any(t.text in _LEAVES for t in facts.code[branch.first : branch.last + 1])


def _compares(facts: Facts, condition: list[Token], column: list[list[Token]], width: str, number: int) -> bool:
    """Whether it compares a name of the column with a size, or anything with the width; the whole index is neither."""
    names = set[str]().union(*map(_names, column))
    parameters = _parameters(facts, number)
    for at, token in enumerate(condition):
        if token.text not in _LESS:
            continue
        sides = (_side(condition[:at][::-1])[::-1], _side(condition[at + 1 :]))
        for one, other in (sides, sides[::-1]):
            if text_of(other) == width:
                return True
            constant = all(_CONSTANT.fullmatch(t.text) or t.text in facts.numbers for t in other)
            of_name = _names(_given(facts, one[0].text, number)) if len(one) == 1 else set()
            same = names <= of_name and width not in of_name  # by another name
            of_column = same or (names & _names(one) and width not in _names(one))
            if of_column and (not constant or _names(other) & parameters):
                return True
    return False


def _side(tokens: list[Token]) -> list[Token]:
    """Up to what ends a side of a comparison, from the sign on."""
    tokens = tokens[1:] if tokens and tokens[0].text == "=" else tokens
    depth = 0
    for i, token in enumerate(tokens):
        depth += (token.text in _OPENS) - (token.text in _CLOSES)
        if token.text in _ENDS and not depth:
            return tokens[:i]
    return tokens


def _names(tokens: list[Token]) -> set[str]:
    """The names, those of a launch with their dimension."""
    found = set()
    for i, token in enumerate(tokens):
        if token.kind == "name" and token.text in INDICES:
            found.add(text_of(tokens[i : i + 3]))
        elif token.kind == "name" and not (i and tokens[i - 1].text == "."):
            found.add(token.text)
    return found


def updates(text: str, variable: str) -> bool:
    """Whether a line changes an element by what is in it, and reads no other: `v[i] += w`, `v[i] = v[i] + w`, and
    `if (w > v[i]) v[i] = w`. Where it does not say the variable's name, that has another one there, a pointer's: what
    the line writes is meant."""
    code = _code(text)
    one = _element(variable)
    if re.search(rf"{one}\)?(?:\+\+|--)|(?:\+\+|--)\(?{one}", code):
        return True
    changed = _assigned(code, variable)
    if changed is None:
        return False
    element, sign, value = changed
    before = code[: code.rindex(f"{element}{sign}={value}")]
    read = _read(value, element, variable) | _read(before, element, variable)
    return read <= {element} if read else bool(sign)


def adds_to(text: str, variable: str) -> bool:
    """Whether a line adds to the element that it reads: `v[i] += w`, and not `sum += v[i]`."""
    target, added, value = _code(text).partition("+=")
    name = re.escape((re.findall(r"\w+", variable) or [variable])[-1])  # of soa.x the member
    here, there = (bool(re.search(rf"\b{name}\b", part)) for part in (target, value))
    is_element = re.search(rf"(?:\]|\*\w+|\b{name})$", target)
    reads = there or re.search(r"\w\[|(?<![\w)\]])\*[a-zA-Z_]", value)
    return bool(added and is_element and (here or not reads))


def updates_later(read: str, write: str, variable: str) -> bool:
    """Whether the second line writes an element by what the first has read there: `old = v[i];`, `v[i] = old + w;`, or
    `if (w > v[i])`, `v[i] = w;`."""
    before, after = (_code(text) for text in (read, write))
    changed = _assigned(after, variable)
    if changed is None or _read(before, changed[0], variable) != {changed[0]}:
        return False
    kept = re.search(r"(\w+)\s*=[^=;]+;", read)
    tested = re.search(rf"\b(?:if|while)\((?:[^()]|\([^()]*\))*?{re.escape(changed[0])}", before)
    return bool(tested or (kept and re.search(rf"\b{kept[1]}\b", changed[2])))


def _element(variable: str) -> str:
    """In code without spaces an element, or the variable itself where it is a single one."""
    return rf"(?:{_ELEMENT}|(?<![\w.]){re.escape(variable)}\b)" if variable.isidentifier() else _ELEMENT


def _read(code: str, element: str, variable: str) -> set[str]:
    """The elements of the same array that stand in the code."""
    base = element.lstrip("*").partition("[")[0]
    return {one for one in re.findall(_element(variable), code) if one.lstrip("*").partition("[")[0] == base}


def _assigned(code: str, variable: str) -> tuple[str, str, str] | None:
    """The element that a line without spaces assigns to, the sign before its `=`, and what is assigned; of several the
    variable's."""
    pattern = rf"(?<![\w.>\]])({_element(variable)})([-+*/|&^]?)=(?!=)([^;]*)"
    found = [(m[1], m[2], m[3]) for m in re.finditer(pattern, code)]
    named = [one for one in found if one[0].lstrip("*").partition("[")[0] == variable]
    return next(iter(named or found), None)


def written_array(text: str) -> str:
    """The name of the array, or of the pointer, of which a line assigns an element; "" where it assigns none."""
    changed = _assigned(_code(text), "")
    return changed[0].lstrip("*").partition("[")[0] if changed else ""


def reads_further(text: str, variable: str) -> bool:
    """Whether a line changes an element of the array by another that lies a sum further on: v[t] += v[t + s]."""
    name = re.escape(variable)
    return bool(re.search(rf"\b{name}\s*\[[^\]]*\]\s*[-+*/]?=[^=].*\b{name}\s*\[[^\]]*\+[^\]]*\]", text))


def _code(text: str) -> str:
    """A line without spaces, strings, characters and a comment at its end."""
    return _LEFT_OUT.sub("", text)
