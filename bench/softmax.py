"""Row softmax against a copy: the exercises, the reading ladder, PyTorch and its peers, shape by shape.

Run:    python bench/softmax.py                  writes bench/results/<gpu>/softmax.json (about 5 minutes of a GPU)
        python bench/softmax.py --quick          five shapes a type
        python bench/softmax.py --dry-run        says what it would measure, as it does anyway without a GPU
Method: contenders take turns, L2 is emptied before each, median and quartiles of CUDA events; launch-bound shapes in
        CUDA graphs. Outputs are checked before and after; a time that the card cannot reach is discarded. The reading
        ladder takes part in the shapes of its table alone, or where --shape or --only names what to measure.
But:    peers are timed where they are installed; a file made without them says nothing about them.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from onekernel.bench import asked, cells, contenders, device, plots, results, softmax_tables  # noqa: E402
from onekernel.bench.timing import EMPTIER_BYTES, REPEATS, L2Emptier  # noqa: E402
from onekernel.errors import UserError, told  # noqa: E402
from onekernel.grading.tuning_log import kernel_hash  # noqa: E402
from onekernel.messages import LANGUAGES, Message, say  # noqa: E402

FIGURE = (results.OURS, "softmax_triton", *results.PEERS)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dtype", nargs="*", choices=sorted(cells.ITEMSIZE), default=list(cells.ITEMSIZE))
    parser.add_argument("--file", nargs="*", type=Path, default=[], help="your own .cu or .py beside the others")
    parser.add_argument("--only", nargs="*", metavar="NAME", help="contenders by name (the copy is always timed)")
    parser.add_argument("--shape", nargs="*", metavar="R,C[,SHIFT]", help="these shapes instead of the grid")
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--limit", type=float, default=3600.0, metavar="SECONDS", help="stop after this time, keep all")
    parser.add_argument("--out", type=Path, help="default: bench/results/<gpu>/softmax.json")
    parser.add_argument("--resume", action="store_true", help="keep the shapes that the file holds, measure the rest")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--draw", metavar="GPU", help="draw the figures of bench/results/GPU/softmax.json")
    parser.add_argument("--dry-run", action="store_true")
    options = parser.parse_args(argv)
    if options.draw:
        recorded = asked.record(ROOT, options.draw, "softmax")
        return _draw(recorded, options.out or recorded.parent)
    if options.repeats < 1:
        raise UserError(Message.of("bench.bad-number", option="--repeats", value=options.repeats, least=1))
    wanted = _shapes(options) if options.shape else list(cells.grid(options.dtype, options.quick))
    found, absent = contenders.all_contenders(ROOT, asked.files(options.file))
    if options.only:
        asked.names(options.only, [*(c.name for c in found), *absent])
        found = [c for c in found if c.name in options.only]
    everywhere = bool(options.shape or options.only)
    if options.dry_run or not asked.has_gpu("dry-run-instead"):
        _tell(wanted, found, absent, options.repeats, everywhere)
        return 0
    return _run(wanted, found, absent, options, everywhere)


def _shapes(options: argparse.Namespace) -> list[cells.Cell]:
    return [cells.Cell(dtype, *shape) for dtype in options.dtype for shape in asked.shapes(options.shape)]


def plan(
    wanted: Iterable[cells.Cell], found: Sequence[contenders.Contender], kept: Iterable[Mapping[str, Any]] = (),
    everywhere: bool = False,
) -> list[tuple[cells.Cell, list[contenders.Contender]]]:  # fmt: skip
    """The shapes that are left to measure, each with those who take part in it. `kept`: the cells of a result file.

    The ladder takes part in the shapes of its table alone, or `everywhere`. A kept cell that lacks somebody is measured
    again, whole: its contenders have to take turns.
    """
    answered = {(c["dtype"], c["rows"], c["cols"], c["shift"]): set(c["contenders"]) for c in kept}
    left = []
    for cell in wanted:
        ladder = everywhere or cell.name in softmax_tables.LADDER_SHAPES
        part = [c for c in found if ladder or c.kind != "ladder"]
        have = answered.get((cell.dtype, cell.rows, cell.cols, cell.shift))
        if have is None or not {c.name for c in part} <= have:
            left.append((cell, part))
    return left


def _sources(found: Iterable[contenders.Contender]) -> dict[str, str]:
    """The mark, as in a tuning log, of each contender's file in solutions/: a resumed run is of the same kernels."""
    paths = {c.name: ROOT / "solutions" / f"{c.name}{suffix}" for c in found for suffix in (".cu", ".py")
             if (ROOT / "solutions" / f"{c.name}{suffix}").is_file()}  # fmt: skip
    return {name: kernel_hash(path) for name, path in paths.items()}


def _tell(
    wanted: list[cells.Cell], found: list[contenders.Contender], absent: dict[str, str], repeats: int, everywhere: bool
) -> None:
    print(say("bench.dry-run", command="python bench/softmax.py"))
    for dtype in dict.fromkeys(c.dtype for c in wanted):
        mine = sorted((c for c in wanted if c.dtype == dtype), key=lambda c: c.bytes)
        traffic = f"{sum(c.bytes for c in mine) / 1e9:.1f}"
        print("  " + say("bench.grid-line", dtype=dtype, count=len(mine), smallest=mine[0].name, largest=mine[-1].name,
                         traffic=traffic))  # fmt: skip
    graphs = sum(c.launch_bound for c in wanted)
    print("  " + say("bench.grid-how", repeats=repeats, empty=EMPTIER_BYTES >> 20, graphs=graphs,
                     limit=cells.LAUNCH_BOUND_BYTES >> 20))  # fmt: skip
    print("  " + results.expected(ROOT, "softmax", wanted).text())
    for contender in found:
        print("  " + say("bench.contender-line", name=contender.name, kind=contender.kind))
    if not everywhere and any(c.kind == "ladder" for c in found):
        print("  " + say("bench.ladder-where", shapes=", ".join(softmax_tables.LADDER_SHAPES)))
    for name, why in absent.items():
        print("  " + say("bench.contender-absent", name=name, why=why))


def _run(
    wanted: list[cells.Cell], found: list[contenders.Contender], absent: dict[str, str], options: argparse.Namespace,
    everywhere: bool,
) -> int:  # fmt: skip
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    card = device.current()
    result: dict[str, Any] = {
        "bench": "softmax", "device": asdict(card), **device.provenance(), "absent": absent, "sources": _sources(found),
        "method": {"repeats": options.repeats, "l2_emptied_by_bytes": EMPTIER_BYTES, "kinds":
                   {c.name: c.kind for c in found}, "preallocated": {c.name: c.preallocated for c in found}},
        "cells": [],
    }  # fmt: skip
    path = options.out or ROOT / "bench" / "results" / card.slug / "softmax.json"
    if options.resume and path.is_file():
        kept = json.loads(path.read_text(encoding="utf-8"))
        if any(kept.get(key) != result[key] for key in ("device", "versions", "sources")):
            print(say("bench.other-run", path=path), file=sys.stderr)
            return 1
        result["cells"] = kept["cells"]
    left = plan(wanted, found, result["cells"], everywhere)
    again = {(c.dtype, c.rows, c.cols, c.shift) for c, _ in left}
    result["cells"] = [c for c in result["cells"] if (c["dtype"], c["rows"], c["cols"], c["shift"]) not in again]
    print(say("bench.device-line", name=card.name, driver=card.driver, date=result["date"],
              bandwidth=f"{card.datasheet_bandwidth / 1e12:.2f}", fma=f"{card.fma_rate / 1e12:.1f}"))  # fmt: skip
    emptier, started, late = L2Emptier(), time.monotonic(), False
    columns = (TextColumn("{task.description:45}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("", total=len(left))
        try:
            for cell, part in left:
                late = time.monotonic() - started > options.limit
                if late:
                    break
                show = lambda step, cell=cell: bar.update(task, description=f"{cell.dtype} {cell.name}: {step}")  # noqa: E731
                seed = int.from_bytes(os.urandom(4), "little")
                measured = cells.measure(cell, part, card, emptier, options.repeats, seed, show)
                result["cells"].append(measured)
                result["took"] = _took(result["cells"])
                _save(path, result)
                bar.advance(task)
                bar.console.print(_line(measured), highlight=False)
        except KeyboardInterrupt:
            print(say("bench.interrupted", count=len(result["cells"]), path=path), file=sys.stderr)
            return 130
    if late:
        print(say("bench.out-of-time", seconds=f"{options.limit:.0f}", count=len(result["cells"]), path=path))
        return 2
    print(say("bench.written", path=path))
    return _draw(path, path.parent)


def _took(measured: list[dict[str, Any]]) -> dict[str, float]:
    """The seconds of all cells, those of a run that was resumed too; what came before the first is not counted."""
    return {key: round(sum(c["took"][key] for c in measured if "took" in c), 1) for key in ("wall_s", "gpu_s")}


def _draw(path: Path, folder: Path) -> int:
    """One figure a type and language: speed shape by shape."""
    data, measured = results.read(path)
    for dtype in cells.ITEMSIZE:
        mine = [c for c in measured if c.dtype == dtype and c.method == "events"]
        for lang in LANGUAGES if mine else ():
            heading = Message("bench.title-widths", {"dtype": dtype, "name": data["device"]["name"]}).text(lang)
            target = folder / (f"softmax_{dtype}" + ("" if lang == "en" else f".{lang}"))
            for drawn in plots.widths(target, mine, FIGURE, heading, plots.measured_on(data, lang), lang):
                print(say("bench.written", path=drawn))
    return 0


def _save(path: Path, result: dict[str, Any]) -> None:
    """Whole or not at all: an interrupted run leaves the last finished shape."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    part.replace(path)


def _line(cell: dict[str, Any]) -> str:
    """One shape on one line: percent of the copy, or why there is no figure."""
    copy = cell["contenders"]["copy"]["median_s"]
    shown = []
    for name, answer in cell["contenders"].items():
        if name != "copy":
            why = next((answer[k] for k in ("failed", "discarded") if k in answer), None)
            fast = f"{100 * copy / answer['median_s']:.0f}" if "median_s" in answer and not why else "-"
            shown.append(f"{name} {fast}" + (f" ({why[:60]})" if why else ""))
    where = f"{cell['dtype']} {cell['rows']} x {cell['cols']} +{cell['shift']}"
    return f"{where}: copy {copy * 1e6:.1f} us; % of it: {', '.join(shown)}"


if __name__ == "__main__":
    sys.exit(told(main))
