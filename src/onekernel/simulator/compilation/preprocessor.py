"""Which lines of a program its compiler will see: asked of its preprocessor, which knows every macro."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from onekernel.simulator.compilation import thrust
from onekernel.simulator.compilation.compiler import Compiler, flags
from onekernel.simulator.compilation.parts import run_compiler
from onekernel.simulator.paths import INCLUDE

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
