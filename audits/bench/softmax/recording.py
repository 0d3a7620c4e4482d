"""A run of the softmax bench on a GPU: shape after shape into a result file, which can be resumed."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from audits import records
from audits.bench.softmax import measurement
from audits.bench.softmax.cases import Case
from audits.bench.softmax.contenders import Contender
from audits.bench.softmax.results import took
from audits.bench.softmax.tables import LADDER_SHAPES
from onekernel import comments
from onekernel.bench import device
from onekernel.bench.timing import EMPTIER_BYTES, L2Emptier
from onekernel.errors import UserError
from onekernel.messages import Message, say


class Recording:
    """The result of a run as it grows, and its file: `out`, or the committed one of this card."""

    def __init__(
        self, root: Path, found: Sequence[Contender], absent: Mapping[str, str], repeats: int, out: Path | None
    ) -> None:
        self.card, self.found, self.repeats = device.current(), found, repeats
        self.path = out or records.results(root) / self.card.slug / "softmax.json"
        self.result: dict[str, Any] = {
            "bench": "softmax", "device": asdict(self.card), **device.provenance(),
            "absent": {name: f"{module} is not installed" for name, module in absent.items()},
            "sources": _sources(found),
            "method": {"repeats": repeats, "l2_emptied_by_bytes": EMPTIER_BYTES, "kinds":
                       {c.name: c.kind for c in found}, "preallocated": {c.name: c.preallocated for c in found}},
            "cells": [],
        }  # fmt: skip

    def resume(self) -> None:
        """Keeps what the file holds. Raises UserError where it is of another card, other versions or other kernels."""
        if not self.path.is_file():
            return
        kept = records.read(self.path)
        if any(kept.get(key) != self.result[key] for key in ("device", "versions", "sources")):
            raise UserError(Message.of("bench.other-run", path=self.path))
        self.result["cells"] = kept["cells"]
        if self.result["command"] not in kept["command"]:  # both have measured what the file holds
            self.result["command"] = f"{kept['command']}; {self.result['command']}"

    def measure(self, wanted: Sequence[Case], everywhere: bool, limit: float) -> int:
        """Measures what is left of `wanted`, for `limit` seconds at the most. The exit status of the run."""
        left = plan(wanted, self.found, self.result["cells"], everywhere)
        again = {(c.dtype, c.rows, c.cols, c.shift) for c, _ in left}
        self.result["cells"] = [c for c in self.result["cells"] if _key_of(c) not in again]
        card = self.card
        print(say("bench.device-line", name=card.name, driver=card.driver, date=self.result["date"],
                  bandwidth=card.datasheet_bandwidth / 1e12, fma=card.fma_rate / 1e12))  # fmt: skip
        try:
            late = self._walk(left, limit)
        except KeyboardInterrupt:
            print(say("bench.interrupted", count=len(self.result["cells"]), path=self.path), file=sys.stderr)
            return 130
        if late:
            count = len(self.result["cells"])
            print(say("bench.out-of-time", seconds=limit, count=count, path=self.path))
            return 2
        print(say("bench.written", path=self.path))
        return 0

    def _walk(self, left: Sequence[tuple[Case, Sequence[Contender]]], limit: float) -> bool:
        """Whether the time was over before the last shape."""
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        emptier, started = L2Emptier(), time.monotonic()
        columns = (TextColumn("{task.description:45}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, disable=not sys.stderr.isatty()) as bar:
            task = bar.add_task("", total=len(left))
            for case, part in left:
                if time.monotonic() - started > limit:
                    return True

                def show(step: str, case: Case = case) -> None:
                    bar.update(task, description=f"{case.dtype} {case.name}: {step}")

                seed = int.from_bytes(os.urandom(4), "little")
                measured = measurement.measure(case, part, self.card, emptier, self.repeats, seed, show)
                self.result["cells"].append(measured)
                self.result["took"] = took(self.result["cells"])
                records.write(self.path, self.result)
                bar.advance(task)
                bar.console.print(_line(measured), highlight=False)
        return False


def _line(measured: Mapping[str, Any]) -> str:
    """One shape on one line: percent of the copy, or why there is no figure."""
    copy = measured["contenders"]["copy"]["median_s"]
    shown = []
    for name, answer in measured["contenders"].items():
        if name != "copy":
            why = next((answer[k] for k in ("failed", "discarded") if k in answer), None)
            fast = f"{100 * copy / answer['median_s']:.0f}" if "median_s" in answer and not why else "-"
            shown.append(f"{name} {fast}" + (f" ({why[:60]})" if why else ""))
    where = f"{measured['dtype']} {measured['rows']} x {measured['cols']} +{measured['shift']}"
    return say("bench.shape-line", where=where, micros=copy * 1e6, shown=", ".join(shown))


def plan(
    wanted: Iterable[Case], found: Sequence[Contender], kept: Iterable[Mapping[str, Any]] = (), everywhere: bool = False
) -> list[tuple[Case, list[Contender]]]:
    """The shapes that are left to measure, each with those who take part in it. `kept`: the cells of a result file.

    The ladder takes part in the shapes of its table alone, or `everywhere`. A kept shape that lacks somebody is
    measured again, whole: its contenders have to take turns.
    """
    answered = {_key_of(c): set(c["contenders"]) for c in kept}
    left = []
    for case in wanted:
        ladder = everywhere or case.name in LADDER_SHAPES
        part = [c for c in found if ladder or c.kind != "ladder"]
        have = answered.get((case.dtype, case.rows, case.cols, case.shift))
        if have is None or not {c.name for c in part} <= have:
            left.append((case, part))
    return left


def _key_of(kept: Mapping[str, Any]) -> tuple[str, int, int, int]:
    """What a cell of a result file was measured at: type, rows, columns, shift."""
    return kept["dtype"], kept["rows"], kept["cols"], kept["shift"]


def _sources(found: Iterable[Contender]) -> dict[str, str]:
    """The mark, as in a tuning log, of each contender's file: a resumed run is of the same kernels."""
    return {c.name: comments.kernel_hash(c.source) for c in found if c.source}
