"""What became of a sample of public programs: the result file, with its tables by cause and by repository."""

from __future__ import annotations

import platform
import subprocess
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from audits.words import in_each, in_numbers
from onekernel.bench import device
from onekernel.simulator.compilation.compiler import compiler

RAN, FOUND, OWN, SLOW, REFUSED = "ran", "found", "own-status", "time-limit", "nvcc-refuses"
LESS, CRASH = "ran-checked-less", "host-crash"
CHECKS_LESS = ("checked-less", "unchecked-memory")  # for want of time, or of room for what is known of each word
WAITS = "waits"  # stood still
ASKS = "asks"  # for an argument, or for another card
WAIVED = 2  # the status of NVIDIA's samples that are not for this card
GOOD = (RAN, LESS, FOUND, ASKS)
AFTER = ("host-crash", "unchecked-error")  # what a program does that was not made for a kernel that is stopped
GOAL = 85  # of a hundred programs


Outcomes = Sequence[Mapping[str, str]]


def result_of(outcomes: Outcomes, about: Mapping[str, Any], folders: Iterable[Path]) -> dict[str, Any]:
    """The result file: how each program ended, by name alone, and how that was asked."""
    causes = Counter(o["cause"] for o in outcomes)
    result = {
        "bench": "public_cuda", **about, "date": date.today().isoformat(),
        "machine": device.machine(),
        "versions": {"compiler": compiler().version, "python": platform.python_version()},
        "programs": len(outcomes) - causes[REFUSED], "good": sum(causes[c] for c in GOOD), "goal": GOAL,
        "causes": dict(causes.most_common()),
        "repositories": {folder.resolve().name: _repository(folder, outcomes) for folder in folders},
        "outcomes": [{key: o[key] for key in ("repository", "program", "cause")} for o in outcomes],
    }  # fmt: skip
    return {**result, "tables": {"causes": _by_cause(result), "repositories": _by_repository(result)}}


def _repository(folder: Path, outcomes: Outcomes) -> dict[str, Any]:
    causes = Counter(o["cause"] for o in outcomes if o["repository"] == folder.resolve().name)
    return {
        "commit": commit(folder),
        "good": sum(causes[c] for c in GOOD),
        "programs": causes.total() - causes[REFUSED],
    }


def commit(folder: Path) -> str:
    """Of a clone; "-" for a folder that is none, and where there is no git."""
    ask = ["git", "-c", "safe.directory=*", "-C", str(folder), "rev-parse", "HEAD"]
    try:
        return subprocess.run(ask, capture_output=True, text=True, check=False).stdout.strip() or "-"
    except FileNotFoundError:
        return "-"


def _by_cause(result: Mapping[str, Any]) -> dict[str, Any]:
    """A cause a row, those of programs that count first, and what that is of a hundred."""

    def row(cause: str) -> list[Any]:
        count = result["causes"][cause]
        return [in_each(f"public-{cause}"), str(count), in_numbers("{:.0f} %", 100 * count / result["programs"])]

    causes = [c for c in result["causes"] if c != REFUSED]
    share = in_numbers("{:.0f} %", 100 * result["good"] / max(result["programs"], 1))
    rows = [row(c) for c in causes if c in GOOD]
    rows.append([in_each("public-good", goal=result["goal"]), f"{result['good']} / {result['programs']}", share])
    rows += [row(c) for c in causes if c not in GOOD]
    if left := result["causes"].get(REFUSED):
        rows.append([in_each(f"public-{REFUSED}"), str(left), "-"])
    return {"columns": [in_each("public-cause"), in_each("public-count"), in_each("public-share")], "rows": rows}


def _by_repository(result: Mapping[str, Any]) -> dict[str, Any]:
    rows = [
        [name.replace("+", "/"), f"`{one['commit'][:12]}`", f"{one['good']} / {one['programs']}"]
        for name, one in sorted(result["repositories"].items())
    ]
    columns = [in_each(f"public-{key}") for key in ("repository", "commit", "good-of")]
    return {"columns": columns, "rows": rows}
