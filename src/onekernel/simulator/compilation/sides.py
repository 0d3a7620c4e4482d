"""What compilers tell of the host's own functions and variables (rewrite/sides.py marks them): uses on the device, and
arrays there whose size a thread computes."""

from __future__ import annotations

import re
from pathlib import Path

from onekernel.backends.base import Finding
from onekernel.messages import Message
from onekernel.simulator.facts.file import facts_at
from onekernel.simulator.facts.functions import Function
from onekernel.simulator.read.excerpt import line_of
from onekernel.simulator.rewrite.source import SIDES, Source

MOST = 5
_USE = re.compile(
    r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):(?:\d+:)? warning: ['\u2018](?P<what>[^\n]+)['\u2019] is deprecated: "
    r"ok-(?P<kind>host|member|library)\b[^\n]*(?P<rest>(?:\n[^\n]*: note:[^\n]*|\n\s[^\n]*)*)",
    re.MULTILINE,
)
_ARRAY = re.compile(
    r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):(?:\d+:)? warning: variable length arrays? [^\n]*\[-Wvla\S*\]$",
    re.MULTILINE,
)
_INNER = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
_EXTENT = r"\[(?:[^\[\]]|\[[^\[\]]*\])*\]"
# Where the compiler itself looks at a constant, and no instruction does: a number of elements, a template's argument.
_AS_CONSTANT = re.compile(
    rf"\b(?:sizeof|alignof|decltype|static_assert|if\s+constexpr)\s*{_INNER}|\bconstexpr\b[^;]*;?|\bcase\b[^:]*:"
    rf"|\w\s*<[^<>;&|?]*>\s*(?=[({{:])|(?:^|(?<=[;{{}}]))\s*(?:\w+\s+)*(?!return\b)\w+[\s*]+\w+\s*(?:{_EXTENT}\s*)+(?=[;={{,])"
)
_TEMPLATE = re.compile(r"\btemplate\s*<[^;{}()]*?>(?=\s*[\w_])")
_IN_CONSTANTS = frozenset(("int", "unsigned", "long", "size_t", "sizeof", "alignof", "float", "double", "static_cast"))
_TYPED = r"(?!(?:return|case|goto|typename|class|enum|struct|namespace)\b)\b\w+[\s*&>]+"  # before a declared name
_DECLARED = r"\s*[=;,:){\[]"  # and behind it
_CONTEXT = re.compile(r"^[^\n]*: In [^\n'\u2018]*['\u2018](?P<within>[^\n]+)['\u2019]:$", re.MULTILINE)
_EXPANSION = re.compile(r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):(?:\d+:)? note: in expansion of macro", re.MULTILINE)


def findings_of(source: Source, log: str) -> list[Finding]:
    """The uses on the device, each line and name once, and the arrays."""
    found: dict[tuple[str, int, str], Finding] = {}
    functions = {f.name for declared in source.declared.values() for f in declared.functions}
    contexts = [(m.start(), m["within"]) for m in _CONTEXT.finditer(log)]
    for match in _USE.finditer(log):
        places = [(p["file"], int(p["line"])) for p in (match, *_EXPANSION.finditer(match["rest"]))]
        within = next((c[1] for c in reversed(contexts) if c[0] < match.start()), "")
        callers = ((place, _caller(source, *place, within)) for place in places)
        (file, line), caller = next((c for c in callers if c[1] is not None), (places[0], None))
        if caller is None:
            continue
        name, is_function = _plain(match["what"])
        is_function = is_function or name.split("::")[-1] in functions  # clang++ names it without its brackets
        if (name.split("::")[-1], line) in caller.asked:
            continue  # the host computes a kernel's default arguments, where it launches it
        key = f"{'function' if is_function else 'variable'}-of-host"
        if not is_function and _is_known(name, file, line_of(file, line), of_class=match["kind"] == "member"):
            continue
        if match["kind"] == "library":
            key = "library-of-host"
        message = Message(f"language.{key}", {"name": name, "caller": caller.name})
        found.setdefault((file, line, name), Finding(key, message, file, line, chapter=SIDES))
    for match in _ARRAY.finditer(log):
        file, line = match["file"], int(match["line"])
        caller = _caller(source, file, line, "")
        if caller is not None:
            message = Message("language.array-of-variable-size", {"caller": caller.name})
            found.setdefault((file, line, ""), Finding("array-of-variable-size", message, file, line, chapter=SIDES))
    return sorted(found.values(), key=lambda f: (f.file or "", f.line or 0))[:MOST]


def _caller(source: Source, file: str, line: int, within: str) -> Function | None:
    """The function of the device that this line stands in. Where several do, g++ has said `within` which."""
    declared = source.declared.get(Path(file))
    found = declared.at(line) if declared else []
    if len(found) > 1:
        name, _ = _plain(within)
        found = [f for f in found if f.name == name.split("::")[-1]]
    return found[0] if len(found) == 1 and found[0].on_device else None


def _is_known(name: str, file: str, line: str, *, of_class: bool) -> bool:
    """Whether a line uses a constant of the host only where the compiler knows its value: nvcc then accepts it. Of an
    array's elements it accepts members of a struct, and of a class's array those whose index is no variable's."""
    last = name.rpartition("::")[2]
    left = _AS_CONSTANT.sub(" ", line)
    left = re.sub(rf"\b{last}\s*\[\s*(?:\w+::)*(?:\d+|k?[A-Z]\w*)\s*\]\s*\.\s*\w+\b(?!\s*\[)", " ", left)
    if of_class:
        code = _TEMPLATE.sub(" ", "\n".join(facts_at(file).plain_lines))
        element = re.compile(rf"(?<![.>])\b{last}\s*\[(?P<index>[^\[\]]+)\]")
        left = element.sub(lambda found: found[0] if _names_variable(found["index"], code) else " ", left)
    return not re.search(rf"\b{last}\b", left)


def _names_variable(index: str, code: str) -> bool:
    """Whether an index needs more than numbers, names that are no variables (of an enum, a template, a macro), and
    calls of constexpr functions."""
    if re.search(r"\.|->|\+\+|--", index):
        return True
    for name, called in re.findall(r"\b([A-Za-z_]\w*)\s*(\(?)", index):
        function = rf"\bconstexpr\b[^;{{}}]*\b{name}\s*\("
        found = re.search(function if called else _TYPED + name + _DECLARED, code)
        if name not in _IN_CONSTANTS and bool(found) != bool(called):
            return True
    return False


def _plain(what: str) -> tuple[str, bool]:
    """`float P::get(int) const` -> (`P::get`, True); `counter` -> (`counter`, False)."""
    text = re.sub(r" \[with [^\]]*\]", "", what)
    operator = re.search(r"\boperator\s*(?:\(\)|\[\]|[^\s(]+)", text)
    if operator:
        return operator[0], True
    before, bracket, _ = text.partition("(")
    return re.sub(r"<.*>$", "", before.strip()).split(" ")[-1].lstrip("*&"), bool(bracket)
