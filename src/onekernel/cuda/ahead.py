"""Compiles a `.cu` with NVIDIA's compiler and no GPU: what nvcc refuses, at its line, or cubin, PTX and resources.

    compile_ahead("solutions/softmax_block.cu", "sm_90").kernels

Both sides of the file are compiled, the host's as far as nvcc itself reads it; the host compiler only preprocesses.
"""

from __future__ import annotations

import base64
import re
import sys
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from onekernel.backends.base import BuildError, Finding, Unavailable
from onekernel.backends.machine_code import Function, disassemble, disassembler, functions_of
from onekernel.cuda.diagnostics import demangle, findings_of_log
from onekernel.cuda.invocation import cached, command, limited
from onekernel.cuda.nvcc import Nvcc, find
from onekernel.messages import Message

_ONE_AT_A_TIME = threading.Lock()
_ENTRY = re.compile(r"Compiling entry function '(?P<symbol>[^']+)'")
_STACK = re.compile(r"(?P<stack>\d+) bytes stack frame, (?P<stores>\d+) bytes spill stores, (?P<loads>\d+) bytes spill")
_USED = re.compile(r"Used (?P<registers>\d+) registers")
_SHARED = re.compile(r"(\d+) bytes smem")


@dataclass(frozen=True)
class Resources:
    """What one kernel takes: registers and bytes of stack per thread, bytes spilled, static shared bytes per block."""

    symbol: str
    name: str  # as it is written in C++, without its parameters
    registers: int
    stack: int
    spill_stores: int
    spill_loads: int
    shared: int


@dataclass(frozen=True)
class Ahead:
    """A compiled file. `kernels` are in the order of the file."""

    path: Path
    arch: str
    nvcc: str
    kernels: tuple[Resources, ...]
    ptx: str
    cubin: bytes

    def machine_code(self) -> dict[str, Function]:
        """The kernels' machine code by mangled name. Raises Unavailable where there is no nvdisasm."""
        tool = disassembler(found.home if (found := find()) else None)
        if tool is None:
            raise Unavailable(Message("cuda.no-nvdisasm", {"python": sys.executable}))
        return functions_of(disassemble(self.cubin, tool), self.path.name)


def compile_ahead(
    path: Path | str, arch: str = "sm_80", nvcc: Nvcc | None = None, *, files: Iterable[Path] = (),
    options: Sequence[str] = (),
) -> Ahead:  # fmt: skip
    """Compiles `path` for `arch` ("sm_80"), once for each content, architecture and compiler. `files`: what it includes
    from folders that `options`, more of nvcc's, name.

    Raises BuildError with what nvcc refuses, at lines of the file; Unavailable where there is no nvcc or it does not
    work here: an error in its own headers is not the file's.
    """
    path = Path(path).absolute()
    compiler = nvcc or find()
    if compiler is None:
        raise Unavailable(Message("cuda.no-nvcc-ahead", {"python": sys.executable}))
    with _ONE_AT_A_TIME:  # two threads that ask of the same file compile it once
        return _once(path, arch, compiler, files, options)


def _once(path: Path, arch: str, compiler: Nvcc, files: Iterable[Path], options: Sequence[str]) -> Ahead:
    def ask(source: bytes, flags: tuple[str, ...], work: Path) -> dict[str, Any]:
        answer = _compile(path, source, flags, compiler, work)
        if not answer["cubin"]:
            require_working(compiler, flags, work)  # a compiler that is broken is not cached
        return answer

    return _read(cached(path, arch, compiler, __file__, ask, files, options), path, arch, compiler)


def _compile(path: Path, source: bytes, flags: tuple[str, ...], compiler: Nvcc, work: Path) -> dict[str, Any]:
    """nvcc's log, and the PTX and cubin, which are empty where it refused."""
    words, out = command(path, source, flags, compiler, work)
    done = limited(words, work)
    cubin = next(iter(out.glob("*.cubin")), None) if done.returncode == 0 else None
    ptx = next(iter(out.glob("*.ptx")), None) if cubin else None
    return {
        "log": (done.stdout + done.stderr).replace(f"{work}/", ""),
        "ptx": ptx.read_text(encoding="utf-8", errors="replace") if ptx else "",
        "cubin": base64.b64encode(cubin.read_bytes()).decode("ascii") if cubin else "",
    }


_KNOWN_GOOD = b"""#include <cuda_runtime.h>
__global__ void one(float* x) { x[threadIdx.x] = 1.0f; }
extern "C" cudaError_t launch(float* x, cudaStream_t s) { one<<<1, 32, 0, s>>>(x); return cudaGetLastError(); }
"""


def require_working(compiler: Nvcc, flags: tuple[str, ...], work: Path) -> None:
    """Raises Unavailable where the compiler does not build a file that is known to be right."""
    place = work / "known_good"
    place.mkdir()
    answer = _compile(place / "known_good.cu", _KNOWN_GOOD, flags, compiler, place)
    if answer["cubin"]:
        return
    last = next((line for line in answer["log"].splitlines() if "error" in line), answer["log"][:300])
    raise Unavailable(Message("cuda.nvcc-broken", {"path": str(compiler.path), "text": last}))


def _read(answer: dict[str, Any], path: Path, arch: str, compiler: Nvcc) -> Ahead:
    if not answer["cubin"]:
        findings: tuple[Finding, ...] = findings_of_log(answer["log"], path)
        raise BuildError(findings, answer["log"])
    cubin = base64.b64decode(answer["cubin"])
    return Ahead(path, arch, compiler.version, resources(answer["log"]), answer["ptx"], cubin)


def resources(log: str) -> tuple[Resources, ...]:
    """What ptxas says with -v of each kernel."""
    found = []
    for part in re.split(r"(?=ptxas info\s*: Compiling entry function)", log):
        entry, stack, registers = _ENTRY.search(part), _STACK.search(part), _USED.search(part)
        if entry and stack and registers:
            shared = _SHARED.search(part)
            symbol = entry["symbol"]
            stored, loaded, kept = int(stack["stores"]), int(stack["loads"]), int(shared[1]) if shared else 0
            sizes = (int(registers["registers"]), int(stack["stack"]), stored, loaded, kept)
            found.append(Resources(symbol, _plain(demangle(symbol)), *sizes))
    return tuple(found)


def _plain(demangled: str) -> str:
    """`void k<(bool)0>(float*)` -> `k<0>`."""
    depth = 0
    for end, sign in enumerate(demangled):
        depth += (sign == "<") - (sign == ">")
        if sign == "(" and depth == 0 and end:
            demangled = demangled[:end]
            break
    return re.sub(r"\(\w+\)", "", demangled.removeprefix("void "))
