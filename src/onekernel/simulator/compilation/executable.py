"""Rewritten files with a main() of their own become a program, kept under a name of all that went into it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from onekernel.backends.base import BuildError, Finding
from onekernel.backends.cache import cache_folder, prune, used
from onekernel.messages import Message
from onekernel.simulator.compilation import thrust
from onekernel.simulator.compilation.compile import compile_object, keep_warnings
from onekernel.simulator.compilation.compiler import EXTENTS, Compiler, flags, linker
from onekernel.simulator.compilation.diagnostics import link_error
from onekernel.simulator.compilation.parts import (
    CLOCKS,
    WRAP,
    hash_of,
    install,
    require_room,
    run_compiler,
    runtime_hash,
    runtime_objects,
    start_object,
    thread_local_object,
    work_folder,
)
from onekernel.simulator.rewrite.source import Source

# Part of the runtime here, whichever way they would be linked.
_OURS = re.compile(r"(?:cuda|cudart|cudadevrt|culibos|cublas|cublasLt|curand|nvToolsExt)(?:_static|_device)?")
OF_PROGRAMS = ("-DOK_PROGRAM",)  # CUDA 12's forms, too
_NO_MAIN = re.compile(r"undefined reference to [`']main'")
_TWICE = re.compile(r"multiple definition of [`'](?P<name>[^'`]+)'")


def compile_program(
    sources: Sequence[Source],
    mode: str,
    with_compiler: Compiler,
    defines: Sequence[str] = (),
    standard: str = "",
    libraries: Sequence[str] = (),
) -> Path:
    """The program of `sources`, built if the cache does not have it. `standard`: "c++20"; `libraries`: as of -l.

    Raises BuildError.
    """
    first = sources[0]
    how = (*flags(mode, with_compiler, first.arch), *OF_PROGRAMS)
    how += EXTENTS[with_compiler.family] if mode == "check" else ()
    how += (f"-std=gnu++{max(17, int(standard[-2:]))}",) if standard else ()
    folders = tuple(part for folder in first.folders for part in ("-I", str(folder)))
    texts = [t for s in sources for t in (str(s.path), s.text, *(f"{k}\0{v}" for k, v in sorted(s.included.items())))]
    if any(source.has_thrust for source in sources):
        texts += thrust.flags()
    key = hash_of(*texts, runtime_hash(), with_compiler.version, *how, *folders, *defines, *libraries)
    folder = cache_folder("simulator")
    target = folder / f"{first.path.stem}-{key}.run"
    if used(target):
        return target
    with work_folder(folder) as work, ThreadPoolExecutor(2) as pool:
        runtime = pool.submit(runtime_objects, with_compiler, folder, first.arch)

        def built(number: int, source: Source) -> tuple[Path, str]:
            own = Path(work) / str(number)
            own.mkdir()
            where = (*folders, "-iquote", str(source.path.parent))
            return own / "kernel.o", compile_object(source, with_compiler, how, defines, own, own / "kernel.o", where)

        objects = list(pool.map(built, range(len(sources)), sources))
        linked = Path(work) / "program"
        # The runtime first: its own variables must be ready when the files' are initialised.
        parts = [*runtime.result(), thread_local_object(with_compiler, folder), start_object(with_compiler, folder)]
        others = [f"-l{name}" for name in libraries if not _OURS.fullmatch(name)]
        linking = [*others, "-lpthread", "-lm", "-lrt", "-ldl"]
        done = run_compiler([with_compiler.path, *linker(), *WRAP, *CLOCKS, *map(str, parts),
                             *(str(o) for o, _ in objects), "-o", str(linked), *linking])  # fmt: skip
        if done.returncode:
            require_room(done)
            raise _not_linked(first, done.stdout + done.stderr)
        keep_warnings("\n".join(said for _, said in objects), Path(work), target)
        install(linked, target)
    prune(folder, suffix=".run")
    return target


def _not_linked(source: Source, log: str) -> BuildError:
    if _NO_MAIN.search(log):
        return BuildError([Finding("no-main", Message("run.no-main"), str(source.path))], log)
    if twice := _TWICE.search(log):
        return BuildError([Finding("twice", Message("run.twice", {"name": twice["name"]}), str(source.path))], log)
    return link_error(source, log)
