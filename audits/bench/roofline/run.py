"""Row softmax under the roofs of a card: naive, tuned, Triton and F.softmax, and the reading ladder as a path.

Axes:   FLOPs by the course's ledger (5 an element). Bytes: the least that softmax needs, one read and one write, for
        all alike, so that height is speed; with --predict those that the kernel asks for, because there is no time.
But:    the roofs are of DRAM. A shape that lives in L2 (hollow) may stand above them, and is no error.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from audits import command, records
from audits.bench import roofs
from audits.bench.graphs import in_graph
from audits.bench.roofline import figure, tables, traffic
from audits.bench.roofline.points import RooflinePoint, Roofs
from audits.bench.softmax import measurement
from audits.bench.softmax.cases import Case
from audits.bench.softmax.contenders import Contender, all_contenders
from audits.records import took
from audits.words import draw_in_each, measured_on, words
from onekernel import cuda
from onekernel.bench import device
from onekernel.bench.cards import Card
from onekernel.bench.sample import Sample
from onekernel.bench.timing import L2Emptier
from onekernel.course import find_root, rung_order
from onekernel.messages import say
from onekernel.ops import OPERATORS

SHAPE = (8192, 4096)
L2_SHAPE = (1024, 1024)  # 8 MB in and out: in L2 of every card of the course that has 40 MB and more
SHOWN = ("softmax_naive", "softmax_block", "softmax_tuned", "softmax_triton", "F.softmax")
IN_L2 = ("softmax_tuned", "F.softmax")
FMA_ROUNDS = 1 << 14


def main(argv: Sequence[str]) -> int:
    options, root = command.drawing_parser("roofline").parse_args(argv), find_root()
    if options.draw:
        path = records.recorded(root, options.draw, "roofline")
        return draw(records.read(path), options.out or path.parent)
    if options.dry_run:
        print(say("bench.dry-run", command="python bench/roofline.py"))
        for contender in _contenders(root):
            print("  " + say("bench.contender-line", name=contender.name, kind=say(f"bench.kind-{contender.kind}")))
        print("  " + records.expected(root, "roofline").text())
        return 0
    predicted = options.predict or not command.has_gpu("prediction-instead")
    data = _predict(root, command.card(options.card)) if predicted else _measure(root)
    # A prediction does not lie among measurements.
    folder = options.out or (records.own(root) if predicted else records.results(root)) / data["device"]["slug"]
    path = folder / ("roofline_predicted.json" if predicted else "roofline.json")
    records.write(path, data)
    print(say("bench.written", path=path))
    return draw(data, folder)


def _contenders(root: Path) -> list[Contender]:
    """The four implementations, and the rungs of the ladder that are written in CUDA C."""
    found, _ = all_contenders(root)
    rungs = [c for c in found if c.kind == "ladder" and c.source and c.source.suffix == ".cu"]
    return [c for c in found if c.name in SHOWN or c in rungs]


def _measure(root: Path) -> dict[str, Any]:
    began = time.perf_counter()
    card = device.current()
    emptier = L2Emptier()
    program = cuda.build(root / "bench" / "intensity.cu")
    points = []
    contenders = _contenders(root)
    measured = measurement.measure(Case("float32", *SHAPE), contenders, card, emptier, 15, seed=1)
    for name, answer in measured["contenders"].items():
        if "median_s" in answer and "discarded" not in answer and name != "copy":
            points.append(_point(name, SHAPE, Sample.from_json(answer).median))
    points += _warm(contenders)
    measured_roofs = Roofs(roofs.copy_bandwidth(card, emptier), card.datasheet_bandwidth, _fma(program, card))
    return {
        "bench": "roofline", "predicted": False, "shape": SHAPE, "dtype": "float32", "device": asdict(card),
        **device.provenance(), "took": took(began), "clocks": measured["clocks"],
        "roofs": measured_roofs.to_json(),
        "points": [p.to_json() for p in _ordered(points)],
        "tables": {"roofs": tables.roofs(measured_roofs, card.fma_rate)},
    }  # fmt: skip


def _fma(program: cuda.CudaProgram, card: device.Device) -> float:
    import torch

    out = torch.empty(8, device="cuda")
    launch, blocks = program.function("fma_only"), card.sms * 32

    def run(_: int) -> None:
        launch(out.data_ptr(), blocks, FMA_ROUNDS, torch.cuda.current_stream().cuda_stream)

    return roofs.fma_rate(run, blocks * 256 * FMA_ROUNDS * 16, card)


def _warm(contenders: Sequence[Contender]) -> list[RooflinePoint]:
    """The small shape again and again, with its tensors in L2."""
    import torch

    x = torch.randn(L2_SHAPE, device="cuda")
    y = torch.empty_like(x)
    calls = {c.name: [c.bind(x, y)] for c in contenders if c.name in IN_L2}
    timed = in_graph(calls)
    return [
        replace(_point(f"{name} {L2_SHAPE[0]} x {L2_SHAPE[1]}", L2_SHAPE, sample.median), in_l2=True)
        for name, sample in timed.items()
        if isinstance(sample, Sample)
    ]


def _point(name: str, shape: tuple[int, int], seconds: float | None) -> RooflinePoint:
    ledger = OPERATORS["softmax"].ledger({"rows": shape[0], "cols": shape[1]}, 4)
    return RooflinePoint(name, ledger.flops, ledger.bytes, seconds)


def _predict(root: Path, card: Card) -> dict[str, Any]:
    points, sources = [], {}
    for contender in _contenders(root):
        found = traffic.traffic(contender.source, SHAPE[1]) if contender.source else None
        if found:
            point = _point(contender.name, SHAPE, None)
            points.append(replace(point, moved_bytes=found.bytes_per_element * SHAPE[0] * SHAPE[1]))
            sources[contender.name] = found.source
    return {
        "bench": "roofline", "predicted": True, "shape": SHAPE, "dtype": "float32", **device.provenance(),
        "device": {"name": card.name, "slug": device.slug_of(card.name), "driver": "-"}, "sources": sources,
        "roofs": Roofs(0.0, card.bandwidth, card.fp32).to_json(), "points": [p.to_json() for p in _ordered(points)],
    }  # fmt: skip


def _ordered(points: list[RooflinePoint]) -> list[RooflinePoint]:
    """The four implementations first, then the ladder in the order of its rungs, then what lives in L2."""
    rank = {name: number for number, name in enumerate(SHOWN)}

    def place(point: RooflinePoint) -> tuple[bool, int, tuple[float, str]]:
        return point.in_l2, rank.get(point.name, len(rank)), rung_order(point.name.removeprefix("ladder/"))

    return sorted(points, key=place)


def draw(data: Mapping[str, Any], folder: Path) -> int:
    """The figure in each language."""
    points = [RooflinePoint.from_json(p) for p in data["points"]]
    stem = "roofline_predicted" if data["predicted"] else "roofline"

    def one(target: Path, lang: str) -> Iterable[Path]:
        heading = words("title-roofline", lang, shape=" x ".join(map(str, data["shape"])), dtype=data["dtype"],
                        name=data["device"]["name"])  # fmt: skip
        under = words("predicted", lang) if data["predicted"] else measured_on(data, lang)
        return figure.draw(target, points, Roofs.from_json(data["roofs"]), heading, under, lang, data["predicted"])

    draw_in_each(folder, stem, one)
    return 0
