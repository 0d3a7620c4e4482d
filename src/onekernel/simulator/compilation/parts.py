"""What builds are made with: the compiler under its limits, the folders, and what is made once for many builds."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import signal
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from onekernel.backends.base import BuildError, Finding
from onekernel.backends.cache import BUILT_BYTES, alone, cache_folder, used
from onekernel.messages import Message
from onekernel.simulator.compilation.compiler import COMMON, NOT_UNIQUE, Compiler, card, compilers
from onekernel.simulator.paths import INCLUDE, RUNTIME

_CPU_SECONDS = 120  # of one compiler; a busy machine may take its time over them
_WRAPPED = ("malloc", "calloc", "realloc", "free", "_Znwm", "_Znam", "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm",
            "clock", "modf", "modff", "frexp", "frexpf", "remquo", "remquof", "sincos", "sincosf", "nan",
            "nanf")  # fmt: skip
_WATCHED = ("gettimeofday", "clock_gettime", "timespec_get", "_ZNSt6chrono3_V212steady_clock3nowEv",
            "_ZNSt6chrono3_V212system_clock3nowEv")  # fmt: skip
CLOCKS = tuple(f"-Wl,--wrap={name}" for name in _WATCHED)
"""What the linker of a program is told, so that the readings of the host's clocks are known: executable.cpp."""
WRAP = tuple(f"-Wl,--wrap={name}" for name in _WRAPPED)
"""What the linker is told, so that malloc, new and clock in a kernel are the device's, the sizes of the host's blocks
are known, and results and texts behind pointers are watched: memory/device_malloc.cpp, machine/clock.cpp and
hooks_of_libraries.cpp of the runtime."""
ONE_OBJECT = ("-fuse-ld=bfd", "-r", "-nostdlib", "-Wl,--force-group-allocation")
_OF_CPP = ("_ZS*", "_ZNS*", "_ZNKS*", "_ZZS*", "_ZZNS*", "_ZZNKS*", "_ZZZNS*", "_ZN9__gnu_cxx*", "_ZNK9__gnu_cxx*")
_APART = ("--wildcard", *(f"--localize-symbol={name}" for name in _OF_CPP))
UNITS: dict[str, tuple[str, ...]] = {"each_access": (), "each_number": ("-O3",), "each_call": ("-Og",)}
"""The runtime's translation units, with flags of their own: loops over lanes are for vector registers, what runs once a
launch may be slow."""
_LANES = {"g++": ("-fno-unswitch-loops", "-fno-peel-loops", "-fno-split-loops"), "clang++": ()}
"""Loops over lanes are of 32 turns: copies of them for other numbers, which clang++ makes in its own way, only take
time to compile."""
UNIT_OF_CARD = "each_card"
"""The one that knows the card's limits; the others are the same for every card."""
_NO_MEMORY = re.compile(r"^(?:virtual memory exhausted|\S+: out of memory allocating|LLVM ERROR: out of memory)", re.M)
_TOO_LARGE = ("File size limit exceeded", os.strerror(errno.EFBIG))
_NO_HEADER = re.compile(r"fatal error: '?([\w/.]+)'?(?: file not found|: No such file or directory)")
_GCC_TAKEN = re.compile(r"^Selected GCC installation: \S*/(\d+)", re.MULTILINE)
_CLOCK_SECONDS = 1200  # for a compiler that only waits


def runtime_objects(with_compiler: Compiler, folder: Path, arch: str) -> list[Path]:
    """The runtime, compiled once per compiler and version of its own source, and what of it knows the card."""
    # Without debug information, which is for the lines of the learner's file. What a hook puts together for a moment
    # does not belong in vector registers.
    own = (*NOT_UNIQUE[with_compiler.family], "-fvisibility=hidden")
    flags = (*COMMON, *own, "-g0", "-O2", "-fno-tree-slp-vectorize", *_LANES[with_compiler.family], "-w", "-c")
    sources = [RUNTIME / f"{name}.cpp" for name in UNITS]
    of_card = (*flags, "-O1", *card(arch))
    with ThreadPoolExecutor(2) as both:
        runtime = both.submit(_own, with_compiler, folder, "runtime", ".o", flags, *sources)
        limits = both.submit(
            _own, with_compiler, folder, f"runtime-{arch}", ".o", of_card, RUNTIME / f"{UNIT_OF_CARD}.cpp"
        )
        return [runtime.result(), limits.result()]


def thread_local_object(with_compiler: Compiler, folder: Path) -> Path:
    """What that library holds, for a process of which one program is all there is."""
    flags = (*COMMON, "-O2", "-w", "-c")
    return _own(with_compiler, folder, "threads", ".o", flags, RUNTIME / "machine" / "thread_local.cpp")


def start_object(with_compiler: Compiler, folder: Path) -> Path:
    """What starts the runtime in a program with a main() of its own."""
    return _own(with_compiler, folder, "start", ".o", (*COMMON, "-O2", "-w", "-c"), RUNTIME / "executable.cpp")


def precompiled(with_compiler: Compiler, folder: Path, flags: tuple[str, ...], strings: bool) -> Path:
    """The header to include first, as nvcc does. g++ reads it compiled, which takes a third of the time.

    `strings`: with <string>, on which other headers of C++ stand. It costs what a small kernel does, and few need it.
    """
    header = INCLUDE / "cuda_runtime.h"
    if with_compiler.family != "g++":
        return header
    text = ("#include <string>\n" if strings else "") + f'#include "{header}"\n'
    name = f"cuda-{hash_of(text, runtime_hash(), with_compiler.version, *flags)}.h"
    target = folder / name
    compiled = folder / f"{name}.gch"
    if compiled.is_file() and target.is_file():
        return target
    with alone(compiled), work_folder(folder) as work:
        if compiled.is_file() and target.is_file():
            return target
        stub, built = Path(work) / name, Path(work) / f"{name}.gch"
        stub.write_text(text, encoding="utf-8")
        done = run_compiler([with_compiler.path, *flags, "-x", "c++-header", str(stub), "-o", str(built)])
        if done.returncode:
            return header
        install(stub, target)
        install(built, compiled)
    return target


def thread_local_library(with_compiler: Compiler, folder: Path) -> Path:
    """The little library that all programs of a process share; to be loaded before them."""
    flags = (*COMMON, "-O2", "-w", "-shared")
    return _own(with_compiler, folder, "libonekernel-threads", ".so", flags, RUNTIME / "machine" / "thread_local.cpp")


def _own(with_compiler: Compiler, folder: Path, stem: str, suffix: str, flags: tuple[str, ...], *sources: Path) -> Path:
    """What `sources` make, all at once, so that no core is left to one of them at the end, and then one object."""
    target = folder / f"{stem}-{hash_of(runtime_hash(), with_compiler.version, *flags)}{suffix}"
    if used(target):
        return target
    named = (f"-Wl,-soname,{target.name}",) if suffix == ".so" else ()
    with alone(target), work_folder(folder) as work, ThreadPoolExecutor(len(sources)) as pool:
        if used(target):
            return target
        parts = [Path(work) / f"{source.stem}{suffix}" for source in sources]
        compiled = pool.map(lambda source, part: run_compiler(
            [with_compiler.path, *flags, *UNITS.get(source.stem, ()), *named, str(source), "-o", str(part)]
        ), sources, parts)  # fmt: skip
        done = next((d for d in compiled if d.returncode), None)
        built = parts[0]
        if done is None and suffix == ".o":
            built = Path(work) / target.name
            done = _join(with_compiler, parts, built)
        if done is not None:
            require_room(done)
            said = done.stdout + done.stderr
            raise BuildError([Finding("runtime-build", _no_runtime(with_compiler, said))], said)
        install(built, target)
    return target


def _no_runtime(with_compiler: Compiler, said: str) -> Message:
    """Why this compiler cannot compile the runtime, and what can be done here."""
    values = {"compiler": f"{with_compiler.version} ({with_compiler.path})"}
    if header := _NO_HEADER.search(said):
        # clang++ takes the C++ library of the newest gcc that has a folder, be there headers in it or not.
        gcc = _GCC_TAKEN.search(run_compiler([with_compiler.path, "-v"]).stderr)
        package = f"libstdc++-{gcc[1]}-dev" if gcc else "g++"
        return Message("simulator.runtime-headers", {**values, "header": header[1], "package": package})
    why = next((line for line in said.splitlines() if "error" in line), said.strip()[-200:])
    other = next((c.path for c in compilers() if c.version != with_compiler.version), None)
    fix = Message("simulator.runtime-other", {"path": other}) if other else Message("simulator.runtime-install")
    return Message("simulator.runtime-build", {**values, "why": why, "fix": fix})


def _join(with_compiler: Compiler, parts: list[Path], built: Path) -> subprocess.CompletedProcess[str] | None:
    """One object of `parts`, whose instances of the C++ library's templates are its own: a kernel that calls one of
    the same name would otherwise get the runtime's, where no access is watched. What failed, if anything did."""
    whole = built.with_suffix(".whole")
    joined = run_compiler([with_compiler.path, *ONE_OBJECT, *map(str, parts), "-o", str(whole)])
    if joined.returncode:
        return joined
    objcopy = run_compiler([with_compiler.path, "-print-prog-name=objcopy"]).stdout.strip()
    apart = run_compiler([objcopy, *_APART, str(whole), str(built)])
    return apart if apart.returncode else None


def work_folder(folder: Path) -> tempfile.TemporaryDirectory[str]:
    try:
        return tempfile.TemporaryDirectory(dir=folder, prefix="build-")
    except OSError as error:
        raise _disk_error(error) from error


def install(built: Path, target: Path) -> None:
    try:
        os.replace(built, target)
    except OSError as error:
        raise _disk_error(error) from error


def require_room(done: subprocess.CompletedProcess[str]) -> None:
    """Raises BuildError where it was a full disk that stopped the compiler or the linker."""
    full = os.strerror(errno.ENOSPC)
    if full in done.stdout + done.stderr:
        raise _disk_error(OSError(errno.ENOSPC, full))


def _disk_error(error: OSError) -> BuildError:
    message = Message("simulator.disk", {"why": error.strerror or str(error), "folder": str(cache_folder("simulator"))})
    return BuildError([Finding("disk", message)])


def run_compiler(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Runs a compiler, within limits whoever asks: what one builds, another finds in the cache. Raises BuildError
    where it takes too long, writes too much or may not have the memory that it needs."""
    limits = f"ulimit -S -t {_CPU_SECONDS} 2>/dev/null; ulimit -S -f {BUILT_BYTES // 512} 2>/dev/null"
    limited = ["/bin/sh", "-c", f'{limits}; exec "$@"', "sh", *command]
    try:
        done = subprocess.run(limited, capture_output=True, text=True, errors="replace", timeout=_CLOCK_SECONDS,
                              stdin=subprocess.DEVNULL, env={**os.environ, "LC_ALL": "C"})  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise _too_long(_CLOCK_SECONDS) from error
    # g++ tells of the signal that ended its compiler; clang is ended by it.
    if done.returncode == -signal.SIGXCPU or "CPU time limit exceeded" in done.stderr:
        raise _too_long(_CPU_SECONDS)
    if done.returncode == -signal.SIGXFSZ or any(words in done.stderr for words in _TOO_LARGE):
        message = Message("simulator.built-size", {"mebibytes": BUILT_BYTES >> 20})
        raise BuildError([Finding("built-size", message)], done.stderr)
    if done.returncode and _NO_MEMORY.search(done.stderr):
        raise BuildError([Finding("compile-memory", Message("simulator.compile-memory"))], done.stderr)
    return done


def _too_long(seconds: int) -> BuildError:
    return BuildError([Finding("compile-time", Message("simulator.compile-time", {"seconds": seconds}))])


def hash_of(*parts: str) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode("utf-8", "surrogateescape") + b"\0")
    return digest.hexdigest()[:20]


@cache
def runtime_hash() -> str:
    """Stands for everything of ours that goes into a build: the runtime, its headers, this recipe, PTX translated."""
    files = sorted(p for p in RUNTIME.rglob("*") if p.is_file())
    names = ("compile.py", "fences.py", "parts.py", "preprocessor.py", "unhooked.py")
    here = Path(__file__).parent
    parts = (*(here / name for name in names), *sorted((here.parent / "ptx").glob("*.py")))
    recipes = (part.read_text(encoding="utf-8") for part in parts)
    texts = (f"{p.relative_to(RUNTIME)}\0{p.read_text(encoding='utf-8')}" for p in files)
    return hash_of(*recipes, *texts)
