"""A rewritten file becomes a shared object, kept under a name made of everything that went into it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from onekernel.backends.base import BuildError, Finding
from onekernel.backends.cache import cache_folder, prune, used
from onekernel.messages import Message
from onekernel.simulator.arch import ARCHITECTURES
from onekernel.simulator.compilation import fences, sides, thrust, unhooked
from onekernel.simulator.compilation.called import SHOWS, library_uses
from onekernel.simulator.compilation.compiler import EXTENTS, Compiler, flags, linker
from onekernel.simulator.compilation.diagnostics import compile_error, link_error
from onekernel.simulator.compilation.imports import IMPORTS, written
from onekernel.simulator.compilation.parts import (
    ONE_OBJECT,
    WRAP,
    hash_of,
    install,
    precompiled,
    require_room,
    run_compiler,
    runtime_hash,
    runtime_objects,
    thread_local_library,
    work_folder,
)
from onekernel.simulator.compilation.warnings import warnings_in
from onekernel.simulator.machine_code.elf import symbols, undefined
from onekernel.simulator.paths import INCLUDE
from onekernel.simulator.ptx import translate
from onekernel.simulator.refusals.features import ANYWHERE
from onekernel.simulator.rewrite.source import POISON, UNREAD, Source

_MARKER = re.compile(r'# (\d+) "([^"]*)"')
# Headers of C++ that have no name in C: several of them stand on <string>.
_OF_CPP = re.compile(
    r"#\s*include\s*<(?!c(?:assert|ctype|errno|fenv|float|inttypes|limits|math|setjmp|signal|std\w+|string|time|wchar|wctype)>)"
    r"(?:[a-z_]+|thrust/[^>\n]+)>"
)
_PASTED = re.compile(r"##|\\[ \t]*\r?\n\w")  # also a word that goes on in the next line
# A class's own name for what has it outside, `using V = V<T>;`, which nvcc accepts.
_OWN_NAME = "changes meaning of"
_PERMITTED = re.compile(rf": error: .*?({_OWN_NAME}|\[-fpermissive\])")  # what -fpermissive turns into warnings
_OF_MEMORY = {"memcpy", "memmove", "memset"}
WARNINGS = ".warnings"  # beside a build: what the compiler said of it
# The table of addresses that the linker fills in is complete, and closed to writing, before any code of the file runs.
LINKED = ("-shared", "-Wl,-Bsymbolic", "-Wl,--no-undefined", "-Wl,-z,relro,-z,now")


# What a compiler says of a union that is copied and holds a type whose copies are spelled out; of such types that are
# given their members' values in one list with others', or by name.
_NOT_PLAIN = re.compile(
    r"deleted (?:function|copy)|implicitly[- ]deleted|too many initializers for|excess elements in struct"
    r"|designated initializers? cannot be used with a non-aggregate|bit_cast|trivially_copyable"
)


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
    parts = [source.text, *(f"{k}\0{v}" for k, v in sorted(source.included.items())), runtime_hash()]
    key = hash_of(*parts, with_compiler.version, *how, *LINKED, *linker(), *defines)
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
                             "-o", str(linked), "-lpthread", "-lm", "-lrt", "-ldl"])  # fmt: skip
        if done.returncode:
            require_room(done)
            raise link_error(source, done.stdout + done.stderr)
        keep_warnings(told, Path(work), target)
        if used_there:
            raise BuildError(used_there, told)
        names = Path(work) / "imports"
        names.write_text(written(asked), encoding="utf-8")
        install(names, target.with_suffix(IMPORTS))
        install(linked, target)
    prune(folder)
    return target


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
        _translate_ptx(source, main, [with_compiler.path, *how, *macros, *before], str(work))
    if any(_PASTED.search(text) for text in (source.text, *source.included.values())):
        _refuse_pasted_asm(source, main, [with_compiler.path, *how, *macros])
    command = [with_compiler.path, *how, *macros, "-include", str(prefix), "-c", str(main), "-o", str(built)]
    command += [unhooked.option(work)] if with_compiler.family == "g++" and not source.program else []
    done = run_compiler(command)
    if done.returncode and set(_PERMITTED.findall(done.stderr)) == {_OWN_NAME}:
        done = run_compiler(command := [*command, "-fpermissive"])
    if done.returncode:
        require_room(done)
        raise compile_error(source, done.stdout + done.stderr, str(work))
    if wrong := sides.findings_of(source, done.stderr):
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


def keep_warnings(told: str, work: Path, target: Path) -> None:
    kept = work / "warnings"
    told_of = (" warning: ", " note: in expansion of macro ")
    kept.write_text("\n".join(n for n in told.splitlines() if any(x in n for x in told_of)), encoding="utf-8")
    install(kept, target.with_suffix(WARNINGS))


def _translate_ptx(source: Source, main: Path, command: list[str], work: str) -> None:
    """Replaces the asm statements in `main` by C++. The preprocessor goes first: macros make statements and their text.

    What every file includes is left out of its output, but for its macros. Raises BuildError."""
    main.write_text(f'#include "ok/ptx.h"\n{source.text}', encoding="utf-8")
    done = run_compiler([*command, "-E", "-imacros", str(INCLUDE / "cuda_runtime.h"), str(main)])
    if done.returncode:
        require_room(done)
        raise compile_error(source, done.stdout + done.stderr, work)
    text, refused = translate(done.stdout.replace(POISON, "").replace(UNREAD, ""), ARCHITECTURES[source.arch])
    if refused:
        findings = {
            (r.file, r.line): Finding("unsupported", Message(f"ptx.{r.key}", r.values), r.file, r.line) for r in refused
        }
        raise BuildError(list(findings.values()))
    # Its macros are expanded; what system headers write between brackets of __attribute__ is not one of CUDA's.
    main.write_text(f"#undef __noinline__\n{text}", encoding="utf-8")


def _refuse_pasted_asm(source: Source, main: Path, command: list[str]) -> None:
    """Raises BuildError for an asm statement that macros paste together: written out it is PTX, and translated."""
    done = run_compiler([*command, "-E", "-imacros", str(INCLUDE / "cuda_runtime.h"), str(main)])
    mine, line = {str(p) for p in source.files}, 0
    file = ""
    for text in done.stdout.splitlines():
        if marker := _MARKER.match(text):
            line, file = int(marker[1]), marker[2]
            continue
        if file in mine and (found := ANYWHERE.search(text)) and (found[1] or not source.program):
            why = Message("simulator.unread", {"what": found[1] or found[2] or found[3]})
            raise BuildError([Finding("unread", why, file, line)])
        line += 1


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
