"""A `.cu` file becomes C++ that g++ and clang++ compile: line for line, names kept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from onekernel.backends.base import BuildError, Finding
from onekernel.messages import Message
from onekernel.simulator import cccl
from onekernel.simulator.arch import DEFAULT
from onekernel.simulator.paths import INCLUDE
from onekernel.simulator.rewrite.brackets import unclosed
from onekernel.simulator.rewrite.clusters import tell_clusters
from onekernel.simulator.rewrite.functions import KERNEL, Declarations, declarations, macros
from onekernel.simulator.rewrite.headers import for_programs, included
from onekernel.simulator.rewrite.launches import joined, rewrite_launches
from onekernel.simulator.rewrite.refuse import UNCOUNTED, refusals
from onekernel.simulator.rewrite.shared_arrays import BadDeclaration, rewrite_shared
from onekernel.simulator.rewrite.shown import assigned, with_shown
from onekernel.simulator.rewrite.sides import mark, misplaced
from onekernel.simulator.rewrite.tokens import (
    Token,
    closing,
    is_sign,
    next_solid,
    one_line,
    previous_solid,
    split_commas,
    text_of,
    tokenize,
)

COMPILE_ERRORS = "01-07-compile-errors#compile-errors"
SIDES = "01-03-launch#launch"
_C_CAST = re.compile(r"^(\s*)\(\s*(?:const\s+)?void\s*(?:const\s*)?\*\s*\)\s*&?")
_CAST = re.compile(r"^(\s*)reinterpret_cast\s*<\s*(?:const\s+)?void\s*(?:const\s*)?\*\s*>\s*(\(.*\))$", re.DOTALL)
POISON = f"#pragma GCC poison {' '.join(UNCOUNTED)}\n"
"""Stands before the text: refuses names of the machinery that macros paste."""
GRAPHS = '#include "ok/graphs.h"\n'
"""Stands before the text of a file that captures streams: its launches can be kept."""
NESTED = '#include "ok/nested.h"\n'
"""Stands before the text of a program whose kernels launch others."""
_CAPTURES = re.compile(r"cudaGraph\w+|cudaStream(?:Begin|End)Capture")
ASM = "__ok_asm"
"""Stands for `asm` in the rewritten text, so that the learner's statements are known among those of system headers."""
_DEFINE = re.compile(r"#\s*define\s+\w+(\([^)]*\))?")
_ASM_WORDS = ("asm", "__asm__", "__asm")
_QUOTED = re.compile(r'(#\s*include\s*)"([^"\n]+)"')
_ANGLED = re.compile(r"(#\s*include\s*)<([^>\n]+)>")


@dataclass
class Source:
    """A rewritten file and those that it includes in quotes: what to compile, and what is known of it."""

    path: Path
    arch: str = DEFAULT
    folders: tuple[Path, ...] = ()  # where headers are looked for, as of -I
    program: bool = False  # somebody's whole program, of which no launcher is called
    seen: Mapping[Path, frozenset[int]] | None = None  # the lines of each file that a compiler will see, if known
    text: str = ""
    included: dict[str, str] = field(default_factory=dict)  # name in the build folder -> rewritten text
    names: dict[Path, str] = field(default_factory=dict)  # of the included files, in the build folder
    files: list[Path] = field(default_factory=list)  # the learner's files, this one first
    exports: dict[str, int] = field(default_factory=dict)  # extern "C" function -> number of parameters
    variables: list[str] = field(default_factory=list)  # __device__, __constant__ and __managed__ variables
    managed: set[str] = field(default_factory=set)  # those that the host may touch too
    aligned_types: bool = False  # it declares structs with an alignment of their own
    findings: list[Finding] = field(default_factory=list)
    show: str | None = None  # a variable whose assignments are told
    assigned: list[str] = field(default_factory=list)  # the variables that may be: known where one is shown
    declared: dict[Path, Declarations] = field(default_factory=dict)  # of each of `files`
    captures: bool = False  # streams, for graphs
    nests: bool = False  # launches in kernels
    has_ptx: bool = False  # asm statements, as ASM marks them
    has_thrust: bool = False  # NVIDIA's own headers, in a program


def rewrite(
    path: Path, arch: str = DEFAULT, show: str | None = None, folders: Sequence[Path] = (), program: bool = False,
    seen: Mapping[Path, frozenset[int]] | None = None,
) -> Source:  # fmt: skip
    """Reads and rewrites `path` for the card `arch`. Raises BuildError for what cannot be read or is not supported."""
    source = Source(path, arch, tuple(folders), program, seen, show=show)
    text = _rewrite_file(path, source)
    poison = "" if source.has_thrust else POISON  # NVIDIA's headers name what is refused
    source.text = (GRAPHS if source.captures else "") + (NESTED if source.nests else "") + poison + text
    if source.findings:
        raise BuildError(source.findings)
    return source


def _finding(source: Source, path: Path, line: int | None, key: str, **values: object) -> None:
    message = Message(f"simulator.{key}", {"line": line or 0, **values})
    refused = key in ("unsupported-arch", "needs-sm-90", "texture-reference") or key.startswith("header-")
    code = "unsupported" if refused else key
    source.findings.append(Finding(code, message, str(path), line))


def _rewrite_file(path: Path, source: Source) -> str:
    source.files.append(path)
    try:
        # Editors on Windows put a byte order mark in front; nvcc skips it. Comments of old programs may be Latin-1.
        text = path.read_bytes().decode("utf-8-sig", "replace" if source.program else "strict")
    except OSError as error:
        raise BuildError(
            [Finding("unreadable", Message("simulator.unreadable", {"why": error.strerror or str(error)}), str(path))]
        ) from error
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        message = Message("simulator.not-utf8", {"line": line})
        raise BuildError([Finding("not-utf8", message, str(path), line)]) from error
    tokens = tokenize(text.replace("\r\n", "\n"))
    if source.seen is not None:
        tokens = _without_unseen(tokens, source.seen.get(path, frozenset()))
    tokens = joined(_mark_asm(tokens, source))
    if (bracket := unclosed(tokens)) is not None:
        why = Message(f"compile.{bracket.key}", {"sign": bracket.sign})
        source.findings.append(Finding("compile-error", why, str(path), bracket.line, chapter=COMPILE_ERRORS))
        return ""
    if source.show and path == source.path:
        source.assigned = assigned(tokens)
        tokens = with_shown(tokens, source.show)
    have = frozenset(str(p.relative_to(INCLUDE)) for p in INCLUDE.rglob("*") if p.is_file())

    def has(directive: str) -> bool:
        name = included(directive)
        ours = name in have and (source.program or not for_programs(name))
        source.has_thrust |= source.program and cccl.has(name)
        return ours or (source.program and cccl.has(name)) or _included(directive, path, source) is not None

    for refusal in refusals(tokens, has, source.arch, source.program):
        values = {"what": refusal.what, "arch": source.arch, "library": refusal.library}
        _finding(source, path, refusal.line, refusal.key, **values)
    for line, closed in _closed(tokens, path):
        _finding(source, path, line, "include-closed", file=closed)
    if source.findings:
        return ""
    source.exports.update(_exports(tokens))
    for name, managed in _variables(tokens):
        source.variables.append(name)
        source.managed |= {name} if managed else set()
    source.aligned_types |= _declares_aligned_types(tokens)
    source.captures |= any(t.kind == "name" and _CAPTURES.fullmatch(t.text) for t in tokens)
    everything = list(_with_included(tokens, path, source, set()))
    declared = declarations(tokens, macros(everything))
    source.declared[path] = declared
    for wrong in misplaced(tokens, declared, source.arch):
        if source.program and wrong.key == "lambda-on-device":
            continue  # whose program it is decides about nvcc's --extended-lambda
        if source.program and wrong.key == "launch-in-kernel":
            source.nests = True
            continue
        message = Message(f"language.{wrong.key}", wrong.values)
        source.findings.append(Finding(wrong.key, message, str(path), wrong.line, chapter=SIDES))
    arity, names = _kernels(everything)
    shared = {f.name for d in source.declared.values() for f in d.functions if f.side != KERNEL} & names.keys()
    for name, line in _plain_calls(tokens, {k: n for k, n in names.items() if k not in shared}):
        _finding(source, path, line, "kernel-called", name=name)
    names.update({name: names[name] + 1 for name in shared})  # a name that the host has, too, says no one function
    for i, token in enumerate(tokens):
        if token.kind == "directive":
            tokens[i] = Token("directive", _directive(token, path, source, arity, names), token.line)
    try:
        tokens = rewrite_shared(mark(tokens, declared))
    except BadDeclaration as error:
        _finding(source, path, error.line, error.key)
        return ""
    tokens = tell_clusters(_uncast_kernels(tokens))
    return f'#line 1 "{path}"\n' + text_of(rewrite_launches(tokens, arity, names))


def _mark_asm(tokens: list[Token], source: Source) -> list[Token]:
    """`asm` of statements and of macros becomes ASM."""
    for i, token in enumerate(tokens):
        if token.kind == "name" and token.text in _ASM_WORDS:
            tokens[i] = Token("name", ASM, token.line)
            source.has_ptx = True
        elif token.kind == "directive" and "asm" in token.text and (head := _DEFINE.match(token.text)):
            body = _mark_asm(tokenize(token.text[head.end() :]), source)
            tokens[i] = Token("directive", head.group() + text_of(body), token.line)
    return tokens


def _without_unseen(tokens: list[Token], seen: frozenset[int]) -> list[Token]:
    """The tokens, those of branches that are left out replaced by the ends of their lines; `#if` and its kin stay, and
    `#pragma once`, which the preprocessor keeps to itself."""
    other = re.compile(r"#\s*(?:include|pragma(?!\s+once\b)|error|warning)\b")
    out = []
    for token in tokens:
        conditional = token.kind == "directive" and not other.match(token.text)
        if token.kind == "space" or conditional or token.line in seen:
            out.append(token)
        else:
            out.append(Token("space", "\n" * token.text.count("\n") or " ", token.line))
    return out


def _closed(tokens: list[Token], path: Path) -> Iterator[tuple[int, str]]:
    """The files that are included in quotes and may not be read, with their lines."""
    for token in tokens:
        if token.kind == "directive" and (match := _QUOTED.match(token.text)):
            try:
                (path.parent / match[2]).open("rb").close()
            except PermissionError:
                yield token.line, match[2]
            except OSError:
                continue  # the compiler tells that there is no such file


def _included(text: str, path: Path, source: Source) -> tuple[str, Path] | None:
    """Of a directive that includes a file of the program's own: what stands before the name, and the file."""
    quoted = _QUOTED.match(text)
    match = quoted or _ANGLED.match(text)
    if match is None:
        return None
    # Ours before what a folder of -I has by the same name, as for the compiler: it may be the CUDA toolkit's.
    folders = () if (INCLUDE / match[2]).is_file() else source.folders
    for folder in (path.parent, *folders) if quoted else folders:
        if (folder / match[2]).is_file():
            return match[1], (folder / match[2]).resolve()
    return None


def _with_included(tokens: list[Token], path: Path, source: Source, seen: set[Path]) -> Iterator[Token]:
    """The tokens of the file and of those of its own that it includes."""
    yield from tokens
    for token in tokens:
        found = _included(token.text, path, source) if token.kind == "directive" else None
        if found is not None and found[1] not in seen:
            seen.add(found[1])
            text = found[1].read_text(encoding="utf-8-sig", errors="replace")
            yield from _with_included(tokenize(text), found[1], source, seen)


def _directive(token: Token, path: Path, source: Source, arity: dict[str, int], names: dict[str, int]) -> str:
    text = token.text
    if source.program and cccl.has(included(text)):
        lines = ('#include "ok/thrust_begin.h"', text, f'#line {token.line} "{path}"', '#include "ok/thrust_end.h"')
        return "\n".join(lines)
    if found := _included(text, path, source):
        include, target = found
        if target not in source.names:
            name = source.names[target] = f"{len(source.included)}_{target.name}"
            source.included[name] = ""
            source.included[name] = _rewrite_file(target, source)
        return f'{include}"{source.names[target]}"'
    if "<<<" in text and (head := _DEFINE.match(text)):
        body = tokenize(text[head.end() :])
        return head.group() + text_of(rewrite_launches(body, arity, names))
    return text


def _kernels(tokens: list[Token]) -> tuple[dict[str, int], dict[str, int]]:
    """Template parameters of each kernel template, and how often each kernel name is defined, or declared otherwise."""
    arity: dict[str, int] = {}
    names: dict[str, int] = {}
    taken: dict[str, set[str]] = {}  # the types of its parameters
    for i, token in enumerate(tokens):
        if token.kind != "name" or token.text != "__global__":
            continue
        k = i
        while k < len(tokens) and not is_sign(tokens, k, ";") and not is_sign(tokens, k, "{"):
            if is_sign(tokens, k, "("):
                before = previous_solid(tokens, k - 1)
                if tokens[before].text in ("__launch_bounds__", "__maxnreg__", "__cluster_dims__", "__attribute__"):
                    k = closing(tokens, k) + 1
                    continue
                name = tokens[before].text
                close = next_solid(tokens, closing(tokens, k) + 1)
                types = _types(tokens[k + 1 : closing(tokens, k)])
                is_other = types not in taken.setdefault(name, {types})
                taken[name].add(types)
                names[name] = names.get(name, 0) + is_sign(tokens, close, "{") + is_other
                if (count := _template_parameters(tokens, i)) is not None:
                    arity[name] = count
                break
            k += 1
    return arity, names


def _types(parameters: list[Token]) -> str:
    """The parameters without spaces and their own names, so that a declaration is known as its definition's."""
    out = []
    for piece in split_commas(parameters):
        words = [t.text for t in piece if t.kind not in ("space", "directive")]
        named = len(words) > 1 and words[-1].isidentifier() and words[-2] != "unsigned"
        out.append("".join(words[:-1] if named else words))
    return ",".join(out)


def _plain_calls(tokens: list[Token], kernels: dict[str, int]) -> list[tuple[str, int]]:
    """Statements that call a kernel like any function, without <<<...>>>: the kernel's name and the line."""
    found = []
    for i, token in enumerate(tokens):
        if token.kind == "name" and token.text in kernels and is_sign(tokens, next_solid(tokens, i + 1), "("):
            before = previous_solid(tokens, i - 1)
            if any(is_sign(tokens, before, sign) for sign in (";", "{", "}")):
                found.append((token.text, token.line))
    return found


def _template_parameters(tokens: list[Token], i: int) -> int | None:
    """How many parameters the template header before token `i` has; None without one."""
    k = previous_solid(tokens, i - 1)
    while k >= 0 and tokens[k].kind == "name" and tokens[k].text in ("static", "inline", "extern"):
        k = previous_solid(tokens, k - 1)
    if not is_sign(tokens, k, ">"):
        return None
    end, depth, count = k, 0, 1
    while k >= 0:
        depth += is_sign(tokens, k, ">") - is_sign(tokens, k, "<")
        if depth == 0:
            break
        count += depth == 1 and is_sign(tokens, k, ",")
        k -= 1
    before = previous_solid(tokens, k - 1)
    if before < 0 or tokens[before].text != "template":
        return None
    return count if one_line(tokens[k + 1 : end]) else 0


def _exports(tokens: list[Token]) -> dict[str, int]:
    """Functions defined with extern "C", and how many parameters each has."""
    out: dict[str, int] = {}
    for i, token in enumerate(tokens):
        if not (token.kind == "string" and token.text == '"C"'):
            continue
        k = next_solid(tokens, i + 1)
        if is_sign(tokens, k, "{"):
            end = closing(tokens, k)
            k += 1
            while k < end:
                if is_sign(tokens, k, "("):
                    _export(tokens, k, out)
                    k = closing(tokens, k)
                elif is_sign(tokens, k, "{"):
                    k = closing(tokens, k)
                k += 1
        else:
            while k < len(tokens) and not is_sign(tokens, k, "(") and not is_sign(tokens, k, ";"):
                k += 1
            if is_sign(tokens, k, "("):
                _export(tokens, k, out)
    return out


def _export(tokens: list[Token], bracket: int, out: dict[str, int]) -> None:
    name = tokens[previous_solid(tokens, bracket - 1)]
    close = closing(tokens, bracket)
    if name.kind == "name" and is_sign(tokens, next_solid(tokens, close + 1), "{"):
        pieces = split_commas(tokens[bracket + 1 : close])
        out[name.text] = 0 if [one_line(p) for p in pieces] == ["void"] else len(pieces)


def _variables(tokens: list[Token]) -> list[tuple[str, bool]]:
    """__device__, __constant__ and __managed__ variables, and whether they are managed: of declarations that reach
    [ = { ; or , before any bracket, each name."""
    out = []
    for i, token in enumerate(tokens):
        if token.kind != "name" or token.text not in ("__device__", "__constant__", "__managed__"):
            continue
        last = ""
        angle = 0
        managed = token.text == "__managed__"
        for k in range(i + 1, len(tokens)):
            t = tokens[k]
            if t.kind == "name":
                managed |= t.text == "__managed__"
                last = t.text if not angle else last
            elif t.kind == "sign":
                angle += (t.text == "<") - (t.text == ">")
                if angle == 0 and t.text in "[={;," and t.text:
                    if last not in ("__device__", "__constant__", "__managed__", "__host__"):
                        out += [(name, managed) for name in (last, *_further(tokens, k))]
                    break
                if t.text in "()}":
                    break
    return out


def _further(tokens: list[Token], k: int) -> Iterator[str]:
    """The names of a declaration behind its first one, which ends before token `k`."""
    waits = False  # for a name
    while k < len(tokens) and not is_sign(tokens, k, ";"):
        if tokens[k].kind == "sign" and tokens[k].text in ("(", "[", "{"):
            k = closing(tokens, k)
        elif is_sign(tokens, k, ","):
            waits = True
        elif waits and tokens[k].kind == "name":
            waits = False
            after = next_solid(tokens, k + 1)
            if any(is_sign(tokens, after, sign) for sign in ",;=[{"):
                yield tokens[k].text
        k += 1


def _declares_aligned_types(tokens: list[Token]) -> bool:
    """Is there a struct, class or union with an alignment of its own, before its body or behind it?"""
    for i, token in enumerate(tokens):
        if token.kind != "name" or token.text not in ("struct", "class", "union"):
            continue
        for k in range(i + 1, len(tokens)):
            if tokens[k].text in ("alignas", "__align__", "aligned"):
                return True
            if tokens[k].kind == "sign" and tokens[k].text in ";>,={":
                break
        behind = next_solid(tokens, closing(tokens, k) + 1) if is_sign(tokens, k, "{") else len(tokens)
        if behind < len(tokens) and tokens[behind].text in ("__attribute__", "__align__"):
            return True
    return False


def _uncast_kernels(tokens: list[Token]) -> list[Token]:
    """cudaLaunchKernel((void*)kernel, ...) and node.func = (void*)kernel need the kernel's own type: the cast goes."""
    calls = ("cudaLaunchKernel", "cudaLaunchCooperativeKernel")
    has_nodes = any(t.text == "cudaKernelNodeParams" for t in tokens)
    for i, token in enumerate(tokens):
        if has_nodes and token.text == "func" and is_sign(tokens, equals := next_solid(tokens, i + 1), "="):
            end = next(k for k in range(equals, len(tokens)) if is_sign(tokens, k, ";"))
            plain = _uncast(text_of(tokens[equals + 1 : end]))
            tokens[equals + 1 : end] = tokenize(plain, tokens[equals].line)
        if token.kind != "name" or token.text not in calls:
            continue
        bracket = next_solid(tokens, i + 1)
        if not is_sign(tokens, bracket, "("):
            continue
        pieces = split_commas(tokens[bracket + 1 : closing(tokens, bracket)])
        first = text_of(pieces[0]) if pieces else ""
        if (plain := _uncast(first)) != first:
            tokens[bracket + 1 : bracket + 1 + len(pieces[0])] = tokenize(plain, tokens[bracket].line)
    return tokens


def _uncast(text: str) -> str:
    return _CAST.sub(r"\1\2", _C_CAST.sub(r"\1", text))
