"""Which results have the same bytes on NumPy, torch CPU, torch CUDA and CuPy: operators one by one, then whole models.

Run:    python bench/byte_identity.py               writes bench/results/<gpu>/byte_identity.json
        python bench/byte_identity.py --dry-run     says what it would compare
        Without a GPU it compares NumPy and torch CPU and writes bench/results/cpu/byte_identity.json.
        Exit status 1 where the reproducible operators do not give the same bytes everywhere.
Shown:  for each result the number of float64 values whose bytes differ from NumPy's, of how many, and the worst
        distance in ULP.
But:    equal bytes on these machines and versions are evidence; the reason is in the operations of arithmetic.py.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import sys
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import torch

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from onekernel.bench import results  # noqa: E402
from onekernel.bench.device import slug_of  # noqa: E402
from onekernel.bench.timing import took  # noqa: E402
from onekernel.messages import say  # noqa: E402
from onekernel.minigpt.arithmetic import Reproducible  # noqa: E402
from onekernel.minigpt.model import MiniGPT, Native  # noqa: E402
from onekernel.minigpt.port_check import worst_ulp  # noqa: E402
from onekernel.minigpt.port_request import PortRequest, requests  # noqa: E402
from onekernel.minigpt.port_run import load_module  # noqa: E402

SEEDS = (0, 1000, 2000)

To = Callable[[np.ndarray], Any]  # NumPy -> the library
Back = Callable[[Any], np.ndarray]


def libraries() -> dict[str, tuple[Any, To, Back, str]]:
    """Name -> (array module, in, out, torch device)."""
    found: dict[str, tuple[Any, To, Back, str]] = {
        "numpy": (np, np.asarray, np.asarray, ""),
        "torch cpu": (torch, torch.from_numpy, lambda t: t.contiguous().numpy(), "cpu"),
    }
    if torch.cuda.is_available():
        found["torch cuda"] = (
            torch,
            lambda a: torch.from_numpy(a).cuda(),
            lambda t: t.cpu().contiguous().numpy(),
            "cuda",
        )
        if importlib.util.find_spec("cupy"):
            import cupy

            found["cupy"] = (cupy, cupy.asarray, cupy.asnumpy, "")
    return found


def operators() -> dict[str, Callable[[Any, Any, Any], Any]]:
    """Name -> f(array module, a, b) for a, b float64 (256, 96)."""
    own: dict[str, Callable[[Any, Any, Any], Any]] = {
        "add": lambda xp, a, b: a + b,
        "multiply": lambda xp, a, b: a * b,
        "divide": lambda xp, a, b: a / b,
        "divide by the number 96": lambda xp, a, b: a / 96,
        "sqrt": lambda xp, a, b: xp.sqrt(xp.abs(a)),
        "exp": lambda xp, a, b: xp.exp(a),
        "tanh": lambda xp, a, b: xp.tanh(a),
        "sum": lambda xp, a, b: a.sum(-1),
        "matmul": lambda xp, a, b: a @ b.T,
    }
    for name in ("exp", "tanh", "sum", "mean", "softmax"):
        own[f"reproducible {name}"] = lambda xp, a, b, name=name: getattr(Reproducible(xp), name)(a)
    own["reproducible sqrt"] = lambda xp, a, b: Reproducible(xp).sqrt(xp.abs(a))
    own["reproducible matmul"] = lambda xp, a, b: Reproducible(xp).matmul(a, b.T)
    return own


def difference(got: np.ndarray, want: np.ndarray) -> dict[str, int]:
    got = np.ascontiguousarray(got)
    return {
        "different": int((got.view(np.int64) != want.view(np.int64)).sum()),
        "of": want.size,
        "worst_ulp": worst_ulp(got, want),
    }


def compare_operators(found: dict) -> dict[str, dict[str, dict[str, int]]]:
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 256, 96)) * 3.0
    table = {}
    for name, operator in operators().items():
        results = {lib: back(operator(xp, into(a), into(b))) for lib, (xp, into, back, _) in found.items()}
        want = np.ascontiguousarray(results.pop("numpy"))
        table[name] = {lib: difference(got, want) for lib, got in results.items()}
    return table


def logits(library: str, found: dict, asked: PortRequest, reproducible: bool) -> np.ndarray:
    xp, into, back, device = found[library]
    tokens, weights = asked.tokens(), asked.weights()
    if xp is not torch:
        return back(MiniGPT(asked.config, weights, Reproducible(xp) if reproducible else Native(xp)).logits(tokens))
    module = load_module(ROOT / "solutions" / "torch_minigpt.py")
    held = {name: into(w.astype(np.float64)) for name, w in weights.items()}
    model = module.TorchMiniGPT(asked.config, held, Reproducible(torch) if reproducible else None).to(device)
    with torch.no_grad():
        return back(model(into(tokens)))


def compare_models(found: dict) -> list[dict[str, Any]]:
    rows = []
    for request in (r for seed in SEEDS for r in requests("identical", seed)):
        asked = PortRequest.from_json(request)
        for reproducible in (True, False):
            want = np.ascontiguousarray(logits("numpy", found, asked, reproducible))
            row = {
                "weights": "trained" if asked.weights_seed is None else f"random, seed {asked.weights_seed}",
                "tokens_seed": asked.tokens_seed,
                "batch": asked.batch,
                "length": asked.length,
                "operators": "reproducible" if reproducible else "native",
            }
            others = [lib for lib in found if lib != "numpy"]
            row["against_numpy"] = {lib: difference(logits(lib, found, asked, reproducible), want) for lib in others}
            rows.append(row)
    return rows


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="default: bench/results/<gpu>/byte_identity.json")
    parser.add_argument("--dry-run", action="store_true", help="says what it would compare")
    asked = parser.parse_args(argv)
    began = time.perf_counter()
    gpu = torch.cuda.get_device_name() if torch.cuda.is_available() else None
    path = asked.out or ROOT / "bench" / "results" / (slug_of(gpu) if gpu else "cpu") / "byte_identity.json"
    if asked.dry_run:
        print(say("bench.dry-run", command="python bench/byte_identity.py"))
        models = sum(len(requests("identical", seed)) for seed in SEEDS)
        print("  " + say("bench.identity-line", operators=len(operators()), models=2 * models))
        print("  " + results.expected(ROOT, "byte_identity").text())
        return 0
    found = libraries()
    if gpu and "cupy" not in found:
        print(say("bench.identity-without-cupy"), file=sys.stderr)
    by_operator, models = compare_operators(found), compare_models(found)
    for name, row in by_operator.items():
        print(
            f"{name:26}"
            + "".join(f"{lib}: {d['different']}/{d['of']} ({d['worst_ulp']} ULP)   " for lib, d in row.items())
        )
    wrong = [
        f"{row['weights']}, {row['batch']} x {row['length']} on {lib}"
        for row in models
        for lib, d in row["against_numpy"].items()
        if row["operators"] == "reproducible" and d["different"]
    ]
    wrong += [
        n
        for n, row in by_operator.items()
        if n.startswith("reproducible") and any(d["different"] for d in row.values())
    ]
    if wrong:
        print(say("bench.different-bytes", names=", ".join(wrong)))
    else:
        print(say("bench.same-bytes", names=", ".join(found)))
    versions = {"python": platform.python_version(), "numpy": np.__version__, "torch": torch.__version__}
    if "cupy" in found:
        versions["cupy"] = found["cupy"][0].__version__
    record = {
        "gpu": gpu,
        "cpu": f"{platform.machine()}, {os.cpu_count()} cores, MKL in torch: {torch.backends.mkl.is_available()}",
        **versions,
        "cuda": torch.version.cuda,
        "date": date.today().isoformat(),
        "command": "python bench/byte_identity.py",
        "took": took(began),
        "operators": by_operator,
        "models": models,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, indent=2) + "\n")
    print(say("bench.written", path=path))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
