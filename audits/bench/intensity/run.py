"""Arithmetic intensity from end to end: doubling 2^24 fp16 elements 1 to 1024 times between one read and one write.

Model:  n doublings are 2 n FLOP an element (a fused multiply-add counts as two) over 4 bytes: n / 2 FLOP per byte.
        The datasheet's ridge is where the time for the bytes equals the time for the FLOPs.
But:    near the ridge both roofs are busy, and a real kernel stays under each of them.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from audits import command, records
from audits.bench import roofs
from audits.bench.intensity import figure
from audits.bench.roofline.points import Roofs
from audits.records import took
from audits.words import draw_in_each, in_each, in_numbers, measured_on, words
from onekernel import cuda, simulator
from onekernel.backends.base import Arg, Buffer
from onekernel.bench import device
from onekernel.bench.cards import Card, card_named
from onekernel.bench.timing import L2Emptier, interleaved
from onekernel.counts import LOAD_SECTORS, SECTOR_BYTES, STORE_SECTORS
from onekernel.course import find_root
from onekernel.messages import say

ELEMENTS = 1 << 24
BYTES = 4 * ELEMENTS  # one fp16 read, one written
SIMULATED = 1 << 16  # elements: each one costs the same
DOUBLINGS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


def main(argv: Sequence[str]) -> int:
    parser = command.drawing_parser("intensity")
    command.option(parser, "intensity", "--ridge", type=float, metavar="N")
    options, root = parser.parse_args(argv), find_root()
    if options.ridge is not None and options.ridge <= 0:
        raise command.too_small("--ridge", options.ridge)
    if options.draw:
        path = records.recorded(root, options.draw, "intensity")
        folder = path.parent if options.ridge is None else records.own(root) / options.draw
        return draw(records.read(path), options.out or folder, options.ridge)
    if options.dry_run:
        print(say("bench.dry-run", command="python bench/intensity.py"))
        print("  " + say("bench.intensity-line", count=len(DOUBLINGS), most=DOUBLINGS[-1], megabytes=BYTES >> 20))
        print("  " + records.expected(root, "intensity").text())
        return 0
    predicted = options.predict or not command.has_gpu("prediction-instead")
    kernel = root / "bench" / "intensity.cu"
    data = _predict(kernel, command.card(options.card)) if predicted else _measure(kernel)
    # Neither a prediction nor a figure with somebody's own ridge lies among the committed measurements.
    slug = data["device"]["slug"]
    folder = options.out or (records.own(root) if predicted else records.results(root)) / slug
    path = folder / ("intensity_predicted.json" if predicted else "intensity.json")
    records.write(path, data)
    print(say("bench.written", path=path))
    return draw(data, folder if options.ridge is None or options.out else records.own(root) / slug, options.ridge)


def _measure(kernel: Path) -> dict[str, Any]:
    import torch

    began = time.perf_counter()
    card, emptier = device.current(), L2Emptier()
    launch = cuda.build(kernel).function("repeated_double")
    x = torch.randn(ELEMENTS, device="cuda").half()
    y = torch.empty_like(x)

    def call(n: int) -> None:
        status = launch(x.data_ptr(), y.data_ptr(), ELEMENTS, n, torch.cuda.current_stream().cuda_stream)
        if status:
            raise RuntimeError(f"repeated_double returned cudaError_t {status}")

    call(3)
    if not torch.equal(y, x * 8):
        raise RuntimeError("three doublings are not a factor of eight: the kernel is wrong")
    state: list[device.Clocks] = []
    walk = {str(n): (lambda n=n: call(n)) for n in DOUBLINGS}
    samples = interleaved(walk, emptier=emptier, in_flight=lambda: state.append(device.clocks()))
    listed = card_named(card.name)
    peak = listed.fp16 if listed else 2 * card.fma_rate
    for n, sample in samples.items():
        roofs.check(sample, BYTES / 2, BYTES / 2, card)
        roofs.check_rate(sample, 2 * int(n) * ELEMENTS, peak)
    copy = interleaved({"copy": lambda: y.copy_(x)}, emptier=emptier)["copy"]
    data = {
        "bench": "intensity", "predicted": False, "elements": ELEMENTS, "device": asdict(card), **device.provenance(),
        "took": took(began), "clocks": {"during": state[0].to_json()},
        "roofs": Roofs(BYTES / copy.median, card.datasheet_bandwidth, peak).to_json(),
        "samples": {n: s.to_json() for n, s in samples.items()},
    }  # fmt: skip
    return data | {"tables": {"sweep": _table(data)}}


def _predict(kernel: Path, card: Card) -> dict[str, Any]:
    asks = _simulated_bytes(kernel)
    times = {n: max(asks * ELEMENTS / card.bandwidth, 2 * n * ELEMENTS / card.fp16) for n in DOUBLINGS}
    return {
        "bench": "intensity", "predicted": True, "elements": ELEMENTS, **device.provenance(),
        "device": {"name": card.name, "slug": device.slug_of(card.name), "driver": "-"}, "bytes_per_element": asks,
        "roofs": Roofs(0.0, card.bandwidth, card.fp16).to_json(),
        "samples": {n: {"median_s": t, "q1_s": t, "q3_s": t, "count": 1} for n, t in times.items()},
    }  # fmt: skip


def _simulated_bytes(kernel: Path) -> float:
    """Bytes of the sectors that the kernel asks for, an element, by the simulator."""
    values = np.ones(SIMULATED, np.float16).view(np.uint8)
    args: list[Arg] = [Buffer("in", values, 0, values.size, False, 2),
                       Buffer("out", np.zeros_like(values), 0, values.size, True, 2), SIMULATED, 1]  # fmt: skip
    report = simulator.build(kernel, mode="count").call("repeated_double", args)
    if report.status:
        raise RuntimeError(f"repeated_double returned {report.status_name} on the simulator")
    sectors = sum(k.metrics.get(name, 0.0) for k in report.kernels for name in (LOAD_SECTORS, STORE_SECTORS))
    return sectors * SECTOR_BYTES / SIMULATED


def _series(data: Mapping[str, Any]) -> tuple[list[int], list[float], list[float]]:
    """Doublings, bytes/s, FLOP/s."""
    times = {int(n): s["median_s"] for n, s in data["samples"].items()}
    counts = sorted(times)
    return counts, [BYTES / times[n] for n in counts], [2 * n * ELEMENTS / times[n] for n in counts]


def _table(data: Mapping[str, Any]) -> dict[str, Any]:
    rows = [
        [str(n), in_numbers("{:g}", n / 2), in_numbers("{:.1f}", BYTES / b * 1e6), in_numbers("{:.2f}", b / 1e12),
         in_numbers("{:.1f}", f / 1e12)]
        for n, b, f in zip(*_series(data), strict=True)
    ]
    columns: list[Any] = [in_each("column-doublings"), "FLOP/byte", "us", "TB/s", "TFLOP/s"]
    return {"columns": columns, "rows": rows}


def draw(data: Mapping[str, Any], folder: Path, ridge: float | None) -> int:
    """The figure in each language, with somebody's own `ridge` beside the datasheet's."""
    counts, bandwidth, rate = _series(data)
    limits, predicted = Roofs.from_json(data["roofs"]), data["predicted"]
    ridges = {"ridge-datasheet": 2 * limits.fma / limits.datasheet} | ({"ridge-yours": ridge} if ridge else {})
    stem = "intensity_predicted" if predicted else "intensity"

    def one(target: Path, lang: str) -> Iterable[Path]:
        heading = words("title-intensity", lang, name=data["device"]["name"])
        if predicted:
            under = words("predicted-intensity", lang, bytes=data["bytes_per_element"])
        else:
            under = measured_on(data, lang)
        return figure.draw(target, counts, bandwidth, rate, limits, ridges, heading, under, lang, predicted)

    draw_in_each(folder, stem, one)
    return 0
