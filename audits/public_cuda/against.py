"""Public programs on the simulator against what they printed on a GPU: a verdict for each, and the result file."""

from __future__ import annotations

import argparse
import hashlib
import platform
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from audits import records
from audits.public_cuda import outcomes as ends
from audits.public_cuda import patience
from audits.public_cuda.details import Details
from audits.public_cuda.likeness import likeness
from audits.public_cuda.programs import Candidate
from audits.public_cuda.trial import KEPT, tried
from audits.words import in_each
from onekernel.bench import device
from onekernel.messages import say
from onekernel.simulator.compilation.compiler import compiler

SAME, REORDERED, DIFFERS = "same", "reordered", "differs"
WRONG = "differs-finding"  # and the simulator, asked for its checks, says what is wrong with the program
OTHER_SOURCE, NOT_BUILT, ENDLESS, VARIES = "other-source", "gpu-build", "gpu-endless", "varies"
COMPARED = (SAME, REORDERED, WRONG, DIFFERS)
MODE, ARCH = "fast", "sm_90"  # what is compared is printed in every mode; the card is the nearest to the one recorded
_NO_CAUSE = (ends.SLOW, *ends.AFTER)
_UNSET = ("unwritten-copy",)  # warned of, and prints what a card's memory held before
_KERNEL = re.compile(r"\b__(?:global|device)__\b[^;{}]*\{")
_PRINTS = re.compile(r"\bprintf\s*\(")


def run(
    sample: Sequence[Candidate], options: argparse.Namespace, about: Mapping[str, Any], details: Details, output: Path
) -> int:
    """Compares the programs of `sample` that the recording has, and writes the result file."""
    recording = Details(options.against).kept
    mine = [c for c in sample if (c.root.name, c.name) in recording]

    def one(candidate: Candidate) -> dict[str, Any]:
        at = candidate.root.name, candidate.name
        found = compared(candidate, recording[at], details.kept.get(at), options.limit)
        if "cause" in found and found != details.kept.get(at):
            details.add(found)
        print(f"{found['verdict']:<16} {found['program']}  {' | '.join(found['first'])}", flush=True)
        return found

    outcomes = patience.on_cores(one, mine, options.jobs)
    cards = sorted({(o["gpu"], o["cuda"], o["date"]) for o in recording.values()})
    result = result_of(outcomes, {**about, "recorded": cards}, options.folders)
    for verdict, count in result["verdicts"].items():
        print(f"{count:6d}  {verdict}")
    records.write(output, result, indent=1)
    print(say("bench.written", path=output))
    return 0


def compared(
    candidate: Candidate, recorded: Mapping[str, Any], kept: Mapping[str, Any] | None, limit: float
) -> dict[str, Any]:
    """The outcome on the simulator, `kept` from an earlier run or new, its verdict and the first line that differs."""
    text = candidate.path.read_bytes()
    about: dict[str, Any] = {"program": candidate.name, "repository": candidate.root.name}
    if hashlib.sha256(text).hexdigest() != recorded["source"]:
        return {**about, "verdict": OTHER_SOURCE, "first": ["", ""]}
    if recorded["build"] != "ok":
        return {**about, "verdict": NOT_BUILT, "first": [recorded["build"], ""]}
    if any(run["status"] is None for run in recorded["runs"]):
        return {**about, "verdict": ENDLESS, "first": ["", ""]}
    outcome = dict(kept or tried(candidate, limit, MODE, ARCH))
    verdict, first = _verdict(candidate, recorded, outcome)
    if verdict == DIFFERS and "checked" not in outcome:
        checked = tried(candidate, limit, "check", ARCH)["findings"]
        outcome["checked"] = [f for f in checked if f["code"] in _UNSET or f["severity"] == "error"]
        outcome["checked"] = [f for f in outcome["checked"] if f["code"] not in _NO_CAUSE]
    verdict = WRONG if verdict == DIFFERS and outcome["checked"] else verdict
    return {**outcome, "verdict": verdict, "first": first}


def _verdict(candidate: Candidate, recorded: Mapping[str, Any], outcome: Mapping[str, Any]) -> tuple[str, list[str]]:
    if "output" not in outcome or outcome["cause"] in (ends.SLOW, ends.WAITS, "unsupported", "no-report"):
        return outcome["cause"], [outcome["detail"], ""]
    statuses = [128 - run["status"] if run["status"] < 0 else run["status"] for run in recorded["runs"]]
    printed = [run["output"] for run in recorded["runs"]]
    if outcome["status"] not in statuses:
        return DIFFERS, [f"status {statuses[0]}", f"status {outcome['status']}"]
    whole = max(map(len, (*printed, outcome["output"]))) < KEPT
    times = any(finding["code"] == "no-time" for finding in outcome["findings"])
    found = likeness(printed, outcome["output"], recorded["gpu"], candidate.path.stem, whole, times)
    if not found.same or (found.reordered and not _prints_in_kernels(candidate.path)):
        return DIFFERS, list(found.first)
    if not found.tells:
        return VARIES, ["", ""]
    return REORDERED if found.reordered else SAME, ["", ""]


def _prints_in_kernels(path: Path) -> bool:
    """Whether threads print, whose order is nobody's: a body of a kernel or a device function that calls printf."""
    text = path.read_text(encoding="utf-8", errors="replace")
    for start in _KERNEL.finditer(text):
        depth, at = 1, start.end()
        while depth and at < len(text):
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
        if _PRINTS.search(text, start.end(), at):
            return True
    return False


def result_of(
    outcomes: Sequence[Mapping[str, Any]], about: Mapping[str, Any], folders: Sequence[Path]
) -> dict[str, Any]:
    """The result file: verdicts by name alone; nothing of what anybody's program prints."""
    verdicts = Counter(o["verdict"] for o in outcomes)
    each = Counter((o["repository"], o["verdict"]) for o in outcomes)
    names = {folder.resolve().name: folder for folder in folders}
    result = {
        "bench": "public_cuda_recorded", **about, "date": date.today().isoformat(), "machine": device.machine(),
        "versions": {"compiler": compiler().version, "python": platform.python_version()}, "mode": MODE, "arch": ARCH,
        "programs": len(outcomes), "compared": sum(verdicts[v] for v in COMPARED),
        "verdicts": dict(verdicts.most_common()),
        "repositories": {
            name: {"commit": ends.commit(folder), **{v: each[name, v] for v in COMPARED}}
            for name, folder in names.items()
        },
        "outcomes": [{key: o[key] for key in ("repository", "program", "verdict")} for o in outcomes],
    }  # fmt: skip
    return {**result, "tables": {"verdicts": _by_verdict(result)}}


def _by_verdict(result: Mapping[str, Any]) -> dict[str, Any]:
    """A verdict a row: first those that were compared, then what was not, and why."""
    verdicts = result["verdicts"]
    rows = [[in_each(f"public-{v}"), str(verdicts[v])] for v in COMPARED if v in verdicts]
    rows.append([in_each("public-compared"), f"{result['compared']} / {result['programs']}"])
    rows += [[in_each(f"public-{v}"), str(count)] for v, count in verdicts.items() if v not in COMPARED]
    return {"columns": [in_each("public-verdict"), in_each("public-count")], "rows": rows}
