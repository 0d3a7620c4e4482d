"""What Triton makes of a file, for any architecture, with no GPU: TTGIR, PTX, SASS, registers, occupancy, wide loads.

    print(compile_source("solutions/softmax_triton.py", ["sm_80", "sm_90"], rows=8192, cols=4096))
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from onekernel.backends.base import BuildError, Finding
from onekernel.backends.machine_code import Count
from onekernel.backends.occupancy import LIMITS, Occupancy, occupancy
from onekernel.errors import UserError
from onekernel.messages import Message, say

SECONDS = 300
WIDE = 16  # bytes: the widest access that a thread can make, and the one that a copy makes


@dataclass(frozen=True)
class Compiled:
    """One kernel in one configuration for one architecture."""

    kernel: str
    arch: str
    grid: tuple[int, ...]
    constants: Mapping[str, Any]
    num_warps: int
    shared: int  # bytes a program
    registers: int  # a thread
    stack: int  # bytes a thread: spilled registers live here
    sass_instructions: int
    counts: tuple[Count, ...]
    occupancy: Occupancy
    ttgir: str
    ptx: str
    sass: str

    def wide(self, kind: str) -> tuple[int, int]:
        """(16-byte instructions, all instructions) of kind "load" or "store"."""
        times = [(c.bytes, c.times) for c in self.counts if c.kind == kind]
        return sum(n for width, n in times if width >= WIDE), sum(n for _, n in times)

    def __str__(self) -> str:
        shown = ", ".join(f"{k}={v}" for k, v in self.constants.items())
        o = self.occupancy
        lines = [
            say("triton.compiled-title", kernel=self.kernel, arch=self.arch, warps=self.num_warps, constants=shown),
            say("triton.compiled-grid", programs=_product(self.grid), threads=32 * self.num_warps),
            say("triton.compiled-registers", registers=self.registers, shared=self.shared, sass=self.sass_instructions),
            say(f"triton.compiled-limit-{o.limit}", percent=o.percent, **_counts(o)),
        ]
        if self.stack:
            lines.append(say("triton.compiled-spills", stack=self.stack))
        for kind in ("load", "store"):
            wide, total = self.wide(kind)
            if total:
                lines.append(say(f"compiled.wide-{kind}s", wide=wide, total=total))
        lines += [say(f"compiled.{c.kind}", line=c.line, times=c.times, bytes=c.bytes) for c in self.counts]
        return "\n".join([lines[0], *("  " + text for text in lines[1:])])


@dataclass(frozen=True)
class Inspection:
    """Everything that a call of `function` would launch, compiled. Prints as a reading; the listings are fields."""

    path: Path
    function: str
    shape: tuple[int, int]
    dtype: str
    triton: str
    kernels: tuple[Compiled, ...]

    def __str__(self) -> str:
        rows, cols = self.shape
        title = say(
            "triton.inspection", function=self.function, rows=rows, cols=cols, dtype=self.dtype, version=self.triton
        )
        return "\n\n".join([title, *map(str, self.kernels)])

    def write(self, folder: Path) -> list[Path]:
        """Writes the listings (.ttgir, .ptx, .sass) into `folder` and returns their paths."""
        folder.mkdir(parents=True, exist_ok=True)
        written = []
        for number, k in enumerate(self.kernels):
            for suffix in ("ttgir", "ptx", "sass"):
                path = folder / f"{number:02}-{k.kernel}-{k.arch}.{suffix}"
                path.write_text(getattr(k, suffix), encoding="utf-8")
                written.append(path)
        return written


def compile_source(
    path: Path | str,
    archs: Sequence[str] = ("sm_80", "sm_90"),
    *,
    function: str | None = None,
    rows: int = 8192,
    cols: int = 4096,
    dtype: str = "float32",
    python: str = sys.executable,
) -> Inspection:
    """Compiles what `function(x)` launches for an x of (rows, cols), in each configuration that its autotuner has.

    `function` is the file's stem by default; dtype is a torch name. Needs no GPU: a second process imports the file
    without TRITON_INTERPRET, and launching is replaced by compiling. Raises ValueError for an unknown architecture,
    BuildError where the file fails or Triton cannot compile it.
    """
    path = Path(path).resolve()
    unknown = [arch for arch in archs if arch not in LIMITS]
    if unknown:
        raise UserError(Message.of("triton.unknown-arch", arch=", ".join(unknown), known=", ".join(LIMITS)))
    called = function or path.stem
    request: dict[str, Any] = {"path": str(path), "function": called, "archs": list(archs)}
    request |= {"rows": rows, "cols": cols, "dtype": dtype}
    answer = _ask(request, python)
    if "error" in answer:
        last = answer["error"].strip().splitlines()[-1]
        message = Message("triton.compile-failed", {"file": path.name, "why": last})
        raise BuildError([Finding("compile-failed", message, str(path))], answer["error"])
    kernels = tuple(_compiled(k, path.name) for k in answer["kernels"])
    return Inspection(path, called, (rows, cols), dtype, answer["triton"], kernels)


def _ask(request: dict[str, Any], python: str) -> dict[str, Any]:
    environment = {k: v for k, v in os.environ.items() if k != "TRITON_INTERPRET"}
    package = str(Path(__file__).resolve().parents[2])
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [package, environment.get("PYTHONPATH")]))
    command = [python, "-m", "onekernel.triton.capture"]
    done = subprocess.run(
        command, input=json.dumps(request), capture_output=True, text=True, env=environment, timeout=SECONDS
    )
    try:
        answer: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        answer = {"error": done.stderr or f"exit status {done.returncode}"}
    return answer


def _compiled(data: dict[str, Any], source: str) -> Compiled:
    registers, stack = resources(data["usage"])
    arch, warps, shared = data["arch"], data["num_warps"], data["shared"]
    return Compiled(
        kernel=data["kernel"],
        arch=arch,
        grid=tuple(data["grid"]),
        constants=data["constants"],
        num_warps=warps,
        shared=shared,
        registers=registers,
        stack=stack,
        sass_instructions=sass_length(data["sass"]),
        counts=instructions(data["ptx"], source),
        occupancy=occupancy(arch, registers, warps, shared),
        ttgir=data["ttgir"],
        ptx=data["ptx"],
        sass=data["sass"],
    )


def _counts(o: Occupancy) -> dict[str, int]:
    return {"programs": o.programs, "warps": o.warps, "of": o.of_warps}


def _product(grid: Sequence[int]) -> int:
    total = 1
    for size in grid:
        total *= size
    return total


_LOC = re.compile(r"^\s*\.loc\s.*?//(?P<where>.*)$")
_INLINE = re.compile(r"// (begin|end) inline asm")
_MEMORY = re.compile(r"\b(?P<op>ld|st)\.(?:volatile\.)?global(?P<rest>[\w.:]*)\.(?P<type>[bfsu]\d+)\b")
_VECTOR = re.compile(r"\.v(\d)\b")
_COPY = re.compile(
    r"\bcp\.async\.c[ag]\.shared(?:::\w+)?\.global\S*\s[^;]*?\],\s*\[[^\]]*\],\s*(?P<bytes>0x[\da-f]+|\d+)"
)
_OTHER = {
    "shuffle": re.compile(r"\bshfl\.sync"),
    "barrier": re.compile(r"\b(?:bar|barrier)\.(?:cta\.)?(?:sync|red)"),
    "atomic": re.compile(r"\b(?:atom|red)\.global"),
    "exp2": re.compile(r"\bex2\.approx"),
    "tile-load": re.compile(r"\bcp\.async\.bulk\.tensor\.\dd\.shared"),
    "tile-store": re.compile(r"\bcp\.async\.bulk\.tensor\.\dd\.global"),
}
_USAGE = re.compile(r"REG:(?P<registers>\d+) STACK:(?P<stack>\d+) SHARED:(?P<shared>\d+)")
_INSTRUCTION = re.compile(r"^\s+/\*[0-9a-f]{4,5}\*/\s", re.MULTILINE)


def instructions(ptx: str, source: str) -> tuple[Count, ...]:
    """The memory, copy, shuffle, barrier, atomic and exponential instructions of a PTX listing, by line of `source`.

    Code inlined from Triton's own library counts for the line of `source` that called it. A piece of inline PTX, as a
    load with a mask is, counts for the line that it begins at: from Triton 3.8 on each of its own lines is said to be
    a line further down in `source` (findings/triton38_line_of_a_load.sh).
    """
    found: Counter[tuple[int, str, int]] = Counter()
    line = 0
    placed = inline = False
    own = re.compile(rf"{re.escape(source)}:(\d+):")
    for text in ptx.splitlines():
        if _INLINE.search(text):
            inline, placed = "begin" in text, False
        loc = _LOC.match(text)
        if loc:
            here = None if inline and placed else own.search(loc["where"])
            placed = True
            line = int(here[1]) if here else line
            continue
        memory = _MEMORY.search(text)
        if memory:
            vector = _VECTOR.search(memory["rest"])
            width = int(memory["type"][1:]) // 8 * (int(vector[1]) if vector else 1)
            found[line, "load" if memory["op"] == "ld" else "store", width] += 1
        if copied := _COPY.search(text):
            found[line, "copy", int(copied["bytes"], 0)] += 1
        for kind, pattern in _OTHER.items():
            if pattern.search(text):
                found[line, kind, 0] += 1
    return tuple(Count(*key, times) for key, times in sorted(found.items()))


def resources(usage: str) -> tuple[int, int]:
    """(registers a thread, bytes of stack a thread) from `cuobjdump -res-usage`. Raises ValueError for other text."""
    found = _USAGE.search(usage)
    if not found:
        raise ValueError(f"no resource usage in {usage[:200]!r}")
    return int(found["registers"]), int(found["stack"])


def sass_length(sass: str) -> int:
    """The number of machine instructions in a SASS listing."""
    return len(_INSTRUCTION.findall(sass))
