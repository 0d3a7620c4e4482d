"""The simulator's counts of other people's kernels against ncu's: a folder of repositories and its manifest.

How:    each launch once on the same numbers. Under ncu with --measure, on a machine with a GPU, one process a file;
        here, by the machine code of the card that ncu saw.
But:    a kernel whose lanes race for one place (compare and swap) loads as often as it loses, which no address tells.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from audits import command, records
from audits.agreement.compare import EQUAL
from audits.agreement.others import Launch, OtherFile, files_of
from audits.agreement.others_tables import reason_of, tables
from onekernel import simulator
from onekernel.backends.base import Arg, Buffer, BuildError
from onekernel.backends.call_arguments import GUARD
from onekernel.bench import device
from onekernel.counts import KernelCounts
from onekernel.course import find_root
from onekernel.cuda.nvcc import find as find_nvcc
from onekernel.errors import UserError
from onekernel.messages import Message
from onekernel.profiling import ncu
from onekernel.profiling.report import bare_name
from onekernel.simulator.machine_code.elf import plain_name

BENCH = "others_vs_ncu"


def main(argv: Sequence[str]) -> int:
    options = _parser().parse_args(argv)
    files = files_of(options.folder)
    pages = options.folder / "ncu"  # ncu's raw page of each file, as CSV
    path = options.out or records.results(find_root()) / "h200" / f"{BENCH}.json"
    if options.measure:
        _measure(files, pages)
        card = device.current()
        facts = {"device": asdict(card), **device.provenance()}
        path = options.out or records.results(find_root()) / card.slug / f"{BENCH}.json"
    old: dict[str, Any] = records.read(path) if path.is_file() else {"rows": []}
    if not options.measure:
        facts = {key: old[key] for key in ("device", "versions", "date") if key in old}
    kept = {(row["file"], row["kernel"]): row for row in old["rows"]} if options.only else {}
    rows = []
    for file in files:
        if options.only and not any(text in file.path for text in options.only):
            rows += [kept[file.path, launch.name] for launch in file.launches if (file.path, launch.name) in kept]
            continue
        theirs = _read(pages / f"{file.stem}.csv")
        for launch, (counts, contends) in zip(file.launches, _counted(file), strict=True):
            if launch.name in theirs and counts is not None:
                rows.append(_row(file, launch, counts, theirs[launch.name], contends))
                print(file.repository, launch.name, rows[-1]["different"], rows[-1]["reason"], flush=True)
    how = {"command": "python -m audits.agreement.others_run FOLDER"}
    found = {"bench": BENCH, **facts, **how, "rows": rows, "tables": tables(rows)}
    path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return int(any(row["different"] and not row["reason"] for row in rows))


def _parser() -> argparse.ArgumentParser:
    parser = command.parser(BENCH, "audits.agreement.others_run")
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    command.option(parser, BENCH, "--measure", action="store_true")
    command.option(parser, BENCH, "--only", metavar="TEXT", nargs="+")
    command.option(parser, BENCH, "--out", type=Path, metavar="FILE")
    return parser


def _row(
    file: OtherFile, launch: Launch, ours: KernelCounts, theirs: dict[str, int], contends: bool
) -> dict[str, Any]:
    both = {m: [int(ours.metrics.get(m, 0)), theirs[m]] for m in EQUAL}
    row = {"repository": file.repository, "file": file.path, "kernel": launch.name, "grid": list(ours.grid),
           "block": list(ours.block), "metrics": both, "by_code": bool(ours.extra["by_code"]), "contends": contends,
           "different": [m for m, (a, b) in both.items() if a != b]}  # fmt: skip
    return {**row, "reason": reason_of(row)}


def _counted(file: OtherFile) -> Iterator[tuple[KernelCounts | None, bool]]:
    """Each launch in the simulator, None where it does not run there; whether its lanes compare and swap in shared
    memory, which are repeated by those that lose."""
    with tempfile.TemporaryDirectory(prefix="onekernel-others-") as folder:
        path = Path(folder) / f"{file.stem}.cu"
        path.write_text(file.text, encoding="utf-8")
        try:
            program = simulator.build(path, "count", time_limit=60, arch="sm_90")
        except BuildError as error:
            print(file.path, error.findings[0], flush=True)
            yield from ((None, False) for _ in file.launches)
            return
        for launch in file.launches:
            report = program.call(launch.function, _buffers(launch))
            counts = report.kernels[0] if len(report.kernels) == 1 else None
            codes = program.codes.kernels if program.codes and counts else ()
            yield counts, any(c.contends for c in codes if counts and plain_name(c.symbol) == bare_name(counts.kernel))


def _buffers(launch: Launch) -> list[Arg]:
    out: list[Arg] = []
    for tensor in launch.tensors:
        values = tensor.values()
        memory = np.full(values.nbytes + 2 * GUARD, 0xFF, np.uint8)
        memory[GUARD : GUARD + values.nbytes] = values.view(np.uint8)
        out.append(Buffer(tensor.name, memory, GUARD, values.nbytes, not tensor.constant, 1))
    return out


def _read(page: Path) -> dict[str, dict[str, int]]:
    """ncu's counts by the name of the launch, in whose order they stand; none of a launch that failed."""
    names = json.loads(page.with_suffix(".json").read_text(encoding="utf-8"))
    lines = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith('"')]
    rows = [row for row in csv.DictReader(lines) if row["ID"].strip()]
    found = {name: {m: row[m].replace(",", "") for m in EQUAL} for name, row in zip(names, rows, strict=False)}
    whole = {name: some for name, some in found.items() if "nan" not in some.values()}
    return {name: {m: int(float(value)) for m, value in some.items()} for name, some in whole.items()}


def _measure(files: list[OtherFile], pages: Path) -> None:
    """Has ncu count every launch, a process for each file. Raises UserError without a GPU or a compiler."""
    tool, compiler = ncu.find(), find_nvcc()
    if compiler is None:
        raise UserError(Message("profile.no-gpu", {"cause": Message("cuda.no-nvcc-ahead", {"python": sys.executable})}))
    pages.mkdir(exist_ok=True)
    for file in files:
        source, library, job = (pages / f"{file.stem}{suffix}" for suffix in (".cu", ".so", ".job.json"))
        source.write_text(file.text, encoding="utf-8")
        job.write_text(json.dumps([asdict(launch) for launch in file.launches]), encoding="utf-8")
        names = json.dumps([launch.name for launch in file.launches])
        (pages / f"{file.stem}.json").write_text(names, encoding="utf-8")
        built = [str(compiler.path), "-arch=native", "-std=c++17", "-lineinfo", "-shared", "-Xcompiler", "-fPIC",
                 "-cudart", "shared", "-o", str(library), str(source)]  # fmt: skip
        subprocess.run(built, check=True, capture_output=True)
        shown = ("--clock-control", "none", "--csv", "--page", "raw", "--print-units", "base")
        program = ("-m", "audits.agreement.others_launch", str(library), str(job))
        profiled = [str(tool), *shown, "--metrics", ",".join(EQUAL), sys.executable, *program]
        done = subprocess.run(profiled, capture_output=True, text=True, timeout=ncu.TIME_LIMIT, check=False)
        (pages / f"{file.stem}.csv").write_text(done.stdout, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(command.run(main))
