"""A `.cu` file becomes C++ that g++ and clang++ compile: token by token, line for line, names kept."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from onekernel.backends.base import BuildError, Finding
from onekernel.messages import Message
from onekernel.simulator import cccl
from onekernel.simulator.arch import DEFAULT
from onekernel.simulator.facts.arrays import names_of_memory
from onekernel.simulator.facts.conditionals import asks_for_the_card
from onekernel.simulator.facts.declarations import declarations
from onekernel.simulator.facts.functions import KERNEL, Declarations
from onekernel.simulator.facts.includes import closed, for_programs, included, own_file, with_included
from onekernel.simulator.facts.kernels import joined, kernels
from onekernel.simulator.facts.macros import macros
from onekernel.simulator.facts.symbols import UNSET, declares_aligned_types, exports, variables
from onekernel.simulator.facts.tokens import Token, text_of, tokenize, unclosed
from onekernel.simulator.paths import INCLUDE
from onekernel.simulator.refusals.features import NAMES, UNCOUNTED, refusals, unread
from onekernel.simulator.refusals.misplaced import misplaced
from onekernel.simulator.rewrite.accesses import spare, walk_flat, watch_float_bits
from onekernel.simulator.rewrite.expansions import with_arenas, with_launches
from onekernel.simulator.rewrite.launches import (
    keep_addresses,
    plain_calls,
    rewrite_launches,
    tell_attributes,
    uncast_kernels,
    write_stubs,
)
from onekernel.simulator.rewrite.shared_arrays import BadDeclaration, rewrite_shared
from onekernel.simulator.rewrite.shown import assigned, with_shown
from onekernel.simulator.rewrite.sides import differing, mark, on_their_sides, words_on_host

COMPILE_ERRORS = "01-07-compile-errors#compile-errors"
SIDES = "01-03-launch#launch"
POISON = f"#pragma GCC poison {' '.join(UNCOUNTED)}\n"
"""Stands before the text: refuses names of the machinery that macros paste."""
UNREAD = f"#pragma GCC poison {' '.join(NAMES)}\n"
"""Stands before the text of a file that may be graded: the same of what gets past what is read of it."""
GRAPHS = '#include "ok/graphs.h"\n'
"""Stands before the text of a file that captures streams: its launches can be kept."""
NESTED = '#include "ok/nested.h"\n'
"""Stands before the text of a program whose kernels launch others."""
_CAPTURES = re.compile(r"cudaGraph\w+|cudaStream(?:Begin|End)Capture")
SPECIAL = '#include "ok/special_functions.h"\n'
"""Stands before the text of a file that calls one of <cmath>'s special functions, which cuda_runtime.h leaves out."""
_SPECIAL = re.compile(
    r"\b(?:(?:assoc_)?(?:laguerre|legendre)|beta|(?:comp_)?ellint_[123]|cyl_(?:bessel_[ijk]|neumann)|expint|hermite"
    r"|riemann_zeta|sph_(?:bessel|legendre|neumann))[fl]?\s*[(<]"
)
ASM = "__ok_asm"
"""Stands for `asm` in the rewritten text, so that the learner's statements are known among those of system headers."""
_DEFINE = re.compile(r"#\s*define\s+\w+(\([^)]*\))?")
# CUDA's vectors of 16 bytes or more, types with an alignment of their own, and headers that bring such types.
_WIDE = re.compile(
    r"\b(?:float4|u?int4|(?:double|u?long|u?longlong)[24]\w*|cu\w*Complex|alignas|__align__|aligned|vector_size|"
    r"__u?int128\w*|c(?:ub|ute|utlass)\b|thrust|wmma|nvcuda|OK_\w+)"
)
_ASM_WORDS = ("asm", "__asm__", "__asm")


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
    variables: dict[str, str] = field(default_factory=dict)  # of the device, and which of symbols.KINDS each is
    aligned_types: bool = False  # it declares structs with an alignment of their own
    wide_types: bool = False  # it names types whose address 16 bytes must divide, or what may be made of them
    findings: list[Finding] = field(default_factory=list)
    show: str | None = None  # a variable whose assignments are told
    assigned: list[str] = field(default_factory=list)  # the variables that may be: known where one is shown
    declared: dict[Path, Declarations] = field(default_factory=dict)  # of each of `files`
    captures: bool = False  # streams, for graphs
    nests: bool = False  # launches in kernels
    special: bool = False  # calls of <cmath>'s special functions, or of what is named as they are
    has_ptx: bool = False  # asm statements, as ASM marks them
    has_thrust: bool = False  # NVIDIA's own headers, in a program
    differing: dict[str, tuple[Path, int]] = field(default_factory=dict)  # macros that the host has otherwise, or not
    on_host: dict[str, str] = field(default_factory=dict)  # names that the host's functions use, and where
    warnings: list[Finding] = field(default_factory=list)


def rewrite(
    path: Path, arch: str = DEFAULT, show: str | None = None, folders: Sequence[Path] = (), program: bool = False,
    seen: Mapping[Path, frozenset[int]] | None = None,
) -> Source:  # fmt: skip
    """Reads and rewrites `path` for the card `arch`. Raises BuildError for what cannot be read or is not supported."""
    source = Source(path, arch, tuple(folders), program, seen, show=show)
    text = _rewrite_file(path, source)
    poison = "" if source.has_thrust else POISON  # NVIDIA's headers name what is refused
    poison += "" if program else UNREAD
    needed = {GRAPHS: source.captures, NESTED: source.nests, SPECIAL: source.special}
    source.text = "".join(line for line, needs in needed.items() if needs) + poison + text
    if source.findings:
        raise BuildError(source.findings)
    for name, (file, line) in source.differing.items():
        if name in source.on_host:
            why = Message("language.of-the-card", {"name": name, "use": source.on_host[name]})
            source.warnings.append(Finding("of-the-card", why, str(file), line, "warning", SIDES))
    return source


def _finding(source: Source, path: Path, line: int | None, key: str, **values: object) -> None:
    message = Message(f"simulator.{key}", {"line": line or 0, **values})
    unsupported = ("unsupported-arch", "needs-sm-90", "texture-reference", "without-sync")
    refused = key in unsupported or key.startswith("header-")
    code = "unsupported" if refused else key
    source.findings.append(Finding(code, message, str(path), line))


def _rewrite_file(path: Path, source: Source) -> str:
    """The text of one file, rewritten; "" where `source.findings` now say why it is not."""
    source.files.append(path)
    text = _read(path, source.program)
    # As compilers count lines: a carriage return alone ends one, too, and editors leave two at the end of some.
    tokens = whole = tokenize(text.replace("\r\n", "\n").replace("\r", "\n"))
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
    _refuse(tokens, path, source)
    if source.findings:
        return ""
    defined = macros(everything := list(with_included(tokens, path, source.folders, set())))
    if any(asks_for_the_card(t) for t in whole):
        both = tokens if source.seen is None else joined(whole)
        tokens = on_their_sides(tokens, both, defined, path, source.arch)
        source.differing.update({name: (path, line) for name, line in differing(whole, source.arch).items()})
    if (out := with_arenas(tokens, everything)) is not tokens:
        tokens, everything = out, list(with_included(out, path, source.folders, set()))
    source.exports.update(exports(tokens))
    for name, kind in variables(tokens):
        known = source.variables.get(name, UNSET)
        source.variables[name] = kind if known == UNSET else known
    source.aligned_types |= declares_aligned_types(tokens)
    source.wide_types |= source.has_thrust or any(t.kind != "space" and _WIDE.search(t.text) for t in tokens)
    source.captures |= any(t.kind == "name" and _CAPTURES.fullmatch(t.text) for t in tokens)
    source.special |= _SPECIAL.search(text) is not None
    declared = source.declared[path] = declarations(tokens, defined)
    source.on_host.update(
        {name: f"{path.name}:{line}" for name, line in words_on_host(tokens, declared, defined).items()}
    )
    _tell_sides(tokens, declared, defined, path, source)
    arity, names = kernels(everything)
    shared = {f.name for d in source.declared.values() for f in d.functions if f.side != KERNEL} & names.keys()
    for name, line in plain_calls(tokens, {k: n for k, n in names.items() if k not in shared}):
        _finding(source, path, line, "kernel-called", name=name)
    names.update({name: names[name] + 1 for name in shared})  # a name that the host has, too, says no one function
    if (out := with_launches(tokens, everything)) is not tokens:
        tokens = out
        declared = source.declared[path] = declarations(out, defined)  # where they stand now
    for i, token in enumerate(tokens):
        if token.kind == "directive":
            tokens[i] = Token("directive", _directive(token, path, source, arity, names), token.line)
    try:
        tokens = rewrite_shared(mark(tokens, declared, guarded=not source.program))
    except BadDeclaration as error:
        _finding(source, path, error.line, error.key)
        return ""
    tokens = write_stubs(tokens, arity, names)
    tokens = tell_attributes(keep_addresses(uncast_kernels(watch_float_bits(walk_flat(tokens))), names))
    tokens = rewrite_launches(tokens, arity, names)
    tokens = spare(tokens, names_of_memory(everything))
    return f'#line 1 "{path}"\n' + text_of(tokens)


def _read(path: Path, program: bool) -> str:
    """Raises BuildError where the file cannot be read as text."""
    try:
        # Editors on Windows put a byte order mark in front; nvcc skips it. Comments of old programs may be Latin-1.
        return path.read_bytes().decode("utf-8-sig", "replace" if program else "strict")
    except OSError as error:
        why = Message("simulator.unreadable", {"why": error.strerror or str(error)})
        raise BuildError([Finding("unreadable", why, str(path))]) from error
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        message = Message("simulator.not-utf8", {"line": line})
        raise BuildError([Finding("not-utf8", message, str(path), line)]) from error


def _refuse(tokens: list[Token], path: Path, source: Source) -> None:
    """Tells what the simulator has not, and files that may not be read."""

    def has(directive: str) -> bool:
        name = included(directive)
        ours = name in _headers() and (source.program or not for_programs(name))
        source.has_thrust |= source.program and cccl.has(name)
        return ours or (source.program and cccl.has(name)) or own_file(directive, path, source.folders) is not None

    past = () if source.program else unread(tokens)
    for refusal in (*refusals(tokens, has, source.arch, source.program), *past):
        values = {"what": refusal.what, "arch": source.arch, "library": refusal.library}
        _finding(source, path, refusal.line, refusal.key, **values)
    for line, name in closed(tokens, path):
        _finding(source, path, line, "include-closed", file=name)


def _tell_sides(
    tokens: list[Token], declared: Declarations, defined: Mapping[str, frozenset[str]], path: Path, source: Source
) -> None:
    """Tells what stands on the wrong side, host or device."""
    for wrong in misplaced(tokens, declared, defined, source.arch):
        if source.program and wrong.key in ("lambda-on-device", "vector-call"):
            continue  # whose program it is decides about nvcc's --extended-lambda and -std=c++20
        if source.program and wrong.key == "launch-in-kernel":
            source.nests = True
            continue
        message = Message(f"language.{wrong.key}", wrong.values)
        if wrong.key in ("relaxed-constexpr", "real-of-integer"):  # an exercise is built with that flag
            if source.program:
                source.warnings.append(Finding(wrong.key, message, str(path), wrong.line, "warning", SIDES))
            continue
        source.findings.append(Finding(wrong.key, message, str(path), wrong.line, chapter=SIDES))


@cache
def _headers() -> frozenset[str]:
    """Those of the simulator, as they are included."""
    return frozenset(str(p.relative_to(INCLUDE)) for p in INCLUDE.rglob("*") if p.is_file())


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


def _directive(token: Token, path: Path, source: Source, arity: dict[str, int], names: dict[str, int]) -> str:
    text = token.text
    if source.program and cccl.has(included(text)):
        lines = ('#include "ok/thrust_begin.h"', text, f'#line {token.line} "{path}"', '#include "ok/thrust_end.h"')
        return "\n".join(lines)
    if found := own_file(text, path, source.folders):
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


