"""A compiler's output as findings at lines of the learner's file, without the wall of template text; of what a compiler
does not know although CUDA has it, that the simulator lacks it. And what compilers tell of the host's own functions and
variables (rewrite/sides.py marks them): uses on the device, and arrays there whose size a thread computes."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from onekernel.backends.base import BuildError, Finding
from onekernel.cuda.words import header_of
from onekernel.messages import Message
from onekernel.simulator.compilation.slips import told
from onekernel.simulator.facts import facts_at
from onekernel.simulator.facts.functions import Function
from onekernel.simulator.paths import SIMULATOR
from onekernel.simulator.read.around import line_of
from onekernel.simulator.rewrite import COMPILE_ERRORS, SIDES, Source
from onekernel.simulator.rewrite.shared_arrays import ARENA

_ERROR = re.compile(r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):(?:\d+:)? (?:fatal )?error: (?P<what>.*)$", re.MULTILINE)
_VECTOR_ATOMIC = re.compile(r"deleted function '(?:\w+ )?(atomicAdd\w*)")  # the card of 8.0 has none: ok/atomics.h
_SHUFFLE = "ok-shuffle-type"
_CONFIGURATION = re.compile(
    r"call to '__ok::Config::Config\(|initialization of '[:\w]*\bConfig'|invalid conversion from 'cudaStream_t'"
)
# clang++ leaves out the name.
_CONSTANT_VALUE = re.compile(r"'(?:__)?constinit' variable '([^']+)'|variable does not have a constant initializer")
_GIVEN_A_VALUE = re.compile(r"(\w+)\s*(?:\[[^\]]*\]\s*)*[={(]")
_LIBRARY_NAME = re.compile(  # g++'s words, then clang++'s
    r"'(?P<name>(?P<library>cublas|curand)\w*)' (?:(?:was|has) not|does not name a type)|"
    r"(?:use of undeclared identifier|unknown type name) '(?P<name2>(?P<library2>cublas|curand)\w*)'"
)
_NUMBERS = r"(?:(?:un)?signed |long |short )*(?:int|char|long|short|unsigned|float|double|bool)"
_VECTORS = r"(?:u?(?:char|short|int|long|longlong)|float|double)[24]"
_VECTOR = re.compile(
    rf"(?:conversion from|could not convert) '[^']*'? ?(?:from )?'?{_NUMBERS}' to (?:non-scalar type )?'({_VECTORS})'"
    rf"|no match for 'operator=' \(operand types are '({_VECTORS})' and '{_NUMBERS}'\)"
)
# clang says it of the function or the assignment that does not suit, and of the vector in a note.
_NOT_VIABLE = re.compile(r"no viable overloaded '='|no matching function for call to")
_NO_CONVERSION = re.compile(rf"no known conversion from '{_NUMBERS}' to '(?:const )?({_VECTORS})'")
_NOT_DECLARED = re.compile(
    r"'(\w+)' (?:has not been declared|was not declared|does not name a type)|"
    r"(?:use of undeclared identifier|unknown type name) '(\w+)'"
)
_LIBRARIES = {
    "cublas": ("cuBLAS", "#include <cublas_v2.h>"),
    "curand": ("cuRAND", "#include <curand.h>, <curand_kernel.h>"),
}
_OTHER_TYPE = (  # g++'s words, then clang++'s: of the error, and of the note behind it
    (re.compile(rf"conflicting declaration '(?P<type>[^']+?)\s*{ARENA}(?P<name>\w+)"),
     re.compile(rf"^[^\n:]+:(?P<first>\d+):[^\n]*previous declaration as .(?P<other>[^\n]+?)\s*{ARENA}", re.MULTILINE)),
    (re.compile(rf"redeclaration of '{ARENA}(?P<name>\w+)' with a different type:"
                r".*?aka '(?P<type>[^\[']+).*aka '(?P<other>[^\[']+)"),
     re.compile(r"^[^\n:]+:(?P<first>\d+):[^\n]*previous declaration", re.MULTILINE)),
)  # fmt: skip
# A function is taken for a variable where the type of a parameter is not known, which the next error of its line names.
_DECLARED_VOID = re.compile(
    r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):(?:\d+:)? error: variable or field .(?P<name>\w+). declared void\n"
    r"(?:[^\n]*\n){0,3}?(?P=file):(?P=line):(?:\d+:)? error: [^\n]*not declared", re.MULTILINE
)
_CONTEXT = re.compile(
    r"^(?:In file included )?\s*from (?P<file>[^\s:][^:\n]*):(?P<line>\d+)|"
    r"^(?P<file2>[^\s:][^:\n]*):(?P<line2>\d+):(?:\d+:)?\s+"
    r"(?:required from|note: in (?:instantiation|expansion of macro)|note: expanded from macro)",
    re.MULTILINE,
)
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
_WITHIN = re.compile(r"^[^\n]*: In [^\n'\u2018]*['\u2018](?P<within>[^\n]+)['\u2019]:$", re.MULTILINE)
_EXPANSION = re.compile(r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):(?:\d+:)? note: in expansion of macro", re.MULTILINE)


def compile_error(source: Source, log: str, work: str) -> BuildError:
    """The compiler's first errors, each at a line of the learner's file."""
    mine = {str(path) for path in source.files}
    findings: list[Finding] = []
    seen: set[tuple[str, int]] = set()
    void = {m["name"]: int(m["line"]) for m in _DECLARED_VOID.finditer(log)}
    for match in _ERROR.finditer(log):
        where, line = match["file"], int(match["line"])
        if where not in mine:
            # An error inside a header: the last line of the learner's that led there.
            before = [m for m in _CONTEXT.finditer(log) if (m["file"] or m["file2"]) in mine]
            if not before:
                continue
            near = min(before, key=lambda m: abs(m.start() - match.start()))
            where, line = near["file"] or near["file2"], int(near["line"] or near["line2"])
        what = re.sub(r"‘|’|\u2018|\u2019", "'", match["what"]).strip()
        if (where, line) in seen or _misread(what, line, void):
            continue
        seen.add((where, line))
        if vectors := _VECTOR_ATOMIC.search(what):
            message = Message("simulator.needs-sm-90-atomic", {"name": vectors[1]})
            findings.append(Finding("unsupported", message, where, line))
            continue
        behind = log[match.end() :]
        known = _arena(what, behind) or _known(what, line, _text(where)) or _of_a_number(what, behind)
        if known is not None:
            findings.append(Finding(known.key.partition(".")[2], known, where, line, chapter=SIDES))
            continue
        if (missing := lacking(what)) is not None:
            findings.append(Finding("unsupported", Message("simulator.unsupported", {"what": missing}), where, line))
            continue
        message, line = told(what, line, _text(where))
        if _follows(message, findings):
            continue
        findings.append(Finding("compile-error", message, where, line, chapter=COMPILE_ERRORS))
    if not findings:
        first = next((n for n in log.splitlines() if "error" in n), log.strip().partition("\n")[0])
        message = Message("simulator.compile-failed", {"what": first[:200].replace(work, "")})
        findings.append(Finding("compile-error", message, str(source.path)))
    return BuildError(findings[:5], log.replace(work + "/", ""))


def _misread(what: str, line: int, void: Mapping[str, int]) -> bool:
    """Whether an error is about a function that was taken for a variable, at its line, or later, where it lacks."""
    named = re.match(r"variable or field '(\w+)' declared void$|'(\w+)' (?:was not|has not been) declared", what)
    name = next((n for n in named.groups() if n), "") if named else ""
    return name in void and (line != void[name] or "void" in what)


def _follows(message: Message, findings: list[Finding]) -> bool:
    """Whether an error follows from one that was told: what stands behind a missing `;` is not declared."""
    return _slip(message) == "compile.other-scope" and any(_slip(f.message) == "compile.semicolon" for f in findings)


def _slip(message: Message) -> str:
    return str(getattr(message.values.get("why"), "key", ""))


def _arena(what: str, after: str) -> Message | None:
    """The sentence for an `extern __shared__` array that has another type elsewhere, or in a template's other use."""
    for one, two in _OTHER_TYPE:
        if (here := one.search(what)) and (there := two.search(after)):
            values = {**here.groupdict(), **there.groupdict()}
            return Message("language.arena-types", {**values, "first": int(values["first"])})
    return None


def _of_a_number(what: str, behind: str) -> Message | None:
    """The sentence for a number in a vector's place, where clang tells of it in the first note behind the error."""
    other = _ERROR.search(behind)
    notes = behind[: other.start()] if other else behind
    note = _NO_CONVERSION.search(notes) if _NOT_VIABLE.search(what) else None
    return Message("language.vector-of-number", {"wanted": note[1]}) if note else None


def _known(what: str, line: int, text: list[str]) -> Message | None:
    """The sentence for what CUDA's rules forbid and g++ was made to refuse: api/ok/core.h, OK_CONSTANT_VALUE."""
    if _SHUFFLE in what:
        return Message("language.shuffle-type")
    if "ok-asm-operand" in what:
        return Message("ptx.operand-type")
    if "ok-copy-size" in what:
        return Message("ptx.copy-size", {"instruction": "cp.async", "size": "?"})
    if _CONFIGURATION.search(what):
        return Message("language.launch-configuration")
    if match := _LIBRARY_NAME.search(what):
        library, header = _LIBRARIES[match["library"] or match["library2"]]
        name = match["name"] or match["name2"]
        return Message("simulator.library-name", {"name": name, "library": library, "header": header})
    if match := _VECTOR.search(what):
        return Message("language.vector-of-number", {"wanted": match[1] or match[2]})
    unknown = _NOT_DECLARED.search(what)
    word = unknown[1] or unknown[2] if unknown else ""
    if brings := header_of(word):
        return Message("language.header-missing", {"name": word, "header": brings})
    constant = _CONSTANT_VALUE.search(what)
    if not constant:
        return None
    given = _GIVEN_A_VALUE.search("\n".join(text[line - 1 :]))
    return Message("language.constant-value", {"name": constant[1] or (given[1] if given else "?")})


def _text(path: str) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8-sig", errors="replace").splitlines()
    except OSError:
        return []


_FOLDERS = re.compile(r"(?:/[^\s:/']+)*/(?=[^\s:/'])")
MOST_SAID = 200  # characters of what a linker says


def link_error(source: Source, log: str) -> BuildError:
    missing = sorted(set(re.findall(r"undefined reference to [`']([^'`]+)'", log)))
    if missing:
        message = Message("simulator.undefined", {"names": ", ".join(missing[:3])})
        return BuildError([Finding("undefined", message, str(source.path))], log)
    # The line that names a symbol: what a linker says behind it, of a library as a whole, follows from that.
    lines = [line for line in log.splitlines() if re.search(r"\bld\S*: |error", line) and "warning" not in line]
    said = next((line for line in lines if "error adding symbols" not in line), log.strip())
    plain = _FOLDERS.sub("", said)[:MOST_SAID]  # where this machine keeps things is nobody's business
    return BuildError([Finding("link", Message("simulator.link", {"said": plain}), str(source.path))], log)


# g++'s words, then clang++'s. With a suggestion, the name may be a slip.
_UNKNOWN = re.compile(
    r"'(?:[\w:<>, ]+::)?(?P<name>\w+)' "
    r"(?:was not declared|has not been declared|does not name a type|is not a member of)|"
    r"(?:use of undeclared identifier|unknown type name|no (?:member|type|template) named) '(?P<name2>\w+)'"
)
_SPACES = ("cub", "cooperative_groups", "cuda", "nvcuda")
_SPACE = f"(?:{'|'.join(_SPACES)})"
_OF_CUDA = re.compile(
    rf"'(?P<name>\w+)' is not a member of '(?P<scope>{_SPACE}(?:::\w+)*)'$|"
    rf"no (?:member|type|template) named '(?P<name2>\w+)' in namespace '(?P<scope2>{_SPACE}(?:::\w+)*)'$"
)
_MEMBER = re.compile(
    rf"'[^']*?\b(?P<scope>{_SPACE}::[\w:]+|cuda[A-Z]\w+)\b[^']*' has no member named "
    r"'(?P<name>\w+)'(?P<meant>; did you mean .*)?$|"
    rf"no member named '(?P<name2>\w+)' in '(?P<scope2>{_SPACE}::[\w:]+|cuda[A-Z]\w+)\b[^']*'$"
)


def lacking(what: str) -> str | None:
    """The name of CUDA's that a compiler's error is about, with its scope if that is known; None for another error."""
    if (match := _OF_CUDA.search(what)) or (match := _MEMBER.search(what)):
        found = match.groupdict()
        scope, name = found["scope"] or found["scope2"], found["name"] or found["name2"]
        named = "::" in scope or scope in _SPACES
        return f"{scope}::{name}" if name in _names() or (named and not found.get("meant")) else None
    match = _UNKNOWN.search(what)
    name = next((n for n in match.groups() if n), None) if match else None
    return name if name in _names() else None


@cache
def _names() -> frozenset[str]:
    text = (SIMULATOR / "cuda_names.toml").read_text(encoding="utf-8")
    return frozenset(tomllib.loads(text)["names"].split())


def uses_of_host(source: Source, log: str) -> list[Finding]:
    """The uses on the device, each line and name once, and the arrays."""
    found: dict[tuple[str, int, str], Finding] = {}
    functions = {f.name for declared in source.declared.values() for f in declared.functions}
    contexts = [(m.start(), m["within"]) for m in _WITHIN.finditer(log)]
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
