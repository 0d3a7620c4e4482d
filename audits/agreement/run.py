"""The simulator's counts against ncu's, kernel by kernel: exercises, reading ladder, kernels made to go wrong.

How:    one launch of each kernel on the same inputs. Requests, sectors, wavefronts and bank conflicts depend on
        addresses alone: they must be equal, or reasons.toml says what the compiler did. Bytes that a kernel cannot do
        without are compared with DRAM reads, on tensors larger than L2; there the simulator counts a part of the rows,
        and its count is scaled.
But:    only what this table compares is known to agree, and on one card.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from audits import command, records
from audits.agreement.cases import BEYOND_L2, CASES, Case
from audits.agreement.compare import (
    EQUAL,
    WITHIN,
    beyond,
    compare,
    explain,
    measured,
    reasons,
    simulated,
)
from audits.agreement.tables import tables
from audits.records import took
from onekernel.bench import device
from onekernel.course import find_root
from onekernel.errors import UserError
from onekernel.messages import Message, say
from onekernel.profiling.report import bare_name

BENCH = "simulator_vs_ncu"


def main(argv: Sequence[str]) -> int:
    options, root = _parser().parse_args(argv), find_root()
    if options.dry_run:
        _print_simulated(root)
        return 0
    cases: Sequence[Case] = CASES
    large: Sequence[Case] = BEYOND_L2
    labels = [case.label for case in (*cases, *large)]
    for text in options.only or ():
        if not any(text in label for label in labels):
            raise UserError(Message("profile.agreement-no-case", {"text": text, "labels": ", ".join(labels)}))
    if options.again:
        path = options.out or next(iter(sorted(records.results(root).glob(f"*/{BENCH}.json"))), None)
        if path is None:
            raise UserError(Message("profile.agreement-nothing-yet"))
        old = records.read(path)
        facts: dict[str, Any] = {k: old[k] for k in ("device", "versions", "date", "command", "took") if k in old}
        theirs = old["ncu"]
        cases, large = (tuple(c for c in some if c.label in theirs) for some in (cases, large))
    else:
        path, facts, theirs = _profile(root, options)
    known = reasons()
    rows = []
    for case in cases:
        for row in compare(case, simulated(root, case), theirs[case.label]):
            row["reasons"] = explain(row, known)
            rows.append(row)
    beyond_l2 = [beyond(case, simulated(root, case), theirs[case.label]) for case in large]
    _write(path, {"bench": BENCH, **facts, "rows": rows, "beyond_l2": beyond_l2, "ncu": theirs,
                  "tables": tables(rows, beyond_l2, known)})  # fmt: skip
    return _verdict(rows, beyond_l2)


def _parser() -> argparse.ArgumentParser:
    parser = command.parser(BENCH, "audits.agreement")
    command.option(parser, BENCH, "--again", action="store_true")
    command.option(parser, BENCH, "--only", metavar="TEXT", nargs="+")
    command.option(parser, BENCH, "--out", type=Path, metavar="FILE")
    return parser


def _print_simulated(root: Path) -> None:
    for case in CASES:
        for kernel in simulated(root, case):
            shown = {short: int(kernel.metrics.get(name, 0)) for name, short in EQUAL.items()}
            print(case.label, bare_name(kernel.kernel), {k: v for k, v in shown.items() if v})


def _profile(root: Path, options: argparse.Namespace) -> tuple[Path, dict[str, Any], dict[str, Any]]:
    """Has ncu count the cases; the result file, what it says of the run, and the counts by case."""
    began = time.perf_counter()
    card = device.current()
    path = options.out or records.results(root) / card.slug / f"{BENCH}.json"
    facts = {"device": asdict(card), **device.provenance(), "command": "python -m audits.agreement"}
    theirs = records.read(path)["ncu"] if options.only else {}
    for case in (*CASES, *BEYOND_L2):
        if options.only and not any(text in case.label for text in options.only):
            continue
        theirs[case.label] = measured(root, case)
        print(say("profile.agreement-counted", case=case.label, count=len(theirs[case.label])), flush=True)
        _write(path, {"bench": BENCH, **facts, "ncu": theirs})  # the simulator's side can be redone
    facts["took"] = took(began)  # on the card
    return path, facts, theirs


def _write(path: Path, data: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _verdict(rows: Sequence[Mapping[str, Any]], large: Sequence[Mapping[str, Any]]) -> int:
    """Says each difference and its reason. The exit status: 1 where one has none."""
    wrong = 0
    for row in rows:
        why = ", ".join(row["reasons"]) or say("profile.agreement-unexplained")
        for metric in row["different"]:
            ours, theirs = row["metrics"][metric]
            print(say("profile.agreement-differs", case=row["label"], kernel=row["kernel"], metric=EQUAL[metric],
                      ours=ours, theirs=theirs, why=why))  # fmt: skip
            wrong += not row["reasons"]
    for row in large:
        far = not math.isfinite(row["difference"]) or abs(row["difference"]) > WITHIN
        print(say("profile.agreement-beyond", case=row["label"], compulsory=row["compulsory"],
                  read=row["dram_read"], far=say("profile.agreement-too-far") if far else ""))  # fmt: skip
        wrong += far
    equal = sum(not row["different"] for row in rows)
    print(say("profile.agreement-verdict", equal=equal, kernels=len(rows), metrics=len(EQUAL), wrong=wrong))
    return 1 if wrong else 0
