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
from onekernel.simulator.rewrite import SIDES, Source

CODE = "unhooked"
DUMP = "unhooked.txt"
_FUNCTION = re.compile(r";; Function (?P<name>.*) \((?P<linked>\S+), funcdef_no=")
_OF_LIBRARIES = re.compile(r"_ZN?K?S[tas]|_ZN?K?9__gnu_cxx")
# Of the host alone, and ends a launch that comes to it (rewrite/sides.py); or the simulator's own.
_QUIET = "no_sanitize"
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
# Signs in a function's name, which are no brackets nor commas of what it is given.
_OPERATOR = re.compile(
    r"\boperator(?:\(\)|\[\]|<=>|<<=|>>=|->\*|->|&&|\|\||\+\+|--|<<|>>|[-+*/%^&|<>=!]=|[-+*/%^&|~!=<>,])"
)
_LEFT = re.compile(r"(?P<left>.*?) =(?:\{v\})? ")
_ENDED = re.compile(r"(?<=;)(?: \[[^\]]*\])+$")  # [tail call], [return slot optimization]
_DECLARED = re.compile(r"\s+\S.*?(?P<name>[\w.$]+)(?:\[[^;]*\])?(?: = .*)?;")
_NAME = re.compile(r"[A-Za-z_<][\w.$>]*")
_OF_SSA = re.compile(r"[\w.$]*_\d+(?:\(D\))?")
_VIEWED = re.compile(r"VIEW_CONVERT_EXPR<.*?>\((?P<inner>.*)\)")
_ADDRESS = re.compile(r"&(?P<name>[\w.$]+)")
# The compiler's own: of a size that it knows they become instructions, and no function of a library is called.
_BUILTIN = re.compile(r"__builtin_(?:__)?(?P<plain>mem\w+|bcopy|bcmp|bzero)")
# What the simulator's own headers call for themselves; what they are given to call is the file's.
_MACHINERY = re.compile(r"__builtin_|__ok::|_ZNK?4__ok")
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
    functions = [f for f in _functions(text) if f.linked in there]
    names = frozenset(_plain(f.name) for f in functions)
    for function in _reached(functions, mine, place):
        function.others, function.called = variables, names
        function.at = function.at or heads.get(function.name.rpartition("::")[2])
        for at, called in _moves(function, mine, place):
            if at not in found:
                why = Message("simulator.unhooked", {"name": called})
                found[at] = Finding(CODE, why, at[0], at[1] or None, chapter=SIDES)
    return list(found.values())


@dataclass
class _Function:
    """A function as the compiler has it: its name for the linker, whether it is one of the C++ library's, and from
    which line of the file's that is called; its own variables, the file's, its statements; the names of the functions
    that there are."""

    name: str = ""
    linked: str = ""
    of_library: bool = False
    at: tuple[str, int] | None = None
    own: set[str] = field(default_factory=lambda: {"<retval>"})
    others: set[str] = field(default_factory=set)
    statements: list[str] = field(default_factory=list)
    called: frozenset[str] = frozenset()


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
            quiet |= _QUIET in _STRING.sub("", line)  # whoever deprecates a function may write what they like
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
    """Those of the file, and of the library's what they name: the host has the others for itself, but for statements
    of the file's, which may give its functions the library's names or have them inlined there."""
    found = [f for f in functions if not f.of_library]
    rest = [f for f in functions if f.of_library]
    for function in found:  # grows
        said = "\n".join(function.statements)
        for called in [f for f in rest if f.name in said]:
            number = next(n for n, text in enumerate(function.statements) if called.name in text)
            called.at = _line(function, number, mine, place)
            found.append(called)
            rest.remove(called)
    for function in rest:
        function.statements = [n for n in function.statements if any(p[0] in mine for p in _places(n, place)[:1])]
    return found + rest


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
    for number, text in enumerate(function.statements):
        if ");" not in text:
            continue
        statement = _STRING.sub('""', text)
        call = _call(_ENDED.sub("", place.sub("", statement).strip()))
        if call is None or _NOT_CALLS.fullmatch(call.called):
            continue
        copied = _is_copied(function, call)
        if not copied and not any(_in_memory(function, part) for part in (call.left, *call.given)):
            continue
        places = _places(statement, place)
        if places and places[0][0].startswith(str(INCLUDE)) and _MACHINERY.match(call.called):
            continue
        plain = _BUILTIN.fullmatch(call.called)
        name = plain["plain"] if plain else plain_name(call.called.partition(".")[0])
        yield _line(function, number, mine, place) or (mine[0], 0), name


def _is_copied(function: _Function, call: _Call) -> bool:
    """Whether a call is one of the compiler's own functions, of a size that it knows, on anything but the function's
    own variables."""
    given = call.given
    if not _BUILTIN.fullmatch(call.called) or not any(re.fullmatch(r"\d+", part) for part in given[2:]):
        return False
    pointers = [part for part in given if not re.fullmatch(r"-?\d+", part)]
    return not all((found := _ADDRESS.match(p)) and _is_own(function, found["name"]) for p in pointers)


def _in_memory(function: _Function, part: str) -> bool:
    """Whether what a call is given, or gives, lies in memory that is not its function's own."""
    if viewed := _VIEWED.match(part):
        return _in_memory(function, viewed["inner"])
    if part.startswith(("&", '"')) or part in function.called:
        return False
    if _OF_SSA.fullmatch(part):
        return part in function.others
    if "*" in part or "->" in part or part.startswith("MEM"):
        found = _ADDRESS.search(part)
        return not (found and _is_own(function, found["name"]))
    name = _NAME.match(part)
    if name is None or _is_own(function, name[0]):
        return False
    return "[" in part or name[0].partition(".")[0] in function.others  # else it may be a function


def _is_own(function: _Function, name: str) -> bool:
    pieces = name.split(".")
    return any(".".join(pieces[:n]) in function.own for n in range(1, len(pieces) + 1))


@dataclass(frozen=True)
class _Call:
    """What stands left of `=`, "0" where nothing does; what is called, by its name or a pointer; what it is given."""

    left: str
    called: str
    given: list[str]


def _call(statement: str) -> _Call | None:
    """A statement without its places and strings as a call: the last brackets hold what the function is given."""
    plain = _plain(statement)
    if not plain.endswith(");"):
        return None
    begin = _opening(plain, len(plain) - 2)
    if begin < 2 or plain[begin - 1] != " ":
        return None
    match = _LEFT.match(plain[: begin - 1])
    left = match["left"] if match else "0"
    return _Call(left, statement[match.end() if match else 0 : begin - 1], list(_parts(plain[begin + 1 : -2])))


def _plain(text: str) -> str:
    """A text without the signs in names of operators."""
    return _OPERATOR.sub(lambda m: re.sub(r"\W", "_", m[0]), text)


def _opening(text: str, end: int) -> int:
    """Where the round bracket opens that closes at `end`; -1 where none does."""
    depth = 0
    for i in range(end, -1, -1):
        depth += (text[i] == ")") - (text[i] == "(")
        if not depth:
            return i
    return -1


def _parts(given: str) -> Iterator[str]:
    """What stands between the commas of a call; what its strings and operators hold is gone."""
    depth, begin = 0, 0
    for i, c in enumerate(given):
        if c in "([{<":
            depth += 1
        elif c in ")]}>":
            depth -= c != ">" or given[i - 1 : i] != "-"
        elif c == "," and not depth:
            yield given[begin:i].strip()
            begin = i + 1
    if given[begin:].strip():
        yield given[begin:].strip()
