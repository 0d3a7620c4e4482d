"""GEMM beside cuBLAS and cuBLASLt: fp32, tf32, fp16 and bf16, squares, models' layers, ragged and narrow shapes.

Method: all ways of a cell in turns, L2 emptied before each call; outputs of the timed calls are compared (see
        `measurement`). Clock and power are NVML's, read while the card works.
But:    random normal numbers; zeros would run faster. A rung is compared at one or two sizes. What joins a record later
        (`--ways`) is not measured under steady load.
"""

from __future__ import annotations

import argparse
import functools
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from audits import command, records
from audits.bench.gemm import additions, figure, roofline
from audits.bench.gemm.build import arch_of, code_hash
from audits.bench.gemm.cells import KINDS, RUNG_SIZE, Cell, grid
from audits.bench.gemm.measurement import measure, sustained
from audits.bench.gemm.ways import LIBRARY, RUNG, Ways, contenders, takes_part
from audits.records import took
from audits.words import draw_in_each, measured_on, words
from onekernel.bench import device
from onekernel.bench.timing import L2Emptier
from onekernel.course import find_root
from onekernel.errors import UserError
from onekernel.messages import Message, localized, say
from onekernel.profiling import ncu, report

LIMIT = 240.0
STEADY = Cell("square", "bfloat16", 8192, 8192, 8192)
PROFILED = {  # what is kept of a rung -> ncu's name of it
    "seconds": ncu.DURATION,  # nanoseconds there
    "issue": ncu.ISSUE_PERCENT,
    "fma": "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active",
    "tensor": "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
    "conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
    "registers": ncu.REGISTERS,
}
RUNNING = ("selected", "not_selected")  # warps that wait for nothing
LEAST_STALL = 0.05  # warps


def main(argv: Sequence[str]) -> int:
    parser = command.parser("gemm")
    command.option(parser, "gemm", "--only", nargs="*", choices=KINDS, default=list(KINDS))
    command.option(parser, "gemm", "--ways", nargs="+", default=[], metavar="NAME")
    command.option(parser, "gemm", "--limit", type=float, default=LIMIT, metavar="S")
    command.option(parser, "gemm", "--out", type=Path, metavar="DIR")
    command.option(parser, "gemm", "--draw", metavar="GPU")
    command.option(parser, "gemm", "--once", action="store_true")
    command.option(parser, "gemm", "--ncu", type=Path, metavar="CSV")
    options, root = parser.parse_args(argv), find_root()
    if options.ncu:
        return _told_by_ncu(root, options.draw or device.current().slug, options.ncu, options.out)
    if options.draw:
        path = records.recorded(root, options.draw, "gemm")
        return draw(records.read(path), options.out or path.parent, path.with_name("roofline.json"))
    known = list(contenders(root))
    command.names(options.ways, known)
    ways = options.ways or known
    wanted = [cell for cell in grid() if cell.kind in options.only and any(takes_part(name, cell) for name in ways)]
    if options.dry_run or not command.has_gpu("dry-run-instead"):
        print(say("bench.dry-run", command="python bench/gemm.py"))
        for name in ways:
            count = sum(takes_part(name, cell) for cell in wanted)
            print("  " + say("bench.gemm-line", name=name, count=count, library=", ".join(LIBRARY)))
        if not options.ways:
            print("  " + records.expected(root, "gemm").text())
        return 0
    return once(root) if options.once else _measure(root, wanted, options)


def once(root: Path) -> int:
    """Calls each rung once, for a profiler around this process."""
    import torch

    ways = Ways(root, arch_of(device.current().capability))
    for dtype in ("float32", "bfloat16"):
        cell = Cell("square", dtype, RUNG_SIZE, RUNG_SIZE, RUNG_SIZE)
        a, b, c = (torch.randn(RUNG_SIZE, RUNG_SIZE, device="cuda").to(getattr(torch, dtype)) for _ in range(3))
        for name, _, call in ways.bound(cell, a, b, functools.partial(_same, c)):
            if name.startswith(RUNG) and not isinstance(call, Exception):
                call()
    torch.cuda.synchronize()
    return 0


def _same(c: Any) -> Any:
    return c


def _told_by_ncu(root: Path, gpu: str, raw: Path, out: Path | None) -> int:
    """What ncu wrote around `--once`, as a result file beside the bench's own of the same card."""
    measured = records.read(records.recorded(root, gpu, "gemm"))
    path = (out or records.results(root) / gpu) / "gemm_ncu.json"
    kept = {key: measured[key] for key in ("device", "versions", "date", "kernels")}
    how = "ncu --clock-control none ... python bench/gemm.py --once"
    records.write(path, {"bench": "gemm_ncu", **kept, "command": how, "size": RUNG_SIZE, "rungs": rungs_profiled(raw)})
    print(say("bench.written", path=path))
    return 0


def rungs_profiled(raw: Path) -> list[dict[str, Any]]:
    """What Nsight Compute says of each kernel of its raw page, in the order of the launches: how busy the units are, in
    percent, counts, and in `stalls` the warps that wait for each instruction that is issued.

    The page is that of ncu --clock-control none --section SpeedOfLight --section WarpStateStats
    --section ComputeWorkloadAnalysis --section MemoryWorkloadAnalysis_Tables --csv --page raw --log-file RAW
    python bench/gemm.py --once. Raises UserError for another file.
    """
    try:
        rows = list(report.raw_rows(raw.read_text(encoding="utf-8")))
    except ValueError:
        raise UserError(Message.of("bench.gemm-no-ncu", path=raw)) from None
    kernels = []
    for row in rows:
        values = {name: value for name, text in row.items() if (value := report.number(text)) is not None}
        found: dict[str, Any] = {"kernel": row["Kernel Name"].partition("(")[0].removeprefix("void ")}
        found |= {key: values[name] for key, name in PROFILED.items() if name in values}
        found["seconds"] *= 1e-9
        stalls = {n.removeprefix(ncu.STALL_PREFIX).removesuffix(ncu.STALL_SUFFIX): v for n, v in values.items()
                  if n.startswith(ncu.STALL_PREFIX) and n.endswith(ncu.STALL_SUFFIX)}  # fmt: skip
        stalls = {name: v for name, v in stalls.items() if name not in RUNNING and v >= LEAST_STALL}
        found["stalls"] = dict(sorted(stalls.items(), key=lambda item: -item[1]))
        kernels.append(found)
    return kernels


def _measure(root: Path, wanted: Sequence[Cell], options: argparse.Namespace) -> int:
    import torch

    began = time.perf_counter()
    card, emptier = device.current(), L2Emptier()
    ways = Ways(root, arch_of(card.capability), options.ways)
    path = (options.out or records.results(root) / card.slug) / "gemm.json"
    earlier = path.is_file() and bool(options.ways)
    cells: list[dict[str, Any]] = []
    hashes = {name: code_hash(source) for name, source in ways.sources.items()}
    data = {"bench": "gemm", "device": asdict(card), **device.provenance(), "kernels": hashes, "cells": cells}
    for cell in wanted:
        if time.perf_counter() - began > options.limit:
            print(say("bench.gemm-limit", done=len(cells), count=len(wanted), seconds=options.limit))
            break
        cells.append(measure(cell, ways, emptier))
        data |= {"missing": len(wanted) - len(cells), "took": took(began)}
        if not earlier:
            records.write(path, data)
        torch.cuda.empty_cache()
        print(_told(cells[-1]), flush=True)
    if earlier:
        record = records.read(path)
        additions.join(record, data, options.ways)
        data = record
    elif STEADY in wanted:
        data |= {"sustained": sustained(STEADY, ways, ("cublas", "gemm_tensorcore", "gemm_mma")), "took": took(began)}
    records.write(path, data)
    print(say("bench.written", path=path))
    return draw(data, path.parent, path.with_name("roofline.json"))


def _told(cell: dict[str, Any]) -> str:
    """A line of progress: each way's TFLOP/s."""
    rates = (f"{name} {cell['flops'] / way['median_s'] / 1e12:.1f}" if "median_s" in way else f"{name} -"
             for name, way in cell["ways"].items())  # fmt: skip
    state = cell["state"]
    shape = f"{cell['m']}x{cell['n']}x{cell['k']}{' ABt' if cell['turned'] else ''}"
    return f"{cell['dtype']} {shape} ({state.get('sm_mhz')} MHz, {state.get('power_w')} W): {'  '.join(rates)}"


def draw(data: dict[str, Any], folder: Path, softmax: Path) -> int:
    """The figure in each language; and GEMM and softmax under one roof, where the file `softmax` is that card's
    roofline of softmax."""
    name, cells = data["device"]["name"], data["cells"]
    roofs = records.read(softmax) if softmax.is_file() else None

    def one(target: Path, lang: str) -> Iterable[Path]:
        under = measured_on(data, lang)
        paths = figure.draw(target, cells, words("title-gemm", lang, name=name), under, lang)
        if roofs:
            heading = words("title-gemm-roofline", lang, name=name, shape=" x ".join(map(str, roofs["shape"])))
            target = folder / localized("gemm_roofline", lang)
            paths += roofline.draw(target, cells, roofs, heading, f"{under}; {measured_on(roofs, lang)}", lang)
        return paths

    draw_in_each(folder, "gemm", one)
    return 0
