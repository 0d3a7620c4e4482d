"""What a line of the learner's own text reads and writes of an array."""

from __future__ import annotations

import re

_LEFT_OUT = re.compile(r'//.*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|\s')

# In code without spaces: `v[i]`, of brackets within brackets, and `*v`.
_ELEMENT = r"(?:\w+(?:\[(?:[^][]|\[[^][]*\])*\])+|\*\w+)"


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
