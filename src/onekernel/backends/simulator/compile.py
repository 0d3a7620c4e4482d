"""g++ or clang++ turns a rewritten file into a shared object, kept under a name made of everything that went into it."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from onekernel.backends.base import BuildError, Finding, Unavailable
from onekernel.backends.simulator.rewrite import INCLUDE, Source
from onekernel.messages import Message

RUNTIME = INCLUDE.parent
_COMMON = ("-std=gnu++17", "-fPIC", "-g1", "-gdwarf-4")
_USER = ("-w", "-fno-strict-aliasing", "-fno-omit-frame-pointer", "-fmax-errors=20")
# Hooks: -fsanitize=thread puts a call before each access. Splitting a float4 load in four (SRA), duplicating code
# (-O2's jump threading) and sibling calls would make counts and lines differ from what the source says.
_HOOKS = {
    "g++": (
        "-O1", "-fsanitize=thread", "--param=tsan-instrument-func-entry-exit=0", "--param=tsan-distinguish-volatile=1",
        "-fno-tree-sra", "-fno-reorder-blocks", "-fno-optimize-sibling-calls", "-fsanitize=signed-integer-overflow",
    ),
    "clang++": (
        "-O1", "-fsanitize=thread", "-mllvm", "-tsan-instrument-func-entry-exit=0", "-mllvm",
        "-tsan-distinguish-volatile=1", "-mllvm", "-tsan-instrument-read-before-write=1", "-fno-optimize-sibling-calls",
        "-fsanitize=signed-integer-overflow",
    ),
}  # fmt: skip
_TIME_LIMIT = 120


@dataclass(frozen=True)
class Compiler:
    """A C++ compiler: `family` is g++ or clang++, `version` its own first line."""

    path: str
    family: str
    version: str


@cache
def compiler(wanted: str | None = None) -> Compiler:
    """The compiler to use: `wanted`, else ONEKERNEL_CXX, else g++, else clang++. Raises Unavailable without one."""
    wanted = wanted or os.environ.get("ONEKERNEL_CXX")
    names = (wanted,) if wanted else ("g++", "clang++", "g++-14", "g++-13", "g++-12", "g++-11", "clang++-19", "clang++-16")
    for name in names:
        path = shutil.which(name)
        if path is None:
            continue
        version = subprocess.run([path, "--version"], capture_output=True, text=True).stdout.partition("\n")[0]
        return Compiler(path, "clang++" if "clang" in version else "g++", version)
    raise Unavailable(Message("simulator.no-compiler", {"name": wanted or "g++"}))


def cache_folder() -> Path:
    """Where builds are kept: ONEKERNEL_CACHE, else ~/.cache/onekernel; a temporary folder if that cannot be written."""
    base = os.environ.get("ONEKERNEL_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "onekernel"
    )
    folder = Path(base) / "simulator"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    except OSError:
        pass
    folder = Path(tempfile.gettempdir()) / f"onekernel-{os.getuid()}" / "simulator"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def compile_source(source: Source, mode: str, with_compiler: Compiler) -> Path:
    """The shared object of `source` for `mode`; built if the cache does not have it. Raises BuildError."""
    flags = _flags(mode, with_compiler)
    parts = [source.text, *(f"{k}\0{v}" for k, v in sorted(source.included.items())), _runtime_hash()]
    key = _hash(*parts, with_compiler.version, *flags)
    folder = cache_folder()
    target = folder / f"{source.path.stem}-{key}.so"
    if target.is_file():
        return target
    runtime = _runtime_object(with_compiler, folder)
    shared = thread_local_library(with_compiler, folder)
    with _work_folder(folder) as work:
        main = Path(work) / "kernel.cpp"
        main.write_text(source.text, encoding="utf-8")
        for name, text in source.included.items():
            (Path(work) / name).write_text(text, encoding="utf-8")
        built, linked = Path(work) / "kernel.o", Path(work) / "kernel.so"
        prefix = _precompiled(with_compiler, folder, flags)
        done = _run([with_compiler.path, *flags, "-include", str(prefix), "-c", str(main), "-o", str(built)])
        if done.returncode:
            raise _build_error(source, done.stdout + done.stderr, work)
        # The runtime first: its own variables must be ready when the file's are initialised.
        done = _run([with_compiler.path, "-shared", "-Wl,-Bsymbolic", "-Wl,--no-undefined", "-Wl,-rpath,$ORIGIN",
                     str(runtime), str(built), str(shared), "-o", str(linked), "-lpthread", "-lm", "-lrt"])  # fmt: skip
        if done.returncode:
            raise _link_error(source, done.stdout + done.stderr)
        _install(linked, target)
    return target


def _flags(mode: str, with_compiler: Compiler) -> tuple[str, ...]:
    how = ("-O2",) if mode == "fast" else _HOOKS[with_compiler.family]
    headers = ("-I", str(INCLUDE))
    user = tuple("-ferror-limit=20" if with_compiler.family == "clang++" and f.startswith("-fmax") else f for f in _USER)
    return (*_COMMON, *user, *how, *headers)


def _runtime_object(with_compiler: Compiler, folder: Path) -> Path:
    """The runtime, compiled once per compiler and per version of its own source."""
    flags = (*_COMMON, "-O2", "-w", "-fvisibility=hidden", "-c")
    return _own(with_compiler, folder, "runtime", ".o", flags, RUNTIME / "runtime.cpp")


def _precompiled(with_compiler: Compiler, folder: Path, flags: tuple[str, ...]) -> Path:
    """A header to include first, as nvcc does with cuda_runtime.h. g++ reads it compiled, which takes a third of the time."""
    header = INCLUDE / "cuda_runtime.h"
    if with_compiler.family != "g++":
        return header
    name = f"cuda-{_hash(_runtime_hash(), with_compiler.version, *flags)}.h"
    target = folder / name
    compiled = folder / f"{name}.gch"
    if compiled.is_file() and target.is_file():
        return target
    with _work_folder(folder) as work:
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
    flags = (*_COMMON, "-O2", "-w", "-shared")
    return _own(with_compiler, folder, "libonekernel-threads", ".so", flags, RUNTIME / "thread_local.cpp")


def _own(with_compiler: Compiler, folder: Path, stem: str, suffix: str, flags: tuple[str, ...], source: Path) -> Path:
    target = folder / f"{stem}-{_hash(_runtime_hash(), with_compiler.version, *flags)}{suffix}"
    if target.is_file():
        return target
    named = (f"-Wl,-soname,{target.name}",) if suffix == ".so" else ()
    with _work_folder(folder) as work:
        built = Path(work) / target.name
        done = _run([with_compiler.path, *flags, *named, str(source), "-o", str(built)])
        if done.returncode:
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


def _disk_error(error: OSError) -> BuildError:
    message = Message("simulator.disk", {"why": error.strerror or str(error), "folder": str(cache_folder())})
    return BuildError([Finding("disk", message)])


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=_TIME_LIMIT,
                              stdin=subprocess.DEVNULL, env={**os.environ, "LC_ALL": "C"})  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise BuildError([Finding("compile-time", Message("simulator.compile-time", {"seconds": _TIME_LIMIT}))]) from error


def _hash(*parts: str) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode("utf-8", "surrogateescape") + b"\0")
    return digest.hexdigest()[:20]


@cache
def _runtime_hash() -> str:
    """Stands for everything of ours that goes into a build: the runtime, its headers, this recipe."""
    files = sorted(p for p in RUNTIME.rglob("*") if p.is_file())
    return _hash(Path(__file__).read_text(encoding="utf-8"), *(f"{p.relative_to(RUNTIME)}\0{p.read_text(encoding='utf-8')}" for p in files))


_ERROR = re.compile(r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):(?:\d+:)? (?:fatal )?error: (?P<what>.*)$", re.MULTILINE)
_CONTEXT = re.compile(r"^(?:In file included )?\s*from (?P<file>[^\s:][^:\n]*):(?P<line>\d+)|"
                      r"^(?P<file2>[^\s:][^:\n]*):(?P<line2>\d+):(?:\d+:)?\s+(?:required from|note: in instantiation)", re.MULTILINE)


def _build_error(source: Source, log: str, work: str) -> BuildError:
    """The compiler's first errors, each at a line of the learner's file."""
    mine = {str(path) for path in source.files}
    findings: list[Finding] = []
    seen = set()
    for match in _ERROR.finditer(log):
        where, line = match["file"], int(match["line"])
        if where not in mine:
            # An error inside a header: the last line of the learner's that led there.
            before = [m for m in _CONTEXT.finditer(log) if (m["file"] or m["file2"]) in mine]
            if not before:
                continue
            near = min(before, key=lambda m: abs(m.start() - match.start()))
            where, line = near["file"] or near["file2"], int(near["line"] or near["line2"])
        if (where, line) in seen:
            continue
        seen.add((where, line))
        what = re.sub(r"‘|’|\u2018|\u2019", "'", match["what"]).strip()
        findings.append(Finding("compile-error", Message("simulator.compile-error", {"line": line, "what": what[:200]}), where, line))
    if not findings:
        first = next((n for n in log.splitlines() if "error" in n), log.strip().partition("\n")[0])
        findings.append(Finding("compile-error", Message("simulator.compile-failed", {"what": first[:200].replace(work, "")}),
                                str(source.path)))
    return BuildError(findings[:5], log.replace(work + "/", ""))


def _link_error(source: Source, log: str) -> BuildError:
    missing = sorted(set(re.findall(r"undefined reference to [`']([^'`]+)'", log)))
    message = Message("simulator.undefined", {"names": ", ".join(missing[:3]) or log.strip()[:200]})
    return BuildError([Finding("undefined", message, str(source.path))], log)
