"""What NVIDIA's compiler refuses of a `.cu`, without machine code: a fraction of its time for a file of many kernels.

nvcc is a row of programs, and says which (`--dryrun`). Both sides of the file are read as ever; what makes machine code
of it optimises nothing, and of the kernels the smallest alone is assembled, by which the assembly of all is read.

But:    an error that only optimising brings to light is not seen. None of the course's submissions has one: the test
        compares the two on all of them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from onekernel.backends.base import BuildError, Unavailable
from onekernel.cuda.ahead import require_working
from onekernel.cuda.diagnostics import findings_of_log
from onekernel.cuda.invocation import cached, command, limited
from onekernel.cuda.nvcc import Nvcc, find
from onekernel.messages import Message

_TOLD = "#$ "  # before each line of a dry run
_SETTING = re.compile(r"[A-Z_]\w*=")
_ENTRY = re.compile(r"^\s*(?:\.visible |\.weak )?\.entry ([\w$]+)", re.MULTILINE)
_SHARED = re.compile(r"^\s*\.shared [^;]*\[(\d+)\];", re.MULTILINE)
_MOST_SHARED = 48 << 10  # bytes of arrays that a kernel may declare: its own assembly says when they are more


def refuse(path: Path | str, arch: str = "sm_80", nvcc: Nvcc | None = None) -> None:
    """Raises BuildError with what nvcc refuses, at lines of the file, once for each content, architecture and compiler;
    Unavailable where there is no nvcc, or none that works here or tells how it works."""
    path = Path(path).absolute()
    compiler = nvcc or find()
    if compiler is None:
        raise Unavailable(Message("cuda.no-nvcc-ahead", {"python": sys.executable}))

    def ask(source: bytes, flags: tuple[str, ...], work: Path) -> dict[str, Any]:
        refused = _refused(path, source, flags, compiler, work)
        if refused is not None:
            require_working(compiler, flags, work)
        return {"refused": refused}

    answer = cached(path, arch, compiler, __file__, ask)
    if answer["refused"] is not None:
        raise BuildError(findings_of_log(answer["refused"], path), answer["refused"])


def _refused(path: Path, source: bytes, flags: tuple[str, ...], compiler: Nvcc, work: Path) -> str | None:
    """What the program that refuses the file says; None where none does."""
    words, out = command(path, source, flags, compiler, work)
    asked = limited([*words, "--dryrun"], work)
    if asked.returncode:
        return asked.stdout + asked.stderr
    settings = ""
    for line in _lines(asked.stderr):
        if _SETTING.match(line):
            settings += f"export {_quoted(line)}\n"
            continue
        if line.startswith("fatbinary"):
            return None
        step = _quick(line, out)
        done = limited(["/bin/sh", "-c", f"{settings}{step}"], work)
        if done.returncode:
            return (done.stdout + done.stderr).replace(f"{work}/", "")
    raise Unavailable(Message("cuda.nvcc-broken", {"path": str(compiler.path), "text": "--dryrun"}))


def _lines(told: str) -> Iterator[str]:
    """The settings and commands of a dry run."""
    return (line.removeprefix(_TOLD) for line in told.splitlines() if line.startswith(_TOLD))


def _quoted(line: str) -> str:
    """A setting as the shell reads it: nvcc leaves what has quotes of its own, or blanks, as it stands."""
    name, _, value = line.partition("=")
    return f"{name}='" + value.replace("'", "'\\''") + "'"


def _quick(line: str, out: Path) -> str:
    """The command, told to take no pains."""
    if "/cicc" in line:
        return f"{line.rstrip()} -O0"
    if line.startswith("ptxas"):
        (ptx,) = out.glob("*.ptx")
        return f"{line.rstrip()} -O0 {_entry(ptx.read_text(encoding='utf-8', errors='replace'))}"
    return line


def _entry(ptx: str) -> str:
    """Which kernel to assemble, the shortest; none in particular where one declares more shared memory than it may."""
    begins = [(match.start(), match[1]) for match in _ENTRY.finditer(ptx)]
    if not begins or sum(int(size) for size in _SHARED.findall(ptx)) > _MOST_SHARED:
        return ""
    ends = [at for at, _ in begins[1:]] + [len(ptx)]
    shortest = min(zip(ends, begins, strict=True), key=lambda kernel: kernel[0] - kernel[1][0])
    return f"-e {shortest[1][1]}"
