"""A program on the simulator: built of its files, run in a process of its own, read when that has ended."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from onekernel.backends.base import Finding
from onekernel.counts import KernelCounts
from onekernel.messages import Message
from onekernel.programs import process
from onekernel.simulator.arch import architecture
from onekernel.simulator.compilation.compile import compile_program, require_fit, warnings_kept, warnings_of
from onekernel.simulator.compilation.compiler import compiler
from onekernel.simulator.compilation.preprocessor import seen_lines
from onekernel.simulator.compilation.warnings import discarded_in
from onekernel.simulator.doubts import doubts_in
from onekernel.simulator.facts.symbols import KINDS, UNSET
from onekernel.simulator.machine_code.elf import shared_sites, symbols, variables
from onekernel.simulator.machine_code.load import Codes, joined, load, packed
from onekernel.simulator.program import BY_CODE, COUNTING, HALVES, MODES, TRACE
from onekernel.simulator.read.findings import findings_of, odd_trees
from onekernel.simulator.read.lines import Lines
from onekernel.simulator.read.traffic import kernels_of
from onekernel.simulator.rewrite import Source, rewrite

LIMIT = 60.0
"""Processor seconds of one run, unless another limit is asked for."""


@dataclass(frozen=True)
class Run:
    """What a program did: its exit status as a shell gives it, what was found, what each launch counted."""

    files: tuple[Path, ...]  # the program's own, headers included
    arguments: tuple[str, ...]
    mode: str
    arch: str
    status: int
    findings: tuple[Finding, ...]
    kernels: tuple[KernelCounts, ...]
    seconds: float
    launches: int = 0  # of which `kernels` are the first and the heaviest, where there are very many
    ignored: tuple[Finding, ...] = field(default=())  # findings that a baseline knows

    @property
    def errors(self) -> tuple[Finding, ...]:
        return tuple(f for f in self.findings if f.severity == "error")


class Executable:
    """A program that is built. `mode`: one of simulator.build's. `exact_requests`: no access may count as several.
    `codes`: the kernels' machine code, which is counted where it can be read."""

    def __init__(
        self, sources: Sequence[Source], path: Path, mode: str, exact_requests: bool, codes: Codes | None = None
    ) -> None:
        self.sources = tuple(sources)
        self.path = path
        self.mode = mode
        self.exact_requests = exact_requests
        self.codes = codes
        self.files = tuple(dict.fromkeys(f for s in sources for f in s.files))
        self.warnings = tuple(w for s in sources for w in warnings_of(s, path))
        self._discarded = discarded_in(warnings_kept(path))
        self.symbols = symbols(path)
        self._functions = {s.offset: s.name for s in self.symbols if s.is_function}
        self._lines = Lines(path, self.files)

    def run(
        self, arguments: Sequence[str] = (), *, limit: float = LIMIT, quiet: bool = False,
        progress: Callable[[int, int, float], None] | None = None, warp: int | None = None,
    ) -> Run:  # fmt: skip
        """Runs main() with `arguments`, for at most `limit` processor seconds on each core.

        The program's input and output are this process's, unless `quiet`. `progress` is called now and then with the
        blocks that have ended, those of the running launch, and the seconds that it has taken. With `warp`, in mode
        "count", the first launches of each line record what that warp of their first block did.
        """
        options = MODES[self.mode] | (TRACE if warp is not None else 0)
        options |= 0 if any(source.wide_types for source in self.sources) else HALVES
        options |= BY_CODE if self.codes else 0
        code = packed(self.codes, self.symbols) if self.codes else b""
        ended = process.run(
            self.path, arguments, options, limit, warp or 0, self._variables(), code, quiet, progress
        )
        first = str(self.sources[0].path)
        report: dict[str, Any] = ended.report or {"findings": [], "launches": []}
        findings = self._of_nobody(findings_of(report, self._lines, first, self._functions))
        warnings = tuple(w for w in self.warnings if not _is_seen(w, findings))
        findings = warnings + findings + odd_trees(report, self.files, self._functions)
        if ended.report is None:
            values = {"status": ended.status, "signal": ended.signal}
            findings += (Finding("no-report", Message(f"run.no-report-{ended.why}", values), first),)
        kernels = kernels_of(report, self._lines, first, self._functions, self.mode, self.exact_requests,
                             doubts_in(self.files), self.codes.places if self.codes else ())  # fmt: skip
        return Run(
            self.files, tuple(arguments), self.mode, self.sources[0].arch, ended.status, findings, kernels,
            ended.seconds, int(report.get("launched", len(kernels))),
        )  # fmt: skip

    def _of_nobody(self, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
        """Without the errors that the program looked at, and those whose cause another finding tells at the line. An
        allocation that failed comes first: others follow from it."""
        known = (f for f in findings if f.severity != "note" and f.code not in ("unasked-error", "bad-launch"))
        told = {(f.file, f.line) for f in known}
        kept = [
            f for f in findings
            if f.code != "unasked-error" or (
                (f.file, f.line) not in told
                and (f.message.key.endswith("-launch") or (f.file, f.line) in self._discarded)
            )
        ]  # fmt: skip
        return tuple(sorted(kept, key=_is_no_failed_allocation))

    def _variables(self) -> list[tuple[str, int, int, int]]:
        """Name, offset, size and kind of what is __device__, __constant__ or __managed__: a value that one file gives
        holds for all. Behind them kernels' own shared arrays: where what tells of one lies, and its kernel."""
        kinds: dict[str, str] = {}
        for source in self.sources:
            for name, kind in source.variables.items():
                kinds[name] = kind if kinds.get(name, UNSET) == UNSET else kinds[name]
        found = variables(self.symbols, kinds)
        named = [(name, s.offset, s.size, KINDS.index(kinds[name])) for name, s in found]
        return named + [("-", site.offset, kernel.offset, len(KINDS)) for kernel, site in shared_sites(self.symbols)]


def _is_no_failed_allocation(finding: Finding) -> bool:
    return finding.code != "unasked-error" or "Malloc" not in str(finding.message.values["call"])


def _is_seen(warning: Finding, findings: Iterable[Finding]) -> bool:
    """Whether the loop that passes an array's end, as its text says, has done so."""
    past = {(f.file, f.message.values["variable"]) for f in findings if f.code == "array-bounds"}
    return warning.code == "warning-past-the-end" and (warning.file, warning.message.values["name"]) in past


def build(
    files: Sequence[str | Path],
    mode: str = "check",
    *,
    folders: Sequence[str | Path] = (),
    defines: Sequence[str] = (),
    standard: str = "",
    libraries: Sequence[str] = (),
    arch: str | None = None,
) -> Executable:
    """Builds a program of `files`, one of which has main(), for the simulator.

    `folders`: where headers are looked for; `defines`: macros as of -D; `standard`: "c++17" or newer; `libraries`: of
    the host, as of -l. Raises BuildError for what does not build, Unavailable where no C++ compiler is installed.
    """
    chosen = compiler()
    card = architecture(arch)
    where = tuple(Path(folder).resolve() for folder in folders)
    sources = []
    for file in files:
        path = Path(file).resolve()
        seen = seen_lines(path, chosen, card, where, defines)
        sources.append(rewrite(path, card, folders=where, program=True, seen=seen))
    # As of a launcher's file: clang takes types apart that have an alignment of their own.
    exact = chosen.family == "g++" or not any(source.aligned_types for source in sources)
    with ThreadPoolExecutor(1) as pool:
        coded = pool.submit(_codes_of, sources, card, where, defines, standard) if mode in COUNTING else None
        path = compile_program(sources, mode, chosen, defines, standard, libraries)
    made = Executable(sources, path, mode, exact, coded.result() if coded else None)
    require_fit(sources, made.symbols)
    return made


def _codes_of(
    sources: Sequence[Source], card: str, folders: Sequence[Path], defines: Sequence[str], standard: str
) -> Codes | None:
    """The machine code of those files that NVIDIA's compiler takes; None where it takes none, or is not here."""
    options = (*(f"-I{folder}" for folder in folders), *(f"-D{name}" for name in defines))
    options += (f"-std={standard}",) if standard else ()
    parts = [load(s.path, s.files, card, options) for s in sources if s.path.suffix in (".cu", ".cuh")]
    found = [part for part in parts if part is not None]
    return joined(found) if found else None
