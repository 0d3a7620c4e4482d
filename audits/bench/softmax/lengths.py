"""Both softmax kernels over hundreds of row lengths: right in every row, and as fast as a copy.

Method: the CUDA kernel is called at each length with few rows and with many, because either may take another way. The
        Triton kernel is called by several processes, each with neighbouring lengths in rising, falling and random
        order, and each key gets a configuration at random from those that pruning keeps: a choice that is remembered
        for one length is used for the next. Values are compared with fp64, row sums with 1. Then some lengths are
        timed, taking turns with a copy, L2 emptied before each.
But:    the rows are few: a fault that shows only among thousands of them is the other tests' to find.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from audits import command, records
from audits.bench.softmax.calls import (
    GIANTS,
    LENGTHS,
    Kernel,
    check,
    check_cuda,
    check_giants,
    cuda_kernel,
    triton_kernel,
)
from audits.bench.softmax.cases import ITEMSIZE
from onekernel import comments
from onekernel.bench import device
from onekernel.bench.timing import L2Emptier, interleaved
from onekernel.course import fastest, find_root
from onekernel.messages import LANGUAGES, say
from onekernel.numerals import number

KERNELS = ("softmax_tuned", "softmax_triton")
REPEATS = 9
TIMED = (100, 500, 1000, 1536, 3000, 5000, 7777, 10_000, 20_000, 24_577, 30_000, 40_000, 60_000, 100_000, 130_000,
         150_001, 180_000, 200_001, 230_000, 262_145, 300_001, 350_000, 400_000, 450_000, 500_000, 600_000, 750_001,
         900_000, 1_000_000, 1_250_000, 1_500_000, 1_750_001, 2_000_000, 2_500_000, 3_000_001, 4_000_000, 5_000_000,
         6_000_000, 7_500_001, 8_000_000, 10_000_000)  # fmt: skip
TIMED_BYTES = 256 << 20  # of the input


def main(argv: Sequence[str]) -> int:
    options, root = _parser().parse_args(argv), find_root()
    if options.share:
        return _share(root, options.share)
    print(say("bench.lengths-asked", lengths=len(LENGTHS) + len(GIANTS), types=len(ITEMSIZE), timed=len(TIMED)))
    if options.dry_run or not command.has_gpu("dry-run-instead"):
        return 0
    card = device.current()
    path = (options.out or records.results(root) / card.slug) / "softmax_lengths.json"
    result: dict[str, Any] = {
        "bench": "softmax_lengths", "device": asdict(card), **device.provenance(),
        "sources": {name: comments.sha256(_source(root, name)) for name in KERNELS},
    }  # fmt: skip
    kept = _kept(path, result["sources"], options.only)
    checked = kept["checked"]
    started = time.monotonic()
    tuned = {dtype: cuda_kernel(root, "softmax_tuned", dtype) for dtype in ITEMSIZE}
    giants: dict[str, Callable[[str], Kernel]] = {}
    with Sharing(options.workers if "softmax_triton" in options.only else 0) as sharing:
        if "softmax_tuned" in options.only:
            checked += [one for dtype in ITEMSIZE for one in check_cuda(tuned[dtype], dtype)]
            giants["softmax_tuned"] = tuned.__getitem__
        checked += sharing.results(started + 0.7 * options.limit)
    if "softmax_triton" in options.only:
        triton = triton_kernel(root, "softmax_triton")
        triton.choose(random.Random(0).choice)
        giants["softmax_triton"] = lambda dtype: triton
    checked += check_giants(giants)
    result["checked"] = sorted(checked, key=lambda c: (c["kernel"], c["dtype"], c["cols"], c["rows"]))
    print(say("bench.lengths-checked", seconds=time.monotonic() - started, **_counts(checked)))
    records.write(path, result | {"timed": kept["timed"], "tables": {}})
    result["timed"] = kept["timed"] + _time(root, tuned, options.only, started + options.limit)
    records.write(path, result | {"tables": tables(result)})
    print(say("bench.written", path=path))
    return int(any(not one["right"] for one in checked))


def _parser() -> argparse.ArgumentParser:
    parser = command.parser("softmax_lengths")
    add = partial(command.option, parser, "softmax_lengths")
    add("--out", type=Path, metavar="DIR")
    add("--only", nargs="+", choices=KERNELS, default=list(KERNELS))
    add("--workers", type=int, default=14, metavar="N")
    add("--limit", type=float, default=3600.0, metavar="S")
    parser.add_argument("--share", help=argparse.SUPPRESS)
    return parser


def _kept(path: Path, sources: dict[str, str], anew: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """What the file at `path` has checked and timed of the kernels that are not asked for `anew`, if it is of the same
    files."""
    nothing: dict[str, Any] = {"checked": [], "timed": [], "sources": {}}
    old = records.read(path) if path.is_file() and set(anew) != set(KERNELS) else nothing
    same = {name for name in KERNELS if name not in anew and old["sources"].get(name) == sources[name]}
    return {part: [one for one in old[part] if one["kernel"] in same] for part in ("checked", "timed")}


def _source(root: Path, name: str) -> Path:
    return next(p for suffix in (".cu", ".py") if (p := fastest(root, f"{name}{suffix}")).is_file())


def _counts(checked: Sequence[dict[str, Any]]) -> dict[str, int]:
    return {"calls": len(checked), "wrong": sum(not one["right"] for one in checked)}


# --- Triton, in several processes -------------------------------------------------------------------------------------
class Sharing:
    """`workers` processes of this bench, each with its share of the lengths of the Triton kernel."""

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def __enter__(self) -> Sharing:
        command_line = [sys.executable, "-m", "audits.bench.softmax.lengths", "--share"]
        self.running = [
            subprocess.Popen([*command_line, f"{k}/{self.workers}"], stdout=subprocess.PIPE, text=True, cwd=find_root())
            for k in range(self.workers)
        ]
        return self

    def results(self, until: float) -> list[dict[str, Any]]:
        found = []
        for process in self.running:
            try:
                text, _ = process.communicate(timeout=max(1.0, until - time.monotonic()))
            except subprocess.TimeoutExpired:  # what it has checked so far
                process.kill()
                text, _ = process.communicate()
            found += [json.loads(line) for line in text.splitlines() if line.endswith("}")]
        return found

    def __exit__(self, *_: object) -> None:
        for process in self.running:
            process.kill()


def _share(root: Path, share: str) -> int:
    """A worker: its share of (type, length), in rising, falling and random order; one line each."""
    index, of = map(int, share.split("/"))
    kernel, chance = triton_kernel(root, "softmax_triton"), random.Random(index)
    jobs = [(dtype, cols) for dtype in ITEMSIZE for cols in LENGTHS]
    mine = jobs[len(jobs) * index // of : len(jobs) * (index + 1) // of]
    kernel.choose(chance.choice)
    for order in (mine, mine[::-1], chance.sample(mine, len(mine))):
        kernel.forget()
        for dtype, cols in order:
            one = check("softmax_triton", kernel, dtype, 5, cols)
            print(json.dumps(one), flush=True)
    return 0


# --- Times ------------------------------------------------------------------------------------------------------------
def _time(root: Path, tuned: dict[str, Kernel], asked: Sequence[str], until: float) -> list[dict[str, Any]]:
    """Each kernel's time and that of a copy in the same turns, in microseconds."""
    import torch

    triton, emptier = triton_kernel(root, "softmax_triton"), L2Emptier()
    found: list[dict[str, Any]] = []
    triton.time_briefly()
    for cols in TIMED:
        for dtype, size in ITEMSIZE.items():
            if time.monotonic() > until:
                return found
            rows = max(1, TIMED_BYTES // (cols * size))
            x = torch.randn(rows, cols, device="cuda", dtype=getattr(torch, dtype))
            y = torch.empty_like(x)
            kernels = {"softmax_tuned": partial(tuned[dtype], x, y), "softmax_triton": partial(triton, x, y)}
            calls: dict[str, Callable[[], Any]] = {"copy": partial(y.copy_, x)} | {n: kernels[n] for n in asked}
            micros = {name: round(s.median * 1e6, 2) for name, s in interleaved(calls, REPEATS, emptier).items()}
            same = {"dtype": dtype, "rows": rows, "cols": cols, "copy_us": micros["copy"]}
            mine = [{"kernel": name, **same, "us": micros[name]} for name in asked]
            shown = ", ".join(f"{one['kernel']} {_percent(one)}" for one in mine)
            print(f"{dtype} {rows} x {cols}: {shown}", flush=True)
            found += mine
    return found


def _percent(one: Mapping[str, Any]) -> int:
    """A timed kernel's speed, of the copy's."""
    copy, own = float(one["copy_us"]), float(one["us"])
    return round(100 * copy / own)


# --- Tables -----------------------------------------------------------------------------------------------------------
def tables(result: dict[str, Any]) -> dict[str, Any]:
    """What the pages show: how many calls were right, and the timed lengths as a percentage of a copy."""
    rows = []
    for kernel in KERNELS:
        for dtype in ITEMSIZE:
            mine = [c for c in result["checked"] if (c["kernel"], c["dtype"]) == (kernel, dtype)]
            if not mine:
                continue
            lengths = len({c["cols"] for c in mine})
            refused = sum("why" in c for c in mine)
            wrong = sum(not c["right"] and "why" not in c for c in mine)
            worst = max((c["worst"] for c in mine if c["right"]), default=0.0)
            share = {lang: number(worst, "g", lang) for lang in LANGUAGES}
            rows.append([f"`{kernel}`", dtype, lengths, len(mine), wrong, refused, share])
    right = {"columns": [
        {"en": "kernel", "es": "kernel"}, {"en": "dtype", "es": "tipo"}, {"en": "lengths", "es": "longitudes"},
        {"en": "calls", "es": "llamadas"}, {"en": "wrong", "es": "erróneas"}, {"en": "refused", "es": "rechazadas"},
        {"en": "largest error, of what is allowed", "es": "mayor error, respecto a lo admitido"},
    ], "rows": rows}  # fmt: skip
    percent = {(one["kernel"], one["dtype"], one["cols"]): str(_percent(one)) for one in result["timed"]}
    cells = {(cols, d): [percent.get((kernel, d, cols), "-") for kernel in KERNELS] for cols in TIMED for d in ITEMSIZE}
    reached = sorted({one["cols"] for one in result["timed"]})
    speed = {"columns": [{"en": "columns", "es": "columnas"}, *({"en": d, "es": d} for d in ITEMSIZE)],
             "rows": [[cols, *(" / ".join(cells[cols, d]) for d in ITEMSIZE)] for cols in reached]}  # fmt: skip
    return {"right": right, "speed": speed}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
