"""Which results have the same bytes on NumPy, torch CPU, torch CUDA and CuPy: operators one by one, then whole models.

Shown:  for each result the number of float64 values whose bytes differ from NumPy's, of how many, and the worst
        distance in ULP.
But:    equal bytes on these machines and versions are evidence; the reason is in the operations of arithmetic.py.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from audits import command, records
from audits.byte_identity.tables import tables
from audits.records import took
from onekernel.bench.device import slug_of
from onekernel.course import find_root
from onekernel.loading import load_module
from onekernel.messages import say
from onekernel.minigpt.arithmetic import Reproducible
from onekernel.minigpt.model import MiniGPT, Native
from onekernel.minigpt.port_check import worst_ulp
from onekernel.minigpt.port_request import PortRequest, requests

SEEDS = (0, 1000, 2000)

To = Callable[[np.ndarray], Any]  # NumPy -> the library
Back = Callable[[Any], np.ndarray]
Library = tuple[Any, To, Back, str]  # array module, in, out, torch device
Operator = Callable[[Any, Any, Any], Any]
Difference = dict[str, int]


def libraries() -> dict[str, Library]:
    """What this machine has, by name."""
    found: dict[str, Library] = {
        "numpy": (np, np.asarray, np.asarray, ""),
        "torch cpu": (torch, torch.from_numpy, lambda t: t.contiguous().numpy(), "cpu"),
    }
    if torch.cuda.is_available():
        found["torch cuda"] = (torch, _to_card, _from_card, "cuda")
        if importlib.util.find_spec("cupy"):
            import cupy

            found["cupy"] = (cupy, cupy.asarray, cupy.asnumpy, "")
    return found


def _to_card(array: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(array).cuda()


def _from_card(tensor: torch.Tensor) -> np.ndarray:
    return tensor.cpu().contiguous().numpy()


def operators() -> dict[str, Operator]:
    """Name -> f(array module, a, b) for a, b float64 (256, 96)."""
    own: dict[str, Operator] = {
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
        own[f"reproducible {name}"] = partial(_reproducible, name)
    own["reproducible sqrt"] = lambda xp, a, b: Reproducible(xp).sqrt(xp.abs(a))
    own["reproducible matmul"] = lambda xp, a, b: Reproducible(xp).matmul(a, b.T)
    return own


def _reproducible(name: str, xp: Any, a: Any, b: Any) -> Any:
    return getattr(Reproducible(xp), name)(a)


def difference(got: np.ndarray, want: np.ndarray) -> Difference:
    """How many values have other bytes, of how many, and the worst distance in ULP."""
    got = np.ascontiguousarray(got)
    return {
        "different": int((got.view(np.int64) != want.view(np.int64)).sum()),
        "of": want.size,
        "worst_ulp": worst_ulp(got, want),
    }


def compare_operators(found: Mapping[str, Library]) -> dict[str, dict[str, Difference]]:
    """Operator -> library -> difference from NumPy's."""
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 256, 96)) * 3.0
    table = {}
    for name, operator in operators().items():
        given = {lib: back(operator(xp, into(a), into(b))) for lib, (xp, into, back, _) in found.items()}
        want = np.ascontiguousarray(given.pop("numpy"))
        table[name] = {lib: difference(got, want) for lib, got in given.items()}
    return table


def logits(root: Path, library: Library, asked: PortRequest, reproducible: bool) -> np.ndarray:
    """The model's logits on one library."""
    xp, into, back, device = library
    tokens, weights = asked.tokens(), asked.weights()
    if xp is not torch:
        return back(MiniGPT(asked.config, weights, Reproducible(xp) if reproducible else Native(xp)).logits(tokens))
    module = load_module(root / "solutions" / "torch_minigpt.py")
    held = {name: into(w.astype(np.float64)) for name, w in weights.items()}
    model = module.TorchMiniGPT(asked.config, held, Reproducible(torch) if reproducible else None).to(device)
    with torch.no_grad():
        return back(model(into(tokens)))


def compare_models(root: Path, found: Mapping[str, Library]) -> list[dict[str, Any]]:
    """A row for each set of weights and tokens, with reproducible operators and with the library's own."""
    rows = []
    for request in (r for seed in SEEDS for r in requests("identical", seed)):
        asked = PortRequest.from_json(request)
        for reproducible in (True, False):
            got = {name: logits(root, library, asked, reproducible) for name, library in found.items()}
            want = np.ascontiguousarray(got.pop("numpy"))
            rows.append({
                "weights": "trained" if asked.weights_seed is None else f"random, seed {asked.weights_seed}",
                "tokens_seed": asked.tokens_seed,
                "batch": asked.batch,
                "length": asked.length,
                "operators": "reproducible" if reproducible else "native",
                "against_numpy": {name: difference(values, want) for name, values in got.items()},
            })  # fmt: skip
    return rows


def different(by_operator: Mapping[str, Mapping[str, Difference]], models: Sequence[Mapping[str, Any]]) -> list[str]:
    """What should have the same bytes everywhere, and has not."""
    wrong = [
        f"{row['weights']}, {row['batch']} x {row['length']}, {lib}"
        for row in models if row["operators"] == "reproducible"
        for lib, d in row["against_numpy"].items() if d["different"]
    ]  # fmt: skip
    own = {name: row for name, row in by_operator.items() if name.startswith("reproducible")}
    return wrong + [name for name, row in own.items() if any(d["different"] for d in row.values())]


def main(argv: Sequence[str]) -> int:
    parser = command.parser("byte_identity", "audits.byte_identity")
    command.option(parser, "byte_identity", "--out", type=Path, metavar="FILE")
    options, root = parser.parse_args(argv), find_root()
    if options.dry_run:
        print(say("bench.dry-run", command="python -m audits.byte_identity"))
        passes = 2 * sum(len(requests("identical", seed)) for seed in SEEDS)
        print("  " + say("bench.identity-line", operators=len(operators()), models=passes))
        print("  " + records.expected(root, "byte_identity").text())
        return 0
    began = time.perf_counter()
    gpu = torch.cuda.get_device_name() if torch.cuda.is_available() else None
    path = options.out or records.results(root) / (slug_of(gpu) if gpu else "cpu") / "byte_identity.json"
    found = libraries()
    if gpu and "cupy" not in found:
        print(say("bench.identity-without-cupy"), file=sys.stderr)
    by_operator, models = compare_operators(found), compare_models(root, found)
    for name, row in by_operator.items():
        counted = (f"{lib}: {d['different']}/{d['of']} ({d['worst_ulp']} ULP)   " for lib, d in row.items())
        print(f"{name:26}" + "".join(counted))
    wrong = different(by_operator, models)
    if wrong:
        print(say("bench.different-bytes", names=", ".join(wrong)))
    else:
        print(say("bench.same-bytes", names=", ".join(found)))
    versions = {"python": platform.python_version(), "numpy": np.__version__, "torch": torch.__version__}
    if "cupy" in found:
        versions["cupy"] = found["cupy"][0].__version__
    result = {
        "gpu": gpu,
        "cpu": f"{platform.machine()}, {os.cpu_count()} cores, MKL in torch: {torch.backends.mkl.is_available()}",
        **versions,
        "cuda": torch.version.cuda,
        "date": date.today().isoformat(),
        "command": "python -m audits.byte_identity",
        "took": took(began),
        "operators": by_operator,
        "models": models,
    }
    records.write(path, result | {"tables": tables(result)}, indent=2)
    print(say("bench.written", path=path))
    return 1 if wrong else 0
