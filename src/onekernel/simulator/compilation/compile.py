"""A rewritten file becomes a shared object, kept under a name made of everything that went into it."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from onekernel.backends.base import BuildError, Finding
from onekernel.backends.cache import alone, cache_folder, prune, used
from onekernel.messages import Message
from onekernel.simulator.compilation import misplaced
from onekernel.simulator.compilation.compiler import COMMON, Compiler, card, flags
from onekernel.simulator.compilation.diagnostics import compile_error, link_error
from onekernel.simulator.compilation.warnings import warnings_in
from onekernel.simulator.paths import INCLUDE, RUNTIME
from onekernel.simulator.rewrite.source import Source

_CPU_SECONDS = 120  # of one compiler; a busy machine may take its time over them
WARNINGS = ".warnings"  # beside a build: what the compiler said of it
_CLOCK_SECONDS = 1200  # for a compiler that only waits


# What a compiler says of a union that is copied and holds a type whose copies are spelled out.
_NOT_COPIED = re.compile(r"deleted (?:function|copy)|implicitly[- ]deleted")


def compile_source(
    source: Source, mode: str, with_compiler: Compiler, defines: Sequence[str] = ()
) -> tuple[Path, bool]:
    """The shared object of `source` for `mode`, and whether CUDA's vectors are copied whole in it.

    Built if the cache does not have it. Raises BuildError.
    """
    how = flags(mode, with_compiler, source.arch)
    try:
        return _compile(source, with_compiler, how, defines), True
    except BuildError as error:
        if not _NOT_COPIED.search(error.log):
            raise
        try:
            return _compile(source, with_compiler, (*how, "-DONEKERNEL_PLAIN_VECTORS"), defines), False
        except BuildError:
            raise error from None


def _compile(source: Source, with_compiler: Compiler, how: tuple[str, ...], defines: Sequence[str]) -> Path:
    parts = [source.text, *(f"{k}\0{v}" for k, v in sorted(source.included.items())), _runtime_hash()]
    key = _hash(*parts, with_compiler.version, *how, *defines)
    folder = cache_folder("simulator")
    target = folder / f"{source.path.stem}-{key}.so"
    if used(target):
        return target
    # What is made once is made beside the file's own compilation.
    with _work_folder(folder) as work, ThreadPoolExecutor(2) as others:
        runtime = others.submit(_runtime_object, with_compiler, folder, source.arch)
        shared = others.submit(thread_local_library, with_compiler, folder)
        main = Path(work) / "kernel.cpp"
        main.write_text(source.text, encoding="utf-8")
        for name, text in source.included.items():
            (Path(work) / name).write_text(text, encoding="utf-8")
        built, linked = Path(work) / "kernel.o", Path(work) / "kernel.so"
        prefix = _precompiled(with_compiler, folder, how)
        macros = [f"-D{define}" for define in defines]
        done = _run([with_compiler.path, *how, *macros, "-include", str(prefix), "-c", str(main), "-o", str(built)])
        if done.returncode:
            _require_room(done)
            shared.result()  # a compiler that fails at our own source, too, is the cause
            raise compile_error(source, done.stdout + done.stderr, work)
        if wrong := misplaced.findings_of(source, done.stderr):
            raise BuildError(wrong, done.stderr)
        done_compiling = done.stderr
        # The runtime first: its own variables must be ready when the file's are initialised.
        done = _run([with_compiler.path, "-shared", "-Wl,-Bsymbolic", "-Wl,--no-undefined", "-Wl,-rpath,$ORIGIN",
                     str(runtime.result()), str(built), str(shared.result()), "-o", str(linked),
                     "-lpthread", "-lm", "-lrt"])  # fmt: skip
        if done.returncode:
            _require_room(done)
            raise link_error(source, done.stdout + done.stderr)
        kept = Path(work) / "warnings"
        kept.write_text("\n".join(n for n in done_compiling.splitlines() if " warning: " in n), encoding="utf-8")
        _install(kept, target.with_suffix(WARNINGS))
        _install(linked, target)
    prune(folder)
    return target


def warnings_of(source: Source, library: Path) -> tuple[Finding, ...]:
    """What the compiler only warned of when it built `library`; nothing where nobody kept it."""
    try:
        log = library.with_suffix(WARNINGS).read_text(encoding="utf-8")
        return warnings_in(log, {str(p): _text(p) for p in source.files})
    except OSError:
        return ()


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8-sig", errors="replace")


def _runtime_object(with_compiler: Compiler, folder: Path, arch: str) -> Path:
    """The runtime, compiled once per compiler, card and version of its own source."""
    # Without debug information, which is for the lines of the learner's file.
    flags = (*COMMON, *card(arch), "-g0", "-O3", "-w", "-fvisibility=hidden", "-c")
    return _own(with_compiler, folder, "runtime", ".o", flags, RUNTIME / "runtime.cpp")


def _precompiled(with_compiler: Compiler, folder: Path, flags: tuple[str, ...]) -> Path:
    """The header to include first, as nvcc does. g++ reads it compiled, which takes a third of the time."""
    header = INCLUDE / "cuda_runtime.h"
    if with_compiler.family != "g++":
        return header
    name = f"cuda-{_hash(_runtime_hash(), with_compiler.version, *flags)}.h"
    target = folder / name
    compiled = folder / f"{name}.gch"
    if compiled.is_file() and target.is_file():
        return target
    with alone(compiled), _work_folder(folder) as work:
        if compiled.is_file() and target.is_file():
            return target
        stub, built = Path(work) / name, Path(work) / f"{name}.gch"
        stub.write_text(f'#include "{header}"\n', encoding="utf-8")
        done = _run([with_compiler.path, *flags, "-x", "c++-header", str(stub), "-o", str(built)])
        if done.returncode:
            return header
        _install(stub, target)
        _install(built, compiled)
    return target


def thread_local_library(with_compiler: Compiler, folder: Path) -> Path:
    """The little library that all programs of a process share; to be loaded before them."""
    flags = (*COMMON, "-O2", "-w", "-shared")
    return _own(with_compiler, folder, "libonekernel-threads", ".so", flags, RUNTIME / "machine" / "thread_local.cpp")


def _own(with_compiler: Compiler, folder: Path, stem: str, suffix: str, flags: tuple[str, ...], source: Path) -> Path:
    target = folder / f"{stem}-{_hash(_runtime_hash(), with_compiler.version, *flags)}{suffix}"
    if used(target):
        return target
    named = (f"-Wl,-soname,{target.name}",) if suffix == ".so" else ()
    with alone(target), _work_folder(folder) as work:
        if used(target):
            return target
        built = Path(work) / target.name
        done = _run([with_compiler.path, *flags, *named, str(source), "-o", str(built)])
        if done.returncode:
            _require_room(done)
            message = Message("simulator.runtime-build", {"compiler": with_compiler.version})
            raise BuildError([Finding("runtime-build", message)], done.stdout + done.stderr)
        _install(built, target)
    return target


def _work_folder(folder: Path) -> tempfile.TemporaryDirectory[str]:
    try:
        return tempfile.TemporaryDirectory(dir=folder, prefix="build-")
    except OSError as error:
        raise _disk_error(error) from error


def _install(built: Path, target: Path) -> None:
    try:
        os.replace(built, target)
    except OSError as error:
        raise _disk_error(error) from error


def _require_room(done: subprocess.CompletedProcess[str]) -> None:
    """Raises BuildError where it was a full disk that stopped the compiler or the linker."""
    full = os.strerror(errno.ENOSPC)
    if full in done.stdout + done.stderr:
        raise _disk_error(OSError(errno.ENOSPC, full))


def _disk_error(error: OSError) -> BuildError:
    message = Message("simulator.disk", {"why": error.strerror or str(error), "folder": str(cache_folder("simulator"))})
    return BuildError([Finding("disk", message)])


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    limited = ["/bin/sh", "-c", f'ulimit -S -t {_CPU_SECONDS} 2>/dev/null; exec "$@"', "sh", *command]
    try:
        done = subprocess.run(limited, capture_output=True, text=True, errors="replace", timeout=_CLOCK_SECONDS,
                              stdin=subprocess.DEVNULL, env={**os.environ, "LC_ALL": "C"})  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise _too_long(_CLOCK_SECONDS) from error
    # g++ tells of the signal that ended its compiler; clang is ended by it.
    if done.returncode == -signal.SIGXCPU or "CPU time limit exceeded" in done.stderr:
        raise _too_long(_CPU_SECONDS)
    return done


def _too_long(seconds: int) -> BuildError:
    return BuildError([Finding("compile-time", Message("simulator.compile-time", {"seconds": seconds}))])


def _hash(*parts: str) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode("utf-8", "surrogateescape") + b"\0")
    return digest.hexdigest()[:20]


@cache
def _runtime_hash() -> str:
    """Stands for everything of ours that goes into a build: the runtime, its headers, this recipe."""
    files = sorted(p for p in RUNTIME.rglob("*") if p.is_file())
    texts = (f"{p.relative_to(RUNTIME)}\0{p.read_text(encoding='utf-8')}" for p in files)
    return _hash(Path(__file__).read_text(encoding="utf-8"), *texts)
