"""Arithmetic intensity from end to end: doubling 2^24 fp16 elements 1 to 1024 times between one read and one write.

Run:    python bench/intensity.py                measures; writes bench/results/<gpu>/intensity.json and the figures
        python bench/intensity.py --ridge 40     draws your own prediction of the ridge, in doublings
        python bench/intensity.py --draw h200    draws the figures again from the JSON
        python bench/intensity.py --predict      no GPU needed: the roofline model under a card's datasheet roofs
Model:  n doublings are 2 n FLOP an element (a fused multiply-add counts as two) over 4 bytes: n / 2 FLOP per byte.
        The predicted ridge is where the time for the bytes equals the time for the FLOPs.
But:    near the ridge both roofs are busy, and a real kernel stays under each of them.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from onekernel.backends import cuda  # noqa: E402
from onekernel.backends.base import Unavailable  # noqa: E402
from onekernel.measure import device, plots, roofs  # noqa: E402
from onekernel.measure.cards import card_named  # noqa: E402
from onekernel.measure.roofline import Roofs  # noqa: E402
from onekernel.measure.timing import L2Emptier, interleaved  # noqa: E402
from onekernel.messages import LANGUAGES, Message, say  # noqa: E402

ELEMENTS = 1 << 24
BYTES = 4 * ELEMENTS  # one fp16 read, one written
DOUBLINGS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ridge", type=float, metavar="N", help="your prediction of the ridge, in doublings")
    parser.add_argument("--out", type=Path, help="default: bench/results/<gpu>/")
    parser.add_argument("--draw", metavar="GPU", help="draw again what bench/results/GPU/intensity.json holds")
    parser.add_argument("--predict", action="store_true", help="the model's figures, no measurement")
    parser.add_argument("--card", default="H200", help="with --predict: a card of measure/cards.toml")
    parser.add_argument("--dry-run", action="store_true")
    options = parser.parse_args(argv)
    if options.dry_run:
        print(say("bench.dry-run", command="python bench/intensity.py"))
        print("  " + say("bench.intensity-line", count=len(DOUBLINGS), most=DOUBLINGS[-1], megabytes=BYTES >> 20))
        return 0
    if options.draw:
        path = ROOT / "bench" / "results" / options.draw / "intensity.json"
        return _draw(json.loads(path.read_text(encoding="utf-8")), path.parent, options.ridge)
    if not options.predict:
        try:
            cuda.require()
        except Unavailable as error:
            print(say("bench.no-gpu", cause=error.message.text()), file=sys.stderr)
            options.predict = True
    data = _predict(options.card) if options.predict else _measure()
    folder = options.out or ROOT / "bench" / "results" / data["device"]["slug"]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / ("intensity_predicted.json" if data["predicted"] else "intensity.json")
    path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    print(say("bench.written", path=path))
    return _draw(data, folder, options.ridge)


def _measure() -> dict[str, Any]:
    import torch

    card, emptier = device.current(), L2Emptier()
    launch = cuda.build(ROOT / "bench" / "intensity.cu").function("repeated_double")
    x = torch.randn(ELEMENTS, device="cuda").half()
    y = torch.empty_like(x)

    def call(n: int) -> None:
        status = launch(x.data_ptr(), y.data_ptr(), ELEMENTS, n, torch.cuda.current_stream().cuda_stream)
        if status:
            raise RuntimeError(f"repeated_double returned cudaError_t {status}")

    call(3)
    if not torch.equal(y, x * 8):
        raise RuntimeError("three doublings are not a factor of eight: the kernel is wrong")
    before = device.clocks()
    samples = interleaved({str(n): (lambda n=n: call(n)) for n in DOUBLINGS}, emptier=emptier)
    for sample in samples.values():
        roofs.check(sample, BYTES / 2, BYTES / 2, card)
    copy = interleaved({"copy": lambda: y.copy_(x)}, emptier=emptier)["copy"]
    listed = card_named(card.name)
    peak = listed.fp16 if listed else 2 * card.fma_rate
    data = {
        "bench": "intensity", "predicted": False, "elements": ELEMENTS, "device": asdict(card), **device.provenance(),
        "clocks": {"before": before.to_json(), "after": device.clocks().to_json()},
        "roofs": Roofs(BYTES / copy.median, card.datasheet_bandwidth, peak).to_json(),
        "samples": {n: s.to_json() for n, s in samples.items()},
    }  # fmt: skip
    return data | {"tables": {"sweep": _table(data)}}


def _predict(card_name: str) -> dict[str, Any]:
    card = card_named(card_name)
    if card is None:
        sys.exit(f"{card_name}: not in measure/cards.toml")
    times = {n: max(BYTES / card.bandwidth, 2 * n * ELEMENTS / card.fp16) for n in DOUBLINGS}
    return {
        "bench": "intensity", "predicted": True, "elements": ELEMENTS, **device.provenance(),
        "device": {"name": card.name, "slug": device.slug_of(card.name), "driver": "-"},
        "roofs": Roofs(0.0, card.bandwidth, card.fp16).to_json(),
        "samples": {n: {"median_s": t, "q1_s": t, "q3_s": t, "count": 1} for n, t in times.items()},
    }  # fmt: skip


def _series(data: dict[str, Any]) -> tuple[list[int], list[float], list[float]]:
    """Doublings, bytes/s, FLOP/s."""
    times = {int(n): s["median_s"] for n, s in data["samples"].items()}
    counts = sorted(times)
    return counts, [BYTES / times[n] for n in counts], [2 * n * ELEMENTS / times[n] for n in counts]


def _table(data: dict[str, Any]) -> dict[str, Any]:
    rows = [
        [str(n), f"{n / 2:g}", f"{BYTES / b * 1e6:.1f}", f"{b / 1e12:.2f}", f"{f / 1e12:.1f}"]
        for n, b, f in zip(*_series(data), strict=True)
    ]
    columns: list[Any] = [{"en": "doublings", "es": "duplicaciones"}, "FLOP/byte", "us", "TB/s", "TFLOP/s"]
    return {"columns": columns, "rows": rows}


def _draw(data: dict[str, Any], folder: Path, ridge: float | None) -> int:
    counts, bandwidth, rate = _series(data)
    limits = Roofs.from_json(data["roofs"])
    predicted = ridge or 2 * limits.fma / limits.datasheet
    for lang in LANGUAGES:
        heading = Message("bench.title-intensity", {"name": data["device"]["name"]}).text(lang)
        under = Message("bench.predicted-intensity").text(lang) if data["predicted"] else plots.measured_on(data, lang)
        stem = "intensity_predicted" if data["predicted"] else "intensity"
        path = folder / (stem if lang == "en" else f"{stem}.{lang}")
        for written in plots.intensity(path, counts, bandwidth, rate, limits, predicted, heading, under, lang,
                                       data["predicted"]):  # fmt: skip
            print(say("bench.written", path=written))
    return 0


if __name__ == "__main__":
    sys.exit(main())
