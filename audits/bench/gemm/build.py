"""Many `.cu` files to shared libraries at once, for the card at hand, each built once for its content.

The course's own way of building goes through torch, a file after the other; a bench of twenty files would take longer
to build than to measure. For compute capability 9.0 the target is sm_90a, without which there is no wgmma.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import subprocess
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from onekernel.backends.cache import cache_folder, prune, used
from onekernel.backends.processors import processors
from onekernel.cuda import nvcc
from onekernel.cuda.toolchain import target

FLAGS = ("-std=c++17", "-lineinfo", "--split-compile=0", "-shared", "-Xcompiler", "-fPIC")
_COMMENT = re.compile(r"//[^\n]*")  # no string of these files holds two slashes

Launcher = Callable[..., int]


@dataclass(frozen=True)
class Source:
    """A file and the architecture that it is built for, "90a"."""

    path: Path
    arch: str


class BuildFailed(RuntimeError):
    """nvcc refused a file; its words."""


def arch_of(capability: str) -> str:
    """What the course builds for on a compute capability: "9.0" -> "90a"."""
    major, minor = map(int, capability.split("."))
    return target((major, minor))


def code_hash(path: Path) -> str:
    """What a kernel is known by in the result file: the first twelve digits of the hash of its code. Comments and blank
    lines do not count: what is said of a kernel may change after it was measured."""
    code = _COMMENT.sub("", path.read_text(encoding="utf-8"))
    lines = (line.rstrip() for line in code.splitlines())
    return hashlib.sha256("\n".join(filter(None, lines)).encode()).hexdigest()[:12]


def libraries(sources: Iterable[Source]) -> dict[Source, ctypes.CDLL | BuildFailed]:
    """Every source as a loaded library, or what nvcc said; as many builds at once as there are processors."""
    found = nvcc.find()
    if found is None:
        raise BuildFailed("no nvcc")
    wanted = list(sources)
    folder = cache_folder("gemm")
    with ThreadPoolExecutor(processors()) as pool:
        built = list(pool.map(lambda source: _built(source, found, folder), wanted))
    prune(folder)
    return {s: b if isinstance(b, BuildFailed) else ctypes.CDLL(str(b)) for s, b in zip(wanted, built, strict=True)}


def launcher(library: ctypes.CDLL, name: str) -> Launcher:
    """A GEMM's launcher: three addresses, seven sizes and strides, the choice, alpha, beta, the stream."""
    function = getattr(library, name)
    function.restype = ctypes.c_int
    whole, real, address = ctypes.c_int64, ctypes.c_float, ctypes.c_void_p
    function.argtypes = [address] * 3 + [whole] * 7 + [real] * 2 + [address]
    found: Launcher = function
    return found


def _built(source: Source, compiler: nvcc.Nvcc, folder: Path) -> Path | BuildFailed:
    text = source.path.read_bytes()
    key = hashlib.sha256("\0".join([compiler.version, source.arch, *FLAGS]).encode() + text).hexdigest()[:16]
    kept = folder / f"{source.path.stem}_{key}.so"
    if used(kept):
        return kept
    target = f"-gencode=arch=compute_{source.arch},code=sm_{source.arch}"
    part = kept.with_suffix(f".{os.getpid()}.part")
    command = [str(compiler.path), *FLAGS, target, "-o", str(part), str(source.path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return BuildFailed((done.stderr or done.stdout).strip()[:400])
    os.replace(part, kept)
    return kept
