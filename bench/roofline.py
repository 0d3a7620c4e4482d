"""Row softmax under the roofs of a card: naive, tuned, Triton and F.softmax, and the reading ladder as a path.

Run:    python bench/roofline.py                 measures; writes bench/results/<gpu>/roofline.json and the figures
        python bench/roofline.py --draw h200     draws the figures again from the JSON
        python bench/roofline.py --predict       no GPU needed: simulated traffic under a card's datasheet roofs
Axes:   FLOPs by the course's ledger (5 an element). Bytes: the least that softmax needs, one read and one write, for
        all alike, so that height is speed; with --predict those that the kernel asks for, because there is no time.
But:    the roofs are of DRAM. A shape that lives in L2 (hollow) may stand above them, and is no error.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from onekernel.backends import cuda  # noqa: E402
from onekernel.bench import asked, cells, device, plots, predict, results, roofs  # noqa: E402
from onekernel.bench.cards import Card  # noqa: E402
from onekernel.bench.contenders import Contender, all_contenders  # noqa: E402
from onekernel.bench.roofline import RooflinePoint, Roofs  # noqa: E402
from onekernel.bench.sample import Sample  # noqa: E402
from onekernel.bench.timing import L2Emptier, in_graph, took  # noqa: E402
from onekernel.errors import told  # noqa: E402
from onekernel.messages import LANGUAGES, Message, say  # noqa: E402
from onekernel.ops import OPERATORS  # noqa: E402

SHAPE = (8192, 4096)
L2_SHAPE = (1024, 1024)  # 8 MB in and out: in L2 of every card of the course that has 40 MB and more
SHOWN = ("softmax_naive", "softmax_block", "softmax_tuned", "softmax_triton", "F.softmax")
IN_L2 = ("softmax_tuned", "F.softmax")
FMA_ROUNDS = 1 << 14


def main(argv: list[str] | None = None) -> int:
    parser = asked.parser(__doc__, "roofline")
    options = parser.parse_args(argv)
    if options.draw:
        path = asked.record(ROOT, options.draw, "roofline")
        return _draw(json.loads(path.read_text(encoding="utf-8")), options.out or path.parent)
    if options.dry_run:
        print(say("bench.dry-run", command="python bench/roofline.py"))
        for contender in _contenders():
            print("  " + say("bench.contender-line", name=contender.name, kind=contender.kind))
        print("  " + results.expected(ROOT, "roofline").text())
        return 0
    predicted = options.predict or not asked.has_gpu("prediction-instead")
    data = _predict(asked.card(options.card)) if predicted else _measure()
    # A prediction does not lie among measurements; build/ is nobody's to commit.
    folder = options.out or ROOT / ("build" if predicted else "bench") / "results" / data["device"]["slug"]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / ("roofline_predicted.json" if predicted else "roofline.json")
    path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    print(say("bench.written", path=path))
    return _draw(data, folder)


def _contenders() -> list[Contender]:
    found, _ = all_contenders(ROOT)
    return [c for c in found if c.name in SHOWN or (c.kind == "ladder" and "triton" not in c.name)]


def _measure() -> dict[str, Any]:
    began = time.perf_counter()
    card = device.current()
    emptier = L2Emptier()
    program = cuda.build(ROOT / "bench" / "intensity.cu")
    points = []
    measured = cells.measure(cells.Cell("float32", *SHAPE), _contenders(), card, emptier, 15, seed=1)
    for name, answer in measured["contenders"].items():
        if "median_s" in answer and "discarded" not in answer and name != "copy":
            points.append(_point(name, SHAPE, Sample.from_json(answer).median))
    points += _warm()
    measured_roofs = Roofs(roofs.copy_bandwidth(card, emptier), card.datasheet_bandwidth, _fma(program, card))
    return {
        "bench": "roofline", "predicted": False, "shape": SHAPE, "dtype": "float32", "device": asdict(card),
        **device.provenance(), "took": took(began), "clocks": measured["clocks"],
        "roofs": measured_roofs.to_json(),
        "points": [p.to_json() for p in _ordered(points)],
        "tables": {"roofs": _table(measured_roofs, card.fma_rate)},
    }  # fmt: skip


def _fma(program: cuda.CudaProgram, card: device.Device) -> float:
    import torch

    out = torch.empty(8, device="cuda")
    launch, blocks = program.function("fma_only"), card.sms * 32

    def run(_: int) -> None:
        launch(out.data_ptr(), blocks, FMA_ROUNDS, torch.cuda.current_stream().cuda_stream)

    return roofs.fma_rate(run, blocks * 256 * FMA_ROUNDS * 16, card)


def _warm() -> list[RooflinePoint]:
    """The small shape again and again, with its tensors in L2."""
    import torch

    x = torch.randn(L2_SHAPE, device="cuda")
    y = torch.empty_like(x)
    calls = {c.name: [c.bind(x, y)] for c in _contenders() if c.name in IN_L2}
    timed = in_graph(calls)
    return [
        replace(_point(f"{name} {L2_SHAPE[0]} x {L2_SHAPE[1]}", L2_SHAPE, sample.median), in_l2=True)
        for name, sample in timed.items()
        if isinstance(sample, Sample)
    ]


def _point(name: str, shape: tuple[int, int], seconds: float | None) -> RooflinePoint:
    ledger = OPERATORS["softmax"].ledger({"rows": shape[0], "cols": shape[1]}, 4)
    return RooflinePoint(name, ledger.flops, ledger.bytes, seconds)


def _predict(card: Card) -> dict[str, Any]:
    points, sources = [], {}
    for contender in _contenders():
        path = ROOT / "solutions" / f"{contender.name}.cu"
        path = path if path.is_file() else path.with_suffix(".py")
        found = predict.traffic(path, SHAPE[1]) if path.is_file() else None
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
    return sorted(points, key=lambda p: (p.in_l2, rank.get(p.name, len(rank)), p.name))


def _table(measured: Roofs, fma_rate: float) -> dict[str, Any]:
    """The roofs that the figure draws, as a table, beside what the number of units and the clock promise."""
    rows = [
        [{"en": "copy, measured", "es": "copia, medida"}, f"{measured.copy / 1e12:.2f} TB/s"],
        [{"en": "memory, datasheet", "es": "memoria, hoja de datos"}, f"{measured.datasheet / 1e12:.2f} TB/s"],
        [{"en": "fp32 FMA, measured", "es": "FMA fp32, medida"}, f"{measured.fma / 1e12:.1f} TFLOP/s"],
        [{"en": "fp32 FMA, SMs x lanes x 2 x clock", "es": "FMA fp32, SM x carriles x 2 x reloj"},
         f"{fma_rate / 1e12:.1f} TFLOP/s"],
        [{"en": "ridge point", "es": "punto de cresta"}, f"{measured.ridge:.1f} FLOP/byte"],
    ]  # fmt: skip
    return {"columns": [{"en": "roof", "es": "techo"}, {"en": "value", "es": "valor"}], "rows": rows}


def _draw(data: dict[str, Any], folder: Path) -> int:
    points = [RooflinePoint.from_json(p) for p in data["points"]]
    for lang in LANGUAGES:
        values = {"shape": " x ".join(map(str, data["shape"])), "dtype": data["dtype"], "name": data["device"]["name"]}
        heading = Message("bench.title-roofline", values).text(lang)
        if data["predicted"]:
            source = Message("bench.predicted-source").text(lang)
            under = Message("bench.predicted", {"source": source}).text(lang)
        else:
            under = plots.measured_on(data, lang)
        stem = "roofline_predicted" if data["predicted"] else "roofline"
        path = folder / (stem if lang == "en" else f"{stem}.{lang}")
        limits = Roofs.from_json(data["roofs"])
        for written in plots.roofline(path, points, limits, heading, under, lang, data["predicted"]):
            print(say("bench.written", path=written))
    return 0


if __name__ == "__main__":
    sys.exit(told(main))
