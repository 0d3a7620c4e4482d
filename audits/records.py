"""Result files: where they lie, how they are written, what they say of a run's duration."""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from onekernel.bench.timing import seconds_timed
from onekernel.errors import UserError
from onekernel.messages import Message


def results(root: Path) -> Path:
    """The committed results: a folder for each card, and one for what a CPU measured."""
    return root / "bench" / "results"


def own(root: Path) -> Path:
    """What is nobody's to commit: predictions, and figures with somebody's own marks."""
    return root / "build" / "results"


def recorded(root: Path, gpu: str, bench: str) -> Path:
    """The committed result file of a card. Raises UserError with the cards that have one."""
    known = sorted(path.parent.name for path in results(root).glob(f"*/{bench}.json"))
    if gpu not in known:
        raise UserError(Message.of("bench.no-such-record", bench=bench, gpu=gpu, known=", ".join(known) or "-"))
    return results(root) / gpu / f"{bench}.json"


def read(path: Path) -> dict[str, Any]:
    """A result file's content. Raises OSError or ValueError for anything else than a JSON file."""
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return data


def write(path: Path, data: Mapping[str, Any], indent: int = 1) -> None:
    """Whole or not at all: an interrupted run leaves the file as it was."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps(data, indent=indent) + "\n", encoding="utf-8")
    part.replace(path)


def expected(root: Path, bench: str, wanted: Sequence[Any] = ()) -> Message:
    """How long a bench takes, by a result file of it under `root` that says so: one from a GPU before one without.

    `wanted` are the cases of a softmax run: those that the file holds count what they took, others the mean of these.
    """
    for path in sorted(results(root).glob(f"*/{bench}.json"), key=lambda p: p.parent.name == "cpu"):
        data = read(path)
        took = data.get("took")
        if not took:
            continue
        wall, gpu = float(took["wall_s"]), took.get("gpu_s")
        each = {(c["dtype"], c["rows"], c["cols"], c["shift"]): c["took"] for c in data.get("cells", []) if "took" in c}
        if wanted and each:
            mine = [each[key] for c in wanted if (key := (c.dtype, c.rows, c.cols, c.shift)) in each]
            mine = mine or list(each.values())
            wall, gpu = (len(wanted) * sum(t[key] for t in mine) / len(mine) for key in ("wall_s", "gpu_s"))
        name = data.get("device", {}).get("name") or data.get("gpu") or data.get("machine") or data.get("cpu")
        values = {"wall": wall, "gpu": gpu or 0, "name": name, "date": data["date"]}
        return Message("bench.expected-gpu" if gpu else "bench.expected", values)
    return Message("bench.expected-unknown")


def took(began: float) -> dict[str, float]:
    """What a result file says of its own duration: seconds since `began` (time.perf_counter), and those of the GPU."""
    return {"wall_s": round(time.perf_counter() - began, 1), "gpu_s": round(seconds_timed(), 1)}


def processor_seconds(whose: int = resource.RUSAGE_SELF) -> float:
    """Processor seconds of this process so far; with RUSAGE_CHILDREN of those that it has waited for, and theirs."""
    spent = resource.getrusage(whose)
    return spent.ru_utime + spent.ru_stime
