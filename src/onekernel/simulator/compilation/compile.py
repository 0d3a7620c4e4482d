"""A rewritten file becomes a shared object, and files with a main() of their own a program, each kept under a name made
of everything that went into it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from onekernel.backends.base import BuildError, Finding
from onekernel.backends.cache import cache_folder, prune, used
from onekernel.messages import Message
from onekernel.simulator.compilation import fences, thrust, unhooked
from onekernel.simulator.compilation.compiler import EXTENTS, Compiler, flags, linker
from onekernel.simulator.compilation.diagnostics import compile_error, link_error, uses_of_host
from onekernel.simulator.compilation.imports import IMPORTS, SHOWS, library_uses, written
from onekernel.simulator.compilation.parts import (
    CLOCKS,
    ONE_OBJECT,
    WRAP,
    hash_of,
    install,
    precompiled,
    require_room,
    run_compiler,
    runtime_hash,
    runtime_objects,
    start_object,
    thread_local_library,
    thread_local_object,
    work_folder,
)
from onekernel.simulator.compilation.preprocessor import refuse_pasted_asm, translate_asm
from onekernel.simulator.compilation.warnings import warnings_in
from onekernel.simulator.facts.symbols import CONSTANT, UNSET
from onekernel.simulator.machine_code.elf import Symbol, symbols, undefined, variables
from onekernel.simulator.paths import INCLUDE
from onekernel.simulator.read.arrays import declares_on_device
from onekernel.simulator.rewrite import Source

# Headers of C++ that have no name in C: several of them stand on <string>.
_OF_CPP = re.compile(
    r"#\s*include\s*<(?!c(?:assert|ctype|errno|fenv|float|inttypes|limits|math|setjmp|signal|std\w+|string|time|wchar|wctype)>)"
    r"(?:[a-z_]+|thrust/[^>\n]+)>"
)
# A class's own name for what has it outside, `using V = V<T>;`, which nvcc accepts.
_OWN_NAME = "changes meaning of"
_PERMITTED = re.compile(rf": error: .*?({_OWN_NAME}|\[-fpermissive\])")  # what -fpermissive turns into warnings
_OF_MEMORY = {"memcpy", "memmove", "memset"}
WARNINGS = ".warnings"  # beside a build: what the compiler said of it
_SYSTEM = ("-lpthread", "-lm", "-lrt", "-ldl")
# The table of addresses that the linker fills in is complete, and closed to writing, before any code of the file runs.
LINKED = ("-shared", "-Wl,-Bsymbolic", "-Wl,--no-undefined", "-Wl,-z,relro,-z,now")
# What a compiler says of a union that is copied and holds a type whose copies are spelled out; of such types that are
# given their members' values in one list with others', or by name.
_NOT_PLAIN = re.compile(
    r"deleted (?:function|copy)|implicitly[- ]deleted|too many initializers for|excess elements in struct"
    r"|designated initializers? cannot be used with a non-aggregate|bit_cast|trivially_copyable"
)
# Part of the runtime here, whichever way they would be linked.
_OURS = re.compile(r"(?:cuda|cudart|cudadevrt|culibos|cublas|cublasLt|curand|nvToolsExt)(?:_static|_device)?")
OF_PROGRAMS = ("-DOK_PROGRAM",)  # CUDA 12's forms, too
_NO_MAIN = re.compile(r"undefined reference to [`']main'")
_TWICE = re.compile(r"multiple definition of [`'](?P<name>[^'`]+)'")
# Of constant memory a card has 64 KB: ptxas refuses a file whose __constant__ variables need more.
_CARD = re.search(r"int constant_memory = (\d+) \* 1024;", (INCLUDE / "ok" / "card.h").read_text(encoding="utf-8"))
_CONSTANT_BYTES = int(_CARD[1]) * 1024 if _CARD else 0


def compile_source(
    source: Source, mode: str, with_compiler: Compiler, defines: Sequence[str] = ()
) -> tuple[Path, bool]:
    """The shared object of `source` for `mode`, and whether CUDA's vectors are copied whole in it.

    Built if the cache does not have it. Raises BuildError.
    """
    how = (*flags(mode, with_compiler, source.arch), *(EXTENTS[with_compiler.family] if mode != "fast" else ()))
    try:
        return _compile(source, with_compiler, how, defines), True
    except BuildError as error:
        if not _NOT_PLAIN.search(error.log):
            raise
        try:
            return _compile(source, with_compiler, (*how, "-DONEKERNEL_PLAIN_VECTORS"), defines), False
        except BuildError:
            raise error from None


def _compile(source: Source, with_compiler: Compiler, how: tuple[str, ...], defines: Sequence[str]) -> Path:
    key = hash_of(*_texts(source), runtime_hash(), with_compiler.version, *how, *LINKED, *linker(), *defines)
    folder = cache_folder("simulator")
    target = folder / f"{source.path.stem}-{key}.so"
    if used(target):
        return target
    # What is made once is made beside the file's own compilation.
    with work_folder(folder) as work, ThreadPoolExecutor(2) as others:
        runtime = others.submit(runtime_objects, with_compiler, folder, source.arch)
        shared = others.submit(thread_local_library, with_compiler, folder)
        built, linked = Path(work) / "kernel.o", Path(work) / "kernel.so"
        try:
            told = compile_object(source, with_compiler, how, defines, Path(work), built)
        except BuildError:
            shared.result()  # a compiler that fails at our own source, too, is the cause
            raise
        asked, used_there = undefined(built), library_uses(source, built)
        fenced = []
        if not source.program:
            if theirs := fences.stand_in(built, runtime.result()):
                raise BuildError([_machinery(source, name) for name in theirs], told)
            shown = [SHOWS] if source.show else []
            fenced = fences.put_up(built, runtime.result(), with_compiler, Path(work), open_to=shown)
        # The runtime first: its own variables must be ready when the file's are initialised.
        objects = [*runtime.result(), built, *fenced, shared.result()]
        done = run_compiler([with_compiler.path, *linker(), *LINKED, *WRAP, "-Wl,-rpath,$ORIGIN", *map(str, objects),
                             "-o", str(linked), *_SYSTEM])  # fmt: skip
        if done.returncode:
            require_room(done)
            raise link_error(source, done.stdout + done.stderr)
        _keep_warnings(told, Path(work), target)
        if used_there:
            raise BuildError(used_there, told)
        names = Path(work) / "imports"
        names.write_text(written(asked), encoding="utf-8")
        install(names, target.with_suffix(IMPORTS))
        install(linked, target)
    prune(folder)
    return target


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
    texts = [text for source in sources for text in (str(source.path), *_texts(source))]
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
        done = run_compiler([with_compiler.path, *linker(), *WRAP, *CLOCKS, *map(str, parts),
                             *(str(o) for o, _ in objects), "-o", str(linked), *others, *_SYSTEM])  # fmt: skip
        if done.returncode:
            require_room(done)
            raise _not_linked(first, done.stdout + done.stderr)
        _keep_warnings("\n".join(said for _, said in objects), Path(work), target)
        install(linked, target)
    prune(folder, suffix=".run")
    return target


def _not_linked(source: Source, log: str) -> BuildError:
    if _NO_MAIN.search(log):
        return BuildError([Finding("no-main", Message("run.no-main"), str(source.path))], log)
    if twice := _TWICE.search(log):
        return BuildError([Finding("twice", Message("run.twice", {"name": twice["name"]}), str(source.path))], log)
    return link_error(source, log)


def compile_object(
    source: Source, with_compiler: Compiler, how: tuple[str, ...], defines: Sequence[str], work: Path, built: Path,
    where: Sequence[str] = (),
) -> str:  # fmt: skip
    """Writes the rewritten files into the folder `work` and compiles them to `built`. What the compiler has said.

    `where`: options that name the folders of the file's own headers; all files share one precompiled header.
    """
    main = work / "kernel.cpp"
    main.write_text(source.text, encoding="utf-8")
    for name, text in source.included.items():
        (work / name).write_text(text, encoding="utf-8")
    strings = any(_OF_CPP.search(text) for text in (source.text, *source.included.values()))
    prefix = precompiled(with_compiler, cache_folder("simulator"), how, strings)
    how = (*(thrust.flags() if source.has_thrust else ()), *how, *where)
    macros = [f"-D{define}" for define in defines]
    if source.has_ptx:
        before = ["-imacros", "string"] if strings and with_compiler.family == "g++" else []
        translate_asm(source, main, [with_compiler.path, *how, *macros, *before], str(work))
    refuse_pasted_asm(source, main, [with_compiler.path, *how, *macros])
    command = [with_compiler.path, *how, *macros, "-include", str(prefix), "-c", str(main), "-o", str(built)]
    command += [unhooked.option(work)] if with_compiler.family == "g++" and not source.program else []
    done = run_compiler(command)
    if done.returncode and set(_PERMITTED.findall(done.stderr)) == {_OWN_NAME}:
        done = run_compiler(command := [*command, "-fpermissive"])
    if done.returncode:
        require_room(done)
        raise compile_error(source, done.stdout + done.stderr, str(work))
    if wrong := uses_of_host(source, done.stderr):
        raise BuildError(wrong, done.stderr)
    if moved := unhooked.findings(source, work, built):
        if run_compiler([*command, "-ffunction-sections"]).returncode == 0:
            _leave_out_unused(with_compiler, built)
            moved = unhooked.findings(source, work, built)
        if moved:
            raise BuildError(moved, done.stderr)
    if with_compiler.family == "clang++" and "-fsanitize=thread" in how:
        _watch_copies(with_compiler, built)
    fences.leave_gaps(built, source.variables)
    return done.stderr


def _leave_out_unused(with_compiler: Compiler, built: Path) -> None:
    """Takes the functions out of `built` that no launcher comes to: what a kernel calls is a part of it, but another
    copy of its own stays, for other files, and in that a struct goes from memory to the next function. What has a name
    of the simulator's stays, to be refused by it."""
    functions = [s.name for s in symbols(built) if s.is_function]
    kept = [name for name in functions if not name.startswith("_Z") or name.startswith("_ZN4__ok")]
    smaller, roots = built.with_suffix(".used"), [f"-Wl,-u,{name}" for name in kept]
    command = [with_compiler.path, *ONE_OBJECT, "-Wl,--gc-sections", *roots, str(built), "-o", str(smaller)]
    if run_compiler(command).returncode == 0:
        smaller.replace(built)


def _machinery(source: Source, name: str) -> Finding:
    """That a file defines what is the simulator's own, under a name that its text may not show."""
    return Finding("machinery", Message("simulator.machinery", {"what": name}), str(source.path))


def _watch_copies(with_compiler: Compiler, built: Path) -> None:
    """Has copies and fills of whole structs watched: clang before 16 calls the C library's for them, and no hook."""
    if called := _OF_MEMORY & undefined(built).keys():
        objcopy = run_compiler([with_compiler.path, "-print-prog-name=objcopy"]).stdout.strip()
        run_compiler([objcopy, *(f"--redefine-sym={name}=ok_{name}" for name in sorted(called)), str(built)])


def require_fit(sources: Iterable[Source], symbols: Iterable[Symbol]) -> None:
    """Raises BuildError where the constants of one source do not fit: at the largest one."""
    symbols = list(symbols)
    for source in sources:
        names = [name for name, kind in source.variables.items() if kind in (UNSET, CONSTANT)]
        if not (found := variables(symbols, names)):
            continue
        total, (name, largest) = sum(s.size for _, s in found), max(found, key=lambda one: one[1].size)
        if total > _CONSTANT_BYTES:
            places = ((str(file), declares_on_device(str(file), name)) for file in source.files)
            file, line = next((place for place in places if place[1]), (str(source.path), None))
            values = {"name": name, "own": largest.size, "bytes": total, "most": _CONSTANT_BYTES}
            raise BuildError([Finding("constant-memory", Message("simulator.constant-memory", values), file, line)])


def _texts(source: Source) -> list[str]:
    return [source.text, *(f"{name}\0{text}" for name, text in sorted(source.included.items()))]


def _keep_warnings(told: str, work: Path, target: Path) -> None:
    kept = work / "warnings"
    told_of = (" warning: ", " note: in expansion of macro ")
    kept.write_text("\n".join(n for n in told.splitlines() if any(x in n for x in told_of)), encoding="utf-8")
    install(kept, target.with_suffix(WARNINGS))


def warnings_of(source: Source, library: Path) -> tuple[Finding, ...]:
    """What was only warned of when `library` was built; of the compiler's, nothing where nobody kept it."""
    try:
        said = warnings_in(warnings_kept(library), {str(p): _text(p) for p in source.files}, source.program)
    except OSError:
        said = ()
    return (*source.warnings, *said)


def warnings_kept(library: Path) -> str:
    """The compiler's own words; "" where nobody kept them."""
    kept = library.with_suffix(WARNINGS)
    return kept.read_text(encoding="utf-8") if kept.is_file() else ""


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8-sig", errors="replace")


