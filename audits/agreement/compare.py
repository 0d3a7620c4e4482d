"""The simulator's counts of a case beside ncu's, and the reasons that explain where they differ."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from audits.agreement.cases import Case
from onekernel import counts, cuda, simulator
from onekernel.backends.call_arguments import buffers
from onekernel.counts import KernelCounts
from onekernel.errors import UserError
from onekernel.messages import Message
from onekernel.profiling import ncu, report
from onekernel.profiling.report import bare_name

EQUAL = {  # metric -> its short name
    counts.LOAD_REQUESTS: "load requests", counts.LOAD_SECTORS: "load sectors",
    counts.STORE_REQUESTS: "store requests", counts.STORE_SECTORS: "store sectors",
    counts.SHARED_LOAD_WAVEFRONTS: "shared load wavefronts", counts.SHARED_STORE_WAVEFRONTS: "shared store wavefronts",
    counts.SHARED_LOAD_CONFLICTS: "shared load conflicts", counts.SHARED_STORE_CONFLICTS: "shared store conflicts",
}  # fmt: skip
BASE = {  # a number of conflicts is judged as a part of the wavefronts
    counts.SHARED_LOAD_CONFLICTS: counts.SHARED_LOAD_WAVEFRONTS,
    counts.SHARED_STORE_CONFLICTS: counts.SHARED_STORE_WAVEFRONTS,
}
METRICS = (*EQUAL, counts.DRAM_READ, counts.DRAM_WRITE)
WITHIN = 0.05  # of DRAM reads, for tensors beyond L2


def simulated(root: Path, case: Case) -> tuple[KernelCounts, ...]:
    """The simulator's counts of the case, or of a part of it. Raises UserError where the kernel is not clean."""
    path, function, args = case.call(root, case.scale)
    answer = simulator.build(path, "count", time_limit=120, arch=case.arch).call(function, buffers(args))
    if answer.status or answer.findings:
        said = "; ".join(map(str, answer.findings)) or answer.status_name
        raise UserError(Message.of("profile.agreement-unclean", case=case.label, said=said))
    return answer.kernels


def measured(root: Path, case: Case) -> list[dict[str, Any]]:
    """ncu's side of a case as it is kept: each kernel's metrics in the first run, and in every run."""
    runs = [profiled(root, case) for _ in range(case.runs)]
    return [
        {"kernel": bare_name(k.kernel), "metrics": dict(k.metrics), "runs": [dict(run[i].metrics) for run in runs]}
        for i, k in enumerate(runs[0])
    ]


def profiled(root: Path, case: Case) -> tuple[KernelCounts, ...]:
    """ncu's counts of the whole case."""
    path, function, args = case.call(root, 1)
    library = str(cuda.build(path).library_path)
    exported = ncu.capture({"library": library, "function": function, "args": args}, METRICS, ())
    return report.kernels(exported, None)


def compare(case: Case, ours: tuple[KernelCounts, ...], theirs: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """One row a kernel: each metric as [simulator, ncu]. Raises UserError where the launches are not the same."""
    if [bare_name(k.kernel) for k in ours] != [k["kernel"] for k in theirs]:
        ran, seen = (", ".join(names) for names in ([k.kernel for k in ours], [k["kernel"] for k in theirs]))
        raise UserError(Message.of("profile.agreement-launches", case=case.label, ran=ran, seen=seen))
    for mine, other in zip(ours, theirs, strict=True):
        both = {m: [int(mine.metrics.get(m, 0)), int(other["metrics"].get(m, 0))] for m in EQUAL}
        yield {"case": asdict(case), "label": case.label, "kernel": other["kernel"], "metrics": both,
               "different": [m for m, (a, b) in both.items() if a != b],
               "runs": [{m: int(run[m]) for m in EQUAL} for run in other["runs"]]}  # fmt: skip


def reasons() -> list[dict[str, Any]]:
    """Why counts may differ, and of which kernels, shapes and metrics by how much: `reasons.toml`."""
    data = tomllib.loads(Path(__file__).with_name("reasons.toml").read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = data["reason"]
    return found


def explain(row: dict[str, Any], known: list[dict[str, Any]]) -> list[str]:
    """The reasons that hold for a row's kernel and shape, by id; none at all where a difference is left without one."""
    found: set[str] = set()
    for metric in row["different"]:
        ours, theirs = row["metrics"][metric]
        for reason in known:
            part = [row["kernel"], *row["case"]["shape"]] in reason["of"] and EQUAL[metric] in reason["metrics"]
            if part and abs(theirs - ours) <= reason["within"] * row["metrics"][BASE.get(metric, metric)][1]:
                found.add(reason["id"])
                break
        else:
            return []
    return sorted(found)


def beyond(case: Case, ours: tuple[KernelCounts, ...], theirs: list[dict[str, Any]]) -> dict[str, Any]:
    """Compulsory bytes, scaled, against DRAM reads."""
    compulsory = case.scale * sum(b.unique_loaded for k in ours for b in k.buffers)
    read = sum(k["metrics"][counts.DRAM_READ] for k in theirs)
    return {"case": asdict(case), "label": case.label, "compulsory": compulsory, "dram_read": int(read),
            "difference": read / compulsory - 1}  # fmt: skip
