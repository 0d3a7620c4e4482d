"""What a graded file moves where g++ puts no hook, read from what the compiler says of its own code: the result of a
call that goes straight into memory, a struct that is handed over from memory, and the compiler's own functions of
memory, which become instructions. Nothing would see what a kernel loads and stores so, nor that it leads to the host.

clang++ has hooks there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from onekernel.backends.base import Finding
from onekernel.messages import Message
from onekernel.simulator.machine_code.elf import plain_name, symbols
from onekernel.simulator.paths import INCLUDE
from onekernel.simulator.rewrite.source import SIDES, Source

CODE = "unhooked"
DUMP = "unhooked.txt"
_FUNCTION = re.compile(r";; Function (?P<name>.*) \((?P<linked>\S+), funcdef_no=")
_OF_LIBRARIES = re.compile(r"_ZN?K?S[tas]|_ZN?K?9__gnu_cxx")
_QUIET = (
    "no_sanitize"  # of the host alone, and ends a launch that comes to it (rewrite/sides.py); or the simulator's own
)
_CALL = re.compile(r"(?:(?P<left>\S.*?) = )?(?P<called>[^\s=(][^=(]*?) \((?P<given>.*)\);")
_ENDED = re.compile(r"(?<=;)(?: \[[^\]]*\])+$")  # [tail call], [return slot optimization]
_DECLARED = re.compile(r"\s+\S.*?(?P<name>[\w.$]+)(?:\[[^;]*\])?(?: = .*)?;")
_NAME = re.compile(r"[A-Za-z_<][\w.$>]*")
_OF_SSA = re.compile(r"[\w.$]*_\d+(?:\(D\))?")
_ADDRESS = re.compile(r"&(?P<name>[\w.$]+)")
# The compiler's own: of a size that it knows they become instructions, and no function of a library is called.
_BUILTIN = re.compile(r"__builtin_(?:__)?(?P<plain>mem\w+|bcopy|bcmp|bzero)")
_NOT_CALLS = re.compile(r"if|switch|return|goto|\..*|__builtin___tsan_.*")  # the compiler's own, and the hooks


def option(work: Path) -> str:
    """What has g++ write down its code, behind the hooks, into the folder `work`."""
    return f"-fdump-tree-optimized-lineno={work / DUMP}"


def findings(source: Source, work: Path, built: Path) -> list[Finding]:
    """One for each line of the file that moves memory past the hooks, which the compiler has built as the object
    `built`; none where it has written nothing down. A function that the object has not (compile.py) runs
    nowhere."""
    dump = work / DUMP
    if not dump.is_file():
        return []
    mine = sorted(str(path) for path in source.files)
    place = re.compile(rf"\[({'|'.join(map(re.escape, mine))}|[^\[\]\s]+):(\d+):\d+(?: discrim \d+)?\] ?")
    text = dump.read_text(encoding="utf-8", errors="replace")
    found: dict[tuple[str, int], Finding] = {}
    variables = {plain_name(s.name) for s in symbols(built) if not s.is_function}
    heads = {f.name: (str(path), f.line) for path, d in source.declared.items() for f in d.functions}
    there = {s.name for s in symbols(built)}
    for function in _reached([f for f in _functions(text) if f.linked in there], mine, place):
        function.others = variables
        function.at = function.at or heads.get(function.name.rpartition("::")[2])
        for at, called in _moves(function, mine, place):
            if at not in found:
                why = Message("simulator.unhooked", {"name": called})
                found[at] = Finding(CODE, why, at[0], at[1] or None, chapter=SIDES)
    return list(found.values())


@dataclass
class _Function:
    """A function as the compiler has it: its name for the linker, whether it is one of the C++ library's, and from
    which line of the file's that is called; its own variables, the file's, its statements."""

    name: str = ""
    linked: str = ""
    of_library: bool = False
    at: tuple[str, int] | None = None
    own: set[str] = field(default_factory=lambda: {"<retval>"})
    others: set[str] = field(default_factory=set)
    statements: list[str] = field(default_factory=list)


def _functions(text: str) -> Iterator[_Function]:
    """Those that have hooks."""
    current, head, begun, quiet = _Function(), True, False, False
    for line in text.splitlines():
        if match := _FUNCTION.match(line):
            if not quiet:
                yield current
            current = _Function(match["name"], match["linked"], bool(_OF_LIBRARIES.match(match["linked"])))
            head, begun, quiet = True, False, False
        elif line.startswith("{"):
            head = False
        elif head and line.startswith("__attribute__"):
            quiet |= _QUIET in line
        elif head and line.endswith(")"):
            current.own |= set(re.findall(r"([\w.$]+)(?=[,)])", line))
        elif line.lstrip().startswith("<bb "):
            begun = True
        elif begun:
            current.statements.append(line)
        elif match := _DECLARED.match(line):
            current.own.add(match["name"])
    if not quiet:
        yield current


def _reached(functions: list[_Function], mine: list[str], place: re.Pattern[str]) -> list[_Function]:
    """Those of the file, and of the library's what they call: the host has the others for itself."""
    found = [f for f in functions if not f.of_library]
    rest = [f for f in functions if f.of_library]
    for function in found:  # grows
        said = "\n".join(function.statements)
        for called in [f for f in rest if f"{f.name} (" in said]:
            number = next(n for n, text in enumerate(function.statements) if f"{called.name} (" in text)
            called.at = _line(function, number, mine, place)
            found.append(called)
            rest.remove(called)
    return found


def _places(statement: str, place: re.Pattern[str]) -> list[tuple[str, int]]:
    return [(m[1], int(m[2])) for m in place.finditer(statement)]


def _line(function: _Function, number: int, mine: list[str], place: re.Pattern[str]) -> tuple[str, int] | None:
    """Where in the files `mine` statement `number` of a function stands: what was inlined there has other places."""
    for statement in reversed(function.statements[: number + 1]):
        for found in _places(statement, place):
            if found[0] in mine:
                return found
    return function.at


def _moves(function: _Function, mine: list[str], place: re.Pattern[str]) -> Iterator[tuple[tuple[str, int], str]]:
    """The place in one of the files `mine` and the name of each call that moves memory without a hook."""
    for number, statement in enumerate(function.statements):
        if ");" not in statement or "__tsan_" in statement:
            continue  # no call, or a hook
        match = _CALL.fullmatch(_ENDED.sub("", place.sub("", statement).strip()))
        if match is None or _NOT_CALLS.fullmatch(match["called"]):
            continue
        copied = _is_copied(function, match["called"], given := list(_parts(match["given"])))
        if not copied and not any(_in_memory(function, part) for part in (match["left"] or "0", *given)):
            continue
        places = _places(statement, place)
        if places and places[0][0].startswith(str(INCLUDE)):
            continue
        plain = _BUILTIN.fullmatch(match["called"])
        name = plain["plain"] if plain else plain_name(match["called"].partition(".")[0])
        yield _line(function, number, mine, place) or (mine[0], 0), name


def _is_copied(function: _Function, called: str, given: list[str]) -> bool:
    """Whether a call is one of the compiler's own functions, of a size that it knows, on anything but the function's
    own variables."""
    if not _BUILTIN.fullmatch(called) or not any(re.fullmatch(r"\d+", part) for part in given[2:]):
        return False
    pointers = [part for part in given if not re.fullmatch(r"-?\d+", part)]
    return not all((found := _ADDRESS.match(p)) and _is_own(function, found["name"]) for p in pointers)


def _in_memory(function: _Function, part: str) -> bool:
    """Whether what a call is given, or gives, lies in memory that is not its function's own."""
    if part.startswith(("&", '"')) or _OF_SSA.fullmatch(part):
        return False
    if part.startswith(("MEM", "*")) or "->" in part:
        found = _ADDRESS.search(part)
        return not (found and _is_own(function, found["name"]))
    name = _NAME.match(part)
    if name is None or _is_own(function, name[0]):
        return False
    return "[" in part or name[0].partition(".")[0] in function.others  # else it may be a function


def _is_own(function: _Function, name: str) -> bool:
    pieces = name.split(".")
    return any(".".join(pieces[:n]) in function.own for n in range(1, len(pieces) + 1))


def _parts(given: str) -> Iterator[str]:
    """What stands between the commas of a call."""
    depth, begin, quoted = 0, 0, False
    for i, c in enumerate(given):
        if c == '"' and given[i - 1 : i] != "\\":
            quoted = not quoted
        elif not quoted and c in "([{<":
            depth += 1
        elif not quoted and c in ")]}>":
            depth -= c != ">" or given[i - 1 : i] != "-"
        elif c == "," and not depth and not quoted:
            yield given[begin:i].strip()
            begin = i + 1
    if given[begin:].strip():
        yield given[begin:].strip()
