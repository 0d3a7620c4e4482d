"""Hopper's pieces, each with and without: tensor maps, mbarriers, wgmma, a producer, persistent blocks, multicast.

Method: the kernels of solutions/reading/hopper beside those of bench/hopper.cu, the ways of a part in turns, L2 emptied
        before each call; what a way writes is compared before its times and after them.
But:    one size each. The products are of tiles that stay in shared memory: what the instruction can do, not a GEMM.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from audits import command, records
from audits.bench.gemm.build import BuildFailed, Source, arch_of, code_hash, libraries
from audits.bench.hopper.parts import PARTS, Part, sources
from audits.records import took
from audits.words import in_each, in_numbers
from onekernel.bench import device
from onekernel.bench.timing import L2Emptier, interleaved
from onekernel.course import find_root
from onekernel.errors import UserError
from onekernel.messages import Message, say

ARCH = "90a"


def main(argv: Sequence[str]) -> int:
    parser = command.parser("hopper")
    command.option(parser, "hopper", "--only", nargs="*", choices=PARTS, default=list(PARTS))
    command.option(parser, "hopper", "--out", type=Path, metavar="DIR")
    options, root = parser.parse_args(argv), find_root()
    if options.dry_run or not command.has_gpu("dry-run-instead"):
        print(say("bench.dry-run", command="python bench/hopper.py"))
        print("  " + say("bench.hopper-line", parts=", ".join(options.only)))
        print("  " + records.expected(root, "hopper").text())
        return 0
    return _measure(root, options.only, options.out)


def _measure(root: Path, wanted: Sequence[str], out: Path | None) -> int:
    import torch

    began, card = time.perf_counter(), device.current()
    if arch_of(card.capability) != ARCH:
        raise UserError(Message.of("bench.hopper-only", name=card.name))
    built = {source.path.stem: library for source, library in
             libraries(Source(path, ARCH) for path in sources(root)).items()}  # fmt: skip
    loaded = {}
    for name, library in built.items():
        if isinstance(library, BuildFailed):
            raise UserError(Message.of("bench.hopper-not-built", name=name, text=str(library)))
        loaded[name] = library
    path = (out or records.results(root) / card.slug) / "hopper.json"
    earlier = records.read(path) if path.is_file() and len(wanted) < len(PARTS) else {"parts": {}, "tables": {}}
    parts, tables = dict(earlier["parts"]), dict(earlier["tables"])
    for name in wanted:
        part = PARTS[name](loaded, card.sms)
        parts[name] = measured(part)
        tables[name] = table(part, parts[name])
        print(f"{name}: " + "  ".join(f"{w} {way['rate']:.4g}" for w, way in parts[name]["ways"].items()), flush=True)
        del part
        torch.cuda.empty_cache()
    hashes = {source.stem: code_hash(source) for source in sources(root)}
    data = {"bench": "hopper", "device": asdict(card), **device.provenance(), "kernels": hashes, "parts": parts,
            "tables": tables, "took": took(began)}  # fmt: skip
    records.write(path, data)
    print(say("bench.written", path=path))
    return 0


def measured(part: Part) -> dict[str, Any]:
    """Each way's times and rate; the clock and the power meanwhile. Raises UserError for a wrong result."""
    _check(part)
    state: list[device.Clocks] = []
    samples = interleaved({name: way.call for name, way in part.ways.items()}, emptier=L2Emptier(),
                          in_flight=lambda: state.append(device.clocks()))  # fmt: skip
    _check(part)
    ways = {name: s.to_json() | {"rate": part.rate(name, s.median)} for name, s in samples.items()}
    return {"unit": part.unit, "ways": ways, "clocks": state[0].to_json()}


def _check(part: Part) -> None:
    for name, way in part.ways.items():
        if way.wrong():
            raise UserError(Message.of("bench.hopper-wrong", part=part.name, name=name))


def table(part: Part, found: dict[str, Any]) -> dict[str, Any]:
    """The part's table in each language: a way, the median of its times, its rate."""
    rows = [[in_each(f"hopper-{name}"), in_numbers("{:,.1f}", 1e6 * w["median_s"]), in_numbers("{:,.0f}", w["rate"])]
            for name, w in found["ways"].items()]  # fmt: skip
    unit: Any = in_each("hopper-ns") if part.unit == "ns" else part.unit
    return {"columns": [in_each("hopper-way"), "us", unit], "rows": rows}
