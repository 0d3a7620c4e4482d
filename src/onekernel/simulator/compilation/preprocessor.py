"""What is asked of a compiler's preprocessor, which knows every macro: which lines of a program it will see, where asm
statements stand in a file."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from onekernel.backends.base import BuildError, Finding
from onekernel.messages import Message
from onekernel.simulator.compilation import thrust
from onekernel.simulator.compilation.compiler import Compiler, flags
from onekernel.simulator.compilation.diagnostics import compile_error
from onekernel.simulator.compilation.parts import require_room, run_compiler
from onekernel.simulator.paths import INCLUDE
from onekernel.simulator.ptx import translate
from onekernel.simulator.refusals.features import ANYWHERE
from onekernel.simulator.rewrite import POISON, UNREAD, Source

_PASTED = re.compile(r"##|\\[ \t]*\r?\n\w")  # also a word that goes on in the next line
_MARKER = re.compile(r'# (?P<line>\d+) "(?P<file>[^"]*)"')


def seen_lines(
    path: Path, with_compiler: Compiler, arch: str, folders: Sequence[Path] = (), defines: Sequence[str] = ()
) -> Mapping[Path, frozenset[int]] | None:
    """The lines of `path`, and of what it includes, that stand in no branch of `#if` that is left out.

    None where the preprocessor cannot read it to the end: the compiler will say why.
    """
    only = ("-fdirectives-only", "-dI") if with_compiler.family == "g++" else ("-dI",)
    where = [word for folder in folders for word in ("-I", str(folder))]
    macros = ["-DOK_PROGRAM", *(f"-D{define}" for define in defines)]
    nvidia = thrust.flags() if b"<thrust/" in path.read_bytes() else ()
    command = [with_compiler.path, *nvidia, *flags("check", with_compiler, arch), *macros, *where, "-E", *only,
               "-include", str(INCLUDE / "cuda_runtime.h"), "-x", "c++", str(path)]  # fmt: skip
    done = run_compiler(command)
    if done.returncode:
        return None
    found: dict[Path, set[int]] = defaultdict(set)
    own: dict[str, Path | None] = {}
    lines: set[int] | None = None
    number = 0
    for text in done.stdout.split("\n"):
        marker = _MARKER.match(text)
        if marker:
            name, number = marker["file"], int(marker["line"])
            if name not in own:
                own[name] = _own(name)
            lines = None if (known := own[name]) is None else found[known]
            continue
        if lines is not None and text.strip():
            lines.add(number)
        number += 1
    return {file: frozenset(numbers) for file, numbers in found.items()}


def _own(name: str) -> Path | None:
    """The file, if it is neither the compiler's nor ours."""
    if name.startswith(("<", "/usr/")) or not Path(name).is_file():
        return None
    path = Path(name).resolve()
    return None if path.is_relative_to(INCLUDE) else path


def translate_asm(source: Source, main: Path, command: list[str], work: str) -> None:
    """Replaces the asm statements in `main` by C++. The preprocessor goes first: macros make statements and their text.

    What every file includes is left out of its output, but for its macros. Raises BuildError."""
    main.write_text(f'#include "ok/ptx.h"\n{source.text}', encoding="utf-8")
    done = run_compiler([*command, "-E", "-imacros", str(INCLUDE / "cuda_runtime.h"), str(main)])
    if done.returncode:
        require_room(done)
        raise compile_error(source, done.stdout + done.stderr, work)
    text, refused = translate(done.stdout.replace(POISON, "").replace(UNREAD, ""), source.arch)
    if refused:
        findings = {
            (r.file, r.line): Finding("unsupported", Message(f"ptx.{r.key}", r.values), r.file, r.line) for r in refused
        }
        raise BuildError(list(findings.values()))
    # Its macros are expanded; what system headers write between brackets of __attribute__ is not one of CUDA's.
    main.write_text(f"#undef __noinline__\n{text}", encoding="utf-8")


def refuse_pasted_asm(source: Source, main: Path, command: list[str]) -> None:
    """Raises BuildError for an asm statement that macros paste together: written out it is PTX, and translated."""
    if not any(_PASTED.search(text) for text in (source.text, *source.included.values())):
        return
    done = run_compiler([*command, "-E", "-imacros", str(INCLUDE / "cuda_runtime.h"), str(main)])
    mine, line = {str(p) for p in source.files}, 0
    file = ""
    for text in done.stdout.splitlines():
        if marker := _MARKER.match(text):
            line, file = int(marker[1]), marker[2]
            continue
        if file in mine and (found := ANYWHERE.search(text)) and (found[1] or not source.program):
            why = Message("simulator.unread", {"what": found[1] or found[2] or found[3]})
            raise BuildError([Finding("unread", why, file, line)])
        line += 1
