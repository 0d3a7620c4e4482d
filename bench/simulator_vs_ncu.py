"""The simulator's counts against ncu's, kernel by kernel: exercises, reading ladder, kernels made to go wrong.

Run:    python bench/simulator_vs_ncu.py             needs a GPU; writes bench/results/<gpu>/simulator_vs_ncu.json
        python bench/simulator_vs_ncu.py --again     counts anew, and compares with what ncu said in that file
        python bench/simulator_vs_ncu.py --dry-run   the simulator's side alone, printed
Then:   onekernel author tables                      puts the tables into docs/*/simulator.md
How:    one launch of each kernel on the same inputs. Requests, sectors, wavefronts and bank conflicts depend on
        addresses alone: they must be equal, or bench/simulator_vs_ncu.toml says what the compiler did. Bytes that a
        kernel cannot do without are compared with DRAM reads, on tensors larger than L2; there the simulator counts
        a part of the rows, and its count is scaled.
But:    only what this table compares is known to agree, and on one card. Exit code 1: a difference without explanation.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
import tomllib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from onekernel import counts  # noqa: E402
from onekernel.backends import cuda, simulator  # noqa: E402
from onekernel.bench import device  # noqa: E402
from onekernel.bench.timing import took  # noqa: E402
from onekernel.counts import KernelCounts  # noqa: E402
from onekernel.messages import LANGUAGES  # noqa: E402
from onekernel.profiling import ncu, report  # noqa: E402
from onekernel.profiling.names import bare_name  # noqa: E402
from onekernel.trace import inputs  # noqa: E402

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


@dataclass(frozen=True)
class Case:
    """A file, the shape that ncu sees, how much smaller the simulator's first is, ncu's runs, the card modelled."""

    file: str
    shape: tuple[int, ...]
    scale: int = 1
    runs: int = 1
    arch: str | None = None

    @property
    def name(self) -> str:
        return Path(self.file).stem

    @property
    def label(self) -> str:
        return f"{self.name} {' x '.join(f'{n:,}' for n in self.shape)}"

    def call(self, scale: int) -> tuple[Path, str, list[inputs.Argument]]:
        path = ROOT / self.file
        shape = (self.shape[0] // scale, *self.shape[1:])
        return path, *inputs.of_file(path, shape)


SMALL, ODD, LARGE = (256, 1024), (100, 1001), (8192, 4096)
CASES = (
    Case("solutions/vector_add.cu", (1_000_003,)),
    Case("solutions/dot_product.cu", (1_000_003,)),
    Case("solutions/softmax_naive.cu", (64, 500)),
    Case("solutions/softmax_block.cu", SMALL, runs=3),
    Case("solutions/softmax_block.cu", ODD),
    Case("solutions/softmax_tuned.cu", SMALL),
    Case("solutions/softmax_tuned.cu", ODD),
    Case("solutions/ladder/1_row_per_thread.cu", SMALL),
    Case("solutions/ladder/2_shared_tree.cu", SMALL),
    Case("solutions/ladder/3_warp_shuffle.cu", SMALL),
    Case("solutions/ladder/4_online.cu", SMALL),
    Case("solutions/ladder/4_online.cu", ODD),
    Case("solutions/ladder/5_vector_loads.cu", SMALL),
    Case("solutions/ladder/5_vector_loads.cu", ODD),
    Case("solutions/ladder/6_row_in_registers.cu", SMALL),
    Case("solutions/ladder/7_cluster.cu", (16, 65536), arch="sm_90"),
    Case("bench/kernels/copy.cu", (1_000_003,)),
    Case("bench/kernels/strided_copy.cu", (1 << 20,)),
    Case("bench/kernels/misaligned_copy.cu", (1 << 20,)),
    Case("bench/kernels/uneven_rows.cu", ODD),
    Case("bench/kernels/transpose.cu", (500, 1000), runs=3),
    Case("bench/kernels/transpose_padded.cu", (500, 1000), runs=3),
    Case("bench/kernels/divergent.cu", (1 << 20,)),
    Case("bench/kernels/shared_vectors.cu", (1 << 20,), runs=3),
)
BEYOND_L2 = (
    Case("solutions/vector_add.cu", (1 << 25,), 64),
    Case("solutions/softmax_block.cu", LARGE, 64),
    Case("solutions/ladder/2_shared_tree.cu", LARGE, 64),
    Case("bench/kernels/transpose_padded.cu", LARGE, 64),
)


def simulated(case: Case) -> tuple[KernelCounts, ...]:
    """The simulator's counts of the case, or of a part of it. Exits where the kernel is not clean."""
    path, function, args = case.call(case.scale)
    answer = simulator.build(path, "count", time_limit=120, arch=case.arch).call(function, inputs.buffers(args))
    if answer.status or answer.findings:
        sys.exit(f"{case.label}: {answer.status_name} {[str(f) for f in answer.findings]}")
    return answer.kernels


def profiled(case: Case) -> tuple[KernelCounts, ...]:
    """ncu's counts of the whole case."""
    path, function, args = case.call(1)
    library = str(cuda.build(path).library_path)
    exported = ncu.capture({"library": library, "function": function, "args": args}, METRICS, ())
    return report.kernels(exported, None)


def compare(case: Case, ours: tuple[KernelCounts, ...], theirs: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """One row a kernel: each metric as [simulator, ncu]. Exits where the launches are not the same."""
    if [bare_name(k.kernel) for k in ours] != [k["kernel"] for k in theirs]:
        sys.exit(f"{case.label}: the simulator ran {[k.kernel for k in ours]}, ncu saw {[k['kernel'] for k in theirs]}")
    for mine, other in zip(ours, theirs, strict=True):
        both = {m: [int(mine.metrics.get(m, 0)), int(other["metrics"].get(m, 0))] for m in EQUAL}
        yield {"case": asdict(case), "label": case.label, "kernel": other["kernel"], "metrics": both,
               "different": [m for m, (a, b) in both.items() if a != b],
               "runs": [{m: int(run[m]) for m in EQUAL} for run in other["runs"]]}  # fmt: skip


def reasons() -> list[dict[str, Any]]:
    return tomllib.loads((ROOT / "bench" / "simulator_vs_ncu.toml").read_text(encoding="utf-8"))["reason"]


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


def tables(rows: list[dict[str, Any]], large: list[dict[str, Any]], known: list[dict[str, Any]]) -> dict[str, Any]:
    """The tables of docs/*/simulator.md."""
    agreement = []
    for row in rows:
        m = row["metrics"]
        cells = [row["kernel"], " x ".join(f"{n:,}" for n in row["case"]["shape"])]
        for pair in ((counts.LOAD_REQUESTS, counts.STORE_REQUESTS), (counts.LOAD_SECTORS, counts.STORE_SECTORS),
                     (counts.SHARED_LOAD_WAVEFRONTS, counts.SHARED_STORE_WAVEFRONTS),
                     (counts.SHARED_LOAD_CONFLICTS, counts.SHARED_STORE_CONFLICTS)):  # fmt: skip
            cells.append(" / ".join(_pair(*m[name]) for name in pair))
        agreement.append(
            [*cells, {"en": "equal", "es": "igual"} if not row["different"] else ", ".join(row["reasons"])]
        )
    columns = [
        "kernel", {"en": "shape", "es": "forma"},
        {"en": "requests, load / store", "es": "peticiones, lectura / escritura"},
        {"en": "sectors", "es": "sectores"}, {"en": "shared wavefronts", "es": "wavefronts (compartida)"},
        {"en": "bank conflicts", "es": "conflictos de banco"}, {"en": "agreement", "es": "acuerdo"},
    ]  # fmt: skip
    dram = [[r["label"], f"{r['compulsory'] / 1e6:.1f} MB", f"{r['dram_read'] / 1e6:.1f} MB",
             f"{100 * r['difference']:+.1f} %", f"1/{r['case']['scale']}"] for r in large]  # fmt: skip
    return {
        "agreement": {"columns": columns, "rows": agreement},
        "dram": {
            "columns": ["kernel", {"en": "compulsory bytes", "es": "bytes imprescindibles"},
                        {"en": "read from DRAM (ncu)", "es": "leído de DRAM (ncu)"},
                        {"en": "difference", "es": "diferencia"},
                        {"en": "simulated part", "es": "parte simulada"}],
            "rows": dram,
        },
        "reasons": {
            "columns": [{"en": "why the counts differ", "es": "por qué difieren los recuentos"}],
            "rows": [[{lang: f"{r['id']}: {_reason(r, rows, lang)}" for lang in LANGUAGES}] for r in known],
        },
    }  # fmt: skip


def _reason(reason: dict[str, Any], rows: list[dict[str, Any]], lang: str) -> str:
    """A reason in words; where it is that runs differ, with what they gave."""
    if "varies" not in reason:
        return reason[lang]
    metric = next(m for m, short in EQUAL.items() if short == reason["varies"])
    seen = [f"`{r['kernel']}` {', '.join(str(run[metric]) for run in r['runs'])}" for r in rows if len(r["runs"]) > 1]
    return reason[lang] + " " + reason[f"runs_{lang}"].format(seen="; ".join(seen))


def _pair(ours: int, theirs: int) -> str:
    return f"{ours:,}" if ours == theirs else f"**{ours:,} : {theirs:,}**"


def _measured(case: Case) -> list[dict[str, Any]]:
    """ncu's side of a case as it is kept: each kernel's metrics in the first run, and in every run."""
    runs = [profiled(case) for _ in range(case.runs)]
    return [
        {"kernel": bare_name(k.kernel), "metrics": dict(k.metrics), "runs": [dict(run[i].metrics) for run in runs]}
        for i, k in enumerate(runs[0])
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--again", action="store_true", help="keep what ncu said, count anew")
    parser.add_argument("--dry-run", action="store_true", help="the simulator alone, nothing written")
    parser.add_argument("--only", metavar="TEXT", nargs="+", help="measure these cases anew, keep the others")
    parser.add_argument("--out", type=Path, help="the result file")
    options = parser.parse_args()
    began = time.perf_counter()
    results = ROOT / "bench" / "results"
    if options.dry_run:
        for case in CASES:
            for kernel in simulated(case):
                shown = {short: int(kernel.metrics.get(name, 0)) for name, short in EQUAL.items()}
                print(case.label, bare_name(kernel.kernel), {k: v for k, v in shown.items() if v})
        return 0
    cases, large = CASES, BEYOND_L2
    if options.again:
        path = options.out or next(iter(sorted(results.glob("*/simulator_vs_ncu.json"))), None)
        if path is None:
            sys.exit("no bench/results/*/simulator_vs_ncu.json yet: run it once on a machine with a GPU and ncu")
        old = json.loads(path.read_text(encoding="utf-8"))
        facts = {k: old[k] for k in ("device", "versions", "date", "command", "took") if k in old}
        theirs = old["ncu"]
        cases, large = (tuple(c for c in some if c.label in theirs) for some in (cases, large))
    else:
        card = device.current()
        path = options.out or results / card.slug / "simulator_vs_ncu.json"
        facts = {"device": asdict(card), **device.provenance(), "command": "python bench/simulator_vs_ncu.py"}
        theirs = json.loads(path.read_text(encoding="utf-8"))["ncu"] if options.only else {}
        for case in (*cases, *large):
            if options.only and not any(text in case.label for text in options.only):
                continue
            theirs[case.label] = _measured(case)
            print(f"{case.label}: ncu counted {len(theirs[case.label])} kernel(s)", flush=True)
            _write(path, {"bench": "simulator_vs_ncu", **facts, "ncu": theirs})  # the simulator's side can be redone
        facts["took"] = took(began)  # on the card
    known = reasons()
    rows = []
    for case in cases:
        for row in compare(case, simulated(case), theirs[case.label]):
            row["reasons"] = explain(row, known)
            rows.append(row)
    beyond_l2 = [beyond(case, simulated(case), theirs[case.label]) for case in large]
    data = {"bench": "simulator_vs_ncu", **facts, "rows": rows, "beyond_l2": beyond_l2, "ncu": theirs,
            "tables": tables(rows, beyond_l2, known)}  # fmt: skip
    _write(path, data)
    return _verdict(rows, beyond_l2)


def _write(path: Path, data: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _verdict(rows: list[dict[str, Any]], large: list[dict[str, Any]]) -> int:
    wrong = 0
    for row in rows:
        for metric in row["different"]:
            mine, other = row["metrics"][metric]
            print(f"{row['label']} {row['kernel']}: {EQUAL[metric]}: simulator {mine:,}, ncu {other:,}"
                  f"   {', '.join(row['reasons']) or 'UNEXPLAINED'}")  # fmt: skip
            wrong += not row["reasons"]
    for row in large:
        far = not math.isfinite(row["difference"]) or abs(row["difference"]) > WITHIN
        note = "   TOO FAR" if far else ""
        print(f"{row['label']}: compulsory {row['compulsory']:,}, DRAM {row['dram_read']:,}{note}")
        wrong += far
    equal = sum(not row["different"] for row in rows)
    print(f"{equal} of {len(rows)} kernels equal in all {len(EQUAL)} metrics; {wrong} unexplained")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
