"""The runtime's raw findings become sentences at lines, each with the chapter that explains it.

What there is to say of each stands in findings.toml. Here is what only the learner's file can add: lines for addresses
of code, the names of kernels, what a line says. And what the runtime does not see: sums by halves in shared memory lose
elements where the blocks do not fit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from onekernel.backends.base import Finding
from onekernel.messages import Message
from onekernel.simulator.facts import Facts, facts_at
from onekernel.simulator.facts.functions import KERNEL
from onekernel.simulator.facts.statements import counted
from onekernel.simulator.facts.tokens import text_of
from onekernel.simulator.read.arrays import is_told_elsewhere
from onekernel.simulator.read.case import Case, Launch, Place
from onekernel.simulator.read.forms import RULES, mixes_rows
from onekernel.simulator.read.indices import by_rows
from onekernel.simulator.read.lines import Lines
from onekernel.simulator.read.records import by_code
from onekernel.simulator.read.traffic import kernel_name

CHAPTER = "02-02-shared-tree#shared-memory"
_HALF = ("blockDim.x/2", "blockDim.x>>1")


def findings_of(report: dict[str, Any], lines: Lines, path: str, functions: dict[int, str]) -> tuple[Finding, ...]:
    """The call's findings in the order in which they happened."""
    raw = report["findings"]
    lines.resolve(address for found in raw for key in ("pc", "other_pc") for address in found[key])
    kept = [*_without_consequences(raw)]
    mixed = {f["launch"] for f in kept if f["code"] == "absent-lane" and _mixes_rows(f, report, path)}
    kept = [f for f in kept if not (f["code"].startswith("race-") and f["launch"] in mixed)]
    left = {_where(f, "", lines, path) for f in kept if f["code"].startswith("out-of-bounds")}
    kept = [f for f in kept if not is_told_elsewhere(f, left)]
    if any(found["code"] in ("early-time", "time-of-nothing") for found in kept):  # which say more
        kept = [found for found in kept if found["code"] != "no-time"]
    # A kernel that was stopped, or never began, has not written its output: the error says so.
    failed = next((n for n, f in enumerate(kept) if by_code()[f["code"]].severity == "error"), len(kept))
    kept = [f for n, f in enumerate(kept) if f["code"] != "unwritten-copy" or n < failed]
    told = [_finding(found, report, lines, path, functions) for found in kept]
    told = list({_alike(finding, number): finding for number, finding in reversed([*enumerate(told)])}.values())[::-1]
    return tuple(_joined(told))


def _mixes_rows(found: dict[str, Any], report: dict[str, Any], path: str) -> bool:
    launches = report["launches"][found["launch"] - 1 :][:1] if found["launch"] else []
    return any(mixes_rows(Launch(launch), path) for launch in launches)


_BEYOND = ("uninitialised-read", "host-pointer", "missing-wait")  # what an access meets that has left its buffer
_OUTSIDE = "out-of-bounds"


def _without_consequences(raw: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The findings but for what follows from another: an access that leaves its buffer, or its shared array, comes into
    another one, and finds there what nobody wrote, what others write, or that one's end."""
    outside = {tuple(f["pc"]) for f in raw if f["code"].startswith(_OUTSIDE) and f["pc"]}
    lost = {f["launch"] for f in raw if (f["code"], f["form"]) == ("crash", "astray")}
    overrun = {f["launch"]: f["pc"] for f in raw if (f["code"], f["form"]) == ("foreign-local", "ended")}
    left: set[tuple[object, ...]] = set()
    for found in raw:
        places = {tuple(found["pc"]), tuple(found["other_pc"])}
        if found["code"] in _BEYOND and found["form"] != "argument" and tuple(found["pc"]) in outside:
            continue
        if found["code"].startswith("race-") and places & outside:
            continue
        if (found["code"], found["form"]) == ("foreign-local", "ended") and found["launch"] in lost:
            continue  # beyond the stack, which is overwritten, lies another thread's
        if (found["code"], found["form"]) == ("crash", "astray") and overrun.get(found["launch"]):
            found = {**found, "form": "overrun", "pc": overrun[found["launch"]]}
        if "shared" in found["code"] and found["code"].startswith(_OUTSIDE):
            whose = tuple(found["pc"]), found["launch"], str(found["facts"].get("thread"))
            if whose in left:
                continue  # the same load of the same thread: the array beside it
            left.add(whose)
        yield found


def _joined(told: list[Finding]) -> Iterator[Finding]:
    """The findings, a read and a write of the same element by the same line, `x[i] += 1`, as one."""
    outside: dict[tuple[object, ...], set[str]] = {}
    for finding in told:
        outside.setdefault(_element_of(finding), set()).add(finding.code)
    for finding in told:
        side, codes = finding.code.rpartition("-")[2], outside[_element_of(finding)]
        other = f"{finding.code.removesuffix(side)}{'read' if side == 'write' else 'write'}"
        if not finding.code.startswith("out-of-bounds") or other not in codes or not finding.line:
            yield finding
        elif side == "read":
            also = Message("simulator.out-of-bounds-also")
            yield replace(finding, message=Message(finding.message.key, {**finding.message.values, "also": also}))


def _element_of(finding: Finding) -> tuple[object, ...]:
    """Where a finding stands, and of which element it is."""
    values = finding.message.values
    return finding.file, finding.line, str(values.get("variable")), str(values.get("index")), str(values.get("thread"))


def _alike(finding: Finding, number: int) -> tuple[object, ...]:
    """What findings have in common that are told once: accesses of one line that leave one buffer, and a race of two
    lines, which each launch has again; else the finding's number."""
    values = finding.message.values
    variable = str(values.get("variable")).partition("[")[0]
    place = (finding.code, finding.file, finding.line, variable)
    if finding.code.startswith("race-") and finding.line:
        return *place, str(values["kernel"]), str(values["other_line"])
    told_once = finding.code in ("use-after-free", "array-bounds") or finding.code.startswith("out-of-bounds")
    return place if told_once and finding.line else (number,)


def _finding(
    found: dict[str, Any], report: dict[str, Any], lines: Lines, path: str, functions: dict[int, str]
) -> Finding:
    record = by_code()[found["code"]]
    number = found["launch"] - 1
    launch = report["launches"][number] if 0 <= number < len(report["launches"]) else {}
    here, there = _where(found, "", lines, path), _where(found, "other_", lines, path)
    if here[1] is None and launch.get("file"):  # code of somebody else's header: the launch is the program's
        here = launch["file"], launch["line"]
    facts = found["facts"]
    address = facts.pop("kernel_at", 0)  # of a launch that CUDA refuses, which is none of the report's
    plain = {k: v for k, v in facts.items() if not isinstance(v, dict)}
    values = {k: record.says(v["form"], plain) if isinstance(v, dict) else v for k, v in facts.items()}
    values.setdefault("warp", "")  # said of a race within one warp alone
    values["also"] = ""  # of an access that is made both ways
    values["once"] = ""  # and of a variable that the grid has once
    values["line"] = here[1] or 0
    values["other_line"] = there[1] or here[1] or 0
    values["kernel"] = _kernel({"kernel": facts.get("kernel", ""), "address": address}, launch, functions)
    case = Case(record, found["form"], values, here, there, Launch(launch))
    if tell := RULES.get(record.name):
        tell(case)
    if "index" in values:
        case.values |= by_rows(case.values, case.file)
    return Finding(
        found["code"], case.says(case.form, case.values), *case.here, record.severity, case.page or record.chapter
    )


def _where(found: dict[str, Any], prefix: str, lines: Lines, path: str) -> Place:
    place = lines.first(found[f"{prefix}pc"])
    if place is not None:
        return place.file, place.line
    if f"{prefix}line" in found:
        return found[f"{prefix}file"], found[f"{prefix}line"]
    return (path, None) if not prefix else (None, None)


def _kernel(named: Mapping[str, Any], launch: Mapping[str, Any], functions: dict[int, str]) -> str:
    known = named["kernel"] or named["address"] or not launch
    return kernel_name(named if known else launch, functions)


def odd_trees(report: dict[str, Any], files: Iterable[Path], functions: dict[int, str]) -> tuple[Finding, ...]:
    """A warning for each such loop of a kernel that was launched with blocks of no power of two."""
    sizes: dict[str, int] = {}
    for launch in report["launches"]:
        threads = launch["block"][0]
        if threads & (threads - 1) and threads > 1:
            sizes.setdefault(re.split(r"[<(:]", kernel_name(launch, functions))[0].strip(), threads)
    read = ((f, line, kernel) for f in files if sizes for line, kernel in _trees(facts_at(f)))
    return tuple(
        Finding("odd-tree", Message("simulator.odd-tree", {"kernel": kernel, "threads": sizes[kernel]}), str(file),
                line, "warning", CHAPTER)
        for file, line, kernel in read
        if kernel in sizes
    )  # fmt: skip


def _trees(facts: Facts) -> Iterator[tuple[int, str]]:
    """The lines of loops that halve a step from blockDim.x / 2 on and add what lies that far, and their kernels."""
    for loop in facts.statements:
        turns, kernel = counted(facts.code, loop), facts.function_at(loop.first_line)
        if not turns or not kernel or kernel.side != KERNEL or text_of(turns.value) not in _HALF:
            continue
        step, body = turns.name, text_of(facts.code[loop.first : loop.last + 1])
        halves = text_of(turns.step) in (f"{step}>>=1", f"{step}/=2")
        if halves and re.search(rf"\bif\(\w+(?:\.x)?<{step}\)", body) and f"+{step}]" in body:
            yield loop.first_line, kernel.name
