"""Row softmax against a copy: the exercises, the reading ladder, PyTorch and its peers, shape by shape.

Method: contenders take turns, L2 is emptied before each, median and quartiles of CUDA events; launch-bound shapes in
        CUDA graphs. Outputs are checked before and after; a time that the card cannot reach is discarded. The reading
        ladder takes part in the shapes of its table alone, or where --shape or --only names what to measure.
But:    peers are timed where they are installed; a file made without them says nothing about them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from audits import command, records
from audits.bench.graphs import LAUNCH_BOUND_BYTES
from audits.bench.softmax import cases, contenders, figure, gpus, recording, results
from audits.bench.softmax.tables import LADDER_SHAPES
from audits.words import draw_in_each, measured_on, words
from onekernel.bench.timing import EMPTIER_BYTES, REPEATS
from onekernel.course import find_root
from onekernel.errors import UserError
from onekernel.messages import Message, say

FIGURE = (results.OURS, "softmax_triton", *results.PEERS)


def main(argv: Sequence[str]) -> int:
    options, root = _parser().parse_args(argv), find_root()
    if options.draw:
        recorded = records.recorded(root, options.draw, "softmax")
        return draw(recorded, options.out or recorded.parent)
    if options.repeats < 1:
        raise command.too_small("--repeats", options.repeats)
    found, absent = contenders.all_contenders(root, command.files(options.file))
    if options.gpus < 1:
        raise command.too_small("--gpus", options.gpus)
    if options.only:
        command.names(options.only, [*(c.name for c in found), *absent])
        found = [c for c in found if c.name in options.only]
    wanted = _shapes(options) if options.shape else list(cases.grid(options.dtype, options.quick))
    everywhere = bool(options.shape or options.only)
    if options.dry_run or not command.has_gpu("dry-run-instead"):
        _tell(root, wanted, found, absent, options.repeats, everywhere)
        return 0
    if options.gpus > 1:
        if options.resume:
            raise UserError(Message.of("bench.resumed-on-one"))
        argv = _passed_on(options)
        status, path = gpus.measure(argv, options.dtype, options.gpus, root, options.out)
        return status or draw(path, path.parent)
    run = recording.Recording(root, found, absent, options.repeats, options.out)
    if options.resume:
        run.resume()
    status = run.measure(wanted, everywhere, options.limit)
    return status or draw(run.path, run.path.parent)


def draw(path: Path, folder: Path) -> int:
    """One figure a type and language: speed shape by shape."""
    data, measured = results.read(path)
    for dtype in cases.ITEMSIZE:
        mine = [c for c in measured if c.dtype == dtype and c.method == "events"]
        if mine:
            draw_in_each(folder, f"softmax_{dtype}", partial(_draw, data, dtype, mine))
    return 0


def _draw(data: Mapping[str, Any], dtype: str, mine: Sequence[Any], target: Path, lang: str) -> Iterable[Path]:
    heading = words("title-widths", lang, dtype=dtype, name=data["device"]["name"])
    return figure.draw(target, mine, FIGURE, heading, measured_on(data, lang), lang)


def _parser() -> argparse.ArgumentParser:
    parser = command.parser("softmax")
    add = partial(command.option, parser, "softmax")
    add("--dtype", nargs="*", choices=sorted(cases.ITEMSIZE), default=list(cases.ITEMSIZE))
    add("--file", nargs="*", type=Path, default=[])
    add("--only", nargs="*", metavar="NAME")
    add("--shape", nargs="*", metavar="R,C[,SHIFT]")
    add("--gpus", type=int, default=1, metavar="N")
    add("--repeats", type=int, default=REPEATS, metavar="N")
    add("--limit", type=float, default=3600.0, metavar="S")
    add("--out", type=Path, metavar="FILE")
    add("--resume", action="store_true")
    add("--quick", action="store_true")
    add("--draw", metavar="GPU")
    return parser


def _passed_on(options: argparse.Namespace) -> list[str]:
    """What each process of a run on several GPUs is told besides its types and its file."""
    argv = ["--repeats", str(options.repeats), "--limit", str(options.limit), *(["--quick"] if options.quick else [])]
    for name in ("only", "shape", "file"):
        given = getattr(options, name)
        argv += [f"--{name}", *map(str, given)] if given else []
    return argv


def _shapes(options: argparse.Namespace) -> list[cases.Case]:
    return [cases.Case(dtype, *shape) for dtype in options.dtype for shape in command.shapes(options.shape)]


def _tell(
    root: Path, wanted: Sequence[cases.Case], found: Sequence[contenders.Contender], absent: Mapping[str, str],
    repeats: int, everywhere: bool,
) -> None:  # fmt: skip
    print(say("bench.dry-run", command="python bench/softmax.py"))
    for dtype in dict.fromkeys(c.dtype for c in wanted):
        mine = sorted((c for c in wanted if c.dtype == dtype), key=lambda c: c.bytes)
        traffic = sum(c.bytes for c in mine) / 1e9
        print("  " + say("bench.grid-line", dtype=dtype, count=len(mine), smallest=mine[0].name, largest=mine[-1].name,
                         traffic=traffic))  # fmt: skip
    graphs = sum(c.launch_bound for c in wanted)
    print("  " + say("bench.grid-how", repeats=repeats, empty=EMPTIER_BYTES >> 20, graphs=graphs,
                     limit=LAUNCH_BOUND_BYTES >> 20))  # fmt: skip
    print("  " + records.expected(root, "softmax", wanted).text())
    for contender in found:
        print("  " + say("bench.contender-line", name=contender.name, kind=say(f"bench.kind-{contender.kind}")))
    if not everywhere and any(c.kind == "ladder" for c in found):
        print("  " + say("bench.ladder-where", shapes=", ".join(LADDER_SHAPES)))
    for name, module in absent.items():
        print("  " + say("bench.contender-absent", name=name, module=module))
