"""The softmax bench on several GPUs of one host: each takes some of the types, and one file holds what all found."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from audits import records
from audits.bench.softmax import results
from onekernel.bench import device
from onekernel.errors import UserError
from onekernel.messages import Message

SAME = ("device", "versions", "sources", "absent", "method")  # of all parts, or they are not one run


def measure(argv: Sequence[str], dtypes: Sequence[str], gpus: int, root: Path, out: Path | None) -> tuple[int, Path]:
    """One process of this bench per GPU, with `argv` and its share of `dtypes`; the worst exit status, and the file.

    `argv` names neither types nor GPUs nor a file. Raises UserError where the GPUs or what they measured differ.
    """
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / str(k) / "softmax.json" for k in range(min(gpus, len(dtypes)))]
        running = []
        for k, file in enumerate(files):
            line = [sys.executable, str(root / "bench" / "softmax.py"), *argv]
            line += ["--out", str(file), "--dtype", *dtypes[k :: len(files)]]
            running.append(subprocess.Popen(line, env=os.environ | {"CUDA_VISIBLE_DEVICES": _visible(k)}))
        status = max(process.wait() for process in running)
        joined = join([records.read(file) for file in files if file.is_file()], dtypes)
    path = out or records.results(root) / joined["device"]["slug"] / "softmax.json"
    records.write(path, joined | {"command": device.provenance()["command"]})
    return status, path


def _visible(k: int) -> str:
    """The k-th of the GPUs that this process may use."""
    mine = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")
    return mine[k] if len(mine) > k and mine[k] else str(k)


def join(parts: Sequence[dict[str, Any]], dtypes: Sequence[str]) -> dict[str, Any]:
    """The parts of a run as one, types in the order of `dtypes`. Raises UserError where they are of different runs."""
    if not parts:
        raise UserError(Message.of("bench.no-part"))
    for part in parts[1:]:
        different = [key for key in SAME if part[key] != parts[0][key]]
        if different:
            raise UserError(Message.of("bench.other-part", what=", ".join(different)))
    cells = sorted((c for part in parts for c in part["cells"]), key=lambda c: dtypes.index(c["dtype"]))
    return parts[0] | {"cells": cells, "took": results.took(cells)}
