"""What a line of the learner's own text reads and writes of an array; and what the index is made of that it stores at:
whether its column is compared with what it must not reach, and whether the threads of a block differ in it."""

from __future__ import annotations

import re

from onekernel.simulator.facts import BRANCHES, LOOPS, Facts, facts_at
from onekernel.simulator.facts.elements import STEPS, Element, Store, elements
from onekernel.simulator.facts.functions import name_of
from onekernel.simulator.facts.names import INDICES
from onekernel.simulator.facts.statements import Statement
from onekernel.simulator.facts.tokens import Token, one_line, split, text_of

_CONSTANT = re.compile(r"\d\w*|[A-Z][A-Z0-9_]*|k[A-Z]\w*")
_TYPES = ("int", "unsigned", "long", "size_t", "int64_t", "int32_t", "uint32_t", "uint64_t")
_LESS = "<>"
_ENDS = ("&", "|", ";", "?", ":", ",", "return")
_LEAVES = ("return", "continue", "break")
_OPENS, _CLOSES = "([{", ")]}"


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
    index = _index(facts, number or 0, variable)
    if not index or variable not in _parameters(facts, number or 0):
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
            given = facts.given(name, number)
            if given and (not within or _of_thread(facts, given, number, within - 1)):
                return True
            if not given and name not in parameters:
                return True
    return any(t.text == "[" for t in tokens)


def _index(facts: Facts, number: int, variable: str = "") -> list[Token]:
    """What stands between the last brackets of the element that the line stores into: of the variable, if one is
    named."""
    stored = (s for s in facts.stored(number) if s.target.groups and s.sign not in STEPS)
    stored = (s for s in stored if variable in ("", s.target.name))
    return next((facts.code[s.target.groups[-1][0] + 1 : s.target.groups[-1][1]] for s in stored), [])


def _column(facts: Facts, index: list[Token], number: int) -> tuple[list[list[Token]], str]:
    """Of `(row) * width + column` the terms of the column, and the width; of a name, those of what it was given."""
    if len(index) == 1:
        index = facts.given(index[0].text, number)
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
    named = [facts.given(t.text, number) for part in found for t in part if t.kind == "name"]
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
            of_name = _names(facts.given(one[0].text, number)) if len(one) == 1 else set()
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


def updates(file: str | None, number: int | None, variable: str) -> bool:
    """Whether the line changes an element by what is in it, and reads no other: `v[i] += w`, `v[i] = v[i] + w`, and
    `if (w > v[i]) v[i] = w`. Where it does not say the variable's name, that has another one there, a pointer's: what
    the line stores into is meant."""
    facts = facts_at(file)
    stored = _stored(facts, number, variable)
    if any(store.sign in STEPS for store in stored):
        return True
    if not stored:
        return False
    target, before = stored[0].target, (facts.span(number)[0], stored[0].target.begin)
    read = _read(facts, target, variable, stored[0].value) | _read(facts, target, variable, before)
    return read <= {target.text} if read else not stored[0].sets


def adds_to(file: str | None, number: int | None, variable: str) -> bool:
    """Whether the line adds to the element that it reads: `v[i] += w`, and not `sum += v[i]`."""
    facts = facts_at(file)
    store = next((store for store in facts.stored(number) if store.sign == "+="), None)
    name = (re.findall(r"\w+", variable) or [variable])[-1]  # of soa.x the member
    if store is None or (store.target.is_variable and store.target.name != name):
        return False
    value = facts.code[slice(*store.value)]
    reads = text_of(value[:1]) == "*" or any(t.text in ("[", name) for t in value)
    return store.target.name == name or not reads


def updates_later(file: str | None, read: int | None, write: int | None, variable: str) -> bool:
    """Whether the second line stores into an element by what the first has read there: `old = v[i];`,
    `v[i] = old + w;`, or `if (w > v[i])`, `v[i] = w;`."""
    facts = facts_at(file)
    for store in _stored(facts, write, variable)[:1]:
        if store.sign in STEPS or _read(facts, store.target, variable, facts.span(read)) != {store.target.text}:
            return False
        kept = next((s.target.name for s in facts.stored(read) if s.sets and s.target.is_variable), "")
        heads = [s.head for s in facts.statements if s.word in ("if", "while") and s.head and s.first_line == read]
        places = [e.begin for e in facts.elements(store.target.name, read) if e.text == store.target.text]
        tested = any(opens < place < closes for opens, closes in heads for place in places)
        return tested or any(t.text == kept for t in facts.code[slice(*store.value)])
    return False


def _stored(facts: Facts, number: int | None, variable: str) -> list[Store]:
    """The stores of the line into elements, and into the variable itself: those into what has its name first."""
    stored = (s for s in facts.stored(number) if not s.declares)
    found = [s for s in stored if not s.target.is_variable or s.target.text == variable]
    return sorted(found, key=lambda store: store.target.base != variable)


def _read(facts: Facts, target: Element, variable: str, span: tuple[int, int]) -> set[str]:
    """The elements of the same array that are read there."""
    set_ = {store.target.end for store in facts.stores if store.sets}
    texts = set()
    for one in elements(facts.code, target.name, *span):
        if one.base == target.base and one.end not in set_:
            pointed = one.is_variable and facts.code[one.begin - 1].text == "*"  # of a pointer no product: `(float)*p`
            texts.add(f"*{one.text}" if pointed and target.text.startswith("*") else one.text)
    return {text for text in texts if text != target.base or text == variable}


def written_array(file: str | None, number: int | None) -> str:
    """The name of the array, or of the pointer, of which the line stores an element; "" where it stores none."""
    return next((s.target.base for s in _stored(facts_at(file), number, "") if s.sign not in STEPS), "")


def reads_further(file: str | None, number: int | None, variable: str) -> bool:
    """Whether the line changes an element of the array by another that lies a sum further on: v[t] += v[t + s]."""
    facts = facts_at(file)
    stored = [s for s in facts.stored(number) if s.target.name == variable and s.target.groups]
    read = (e for s in stored for e in elements(facts.code, variable, *s.value))
    return any(t.text == "+" for e in read for opens, closes in e.groups for t in facts.code[opens:closes])
