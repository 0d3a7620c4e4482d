"""What a public program prints on a GPU, twice, so that lines that differ from run to run are known to.

A recording holds other people's output: it is for comparing with, and is not committed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from audits.public_cuda.details import Details
from audits.public_cuda.programs import Candidate, helpers
from audits.public_cuda.trial import KEPT
from onekernel.cuda import nvcc
from onekernel.cuda.nvcc import Nvcc
from onekernel.errors import UserError
from onekernel.messages import Message, say

BUILD_LIMIT = 240.0  # seconds of the clock; a program of Thrust or CUB takes one minute
RUN_LIMIT = 60.0
_FILES = 1 << 18  # blocks of 512 bytes that a program may write into a file, its output too
_LIBRARIES = ("cublas", "curand")  # those that `onekernel run` answers for; Thrust and CUB are headers
_OPEN_MP = re.compile(r"\bomp_\w+\s*\(")
_ERROR = re.compile(r"error|undefined|unresolved|fatal|not found", re.IGNORECASE)


def record(sample: Sequence[Candidate], path: Path, jobs: int) -> int:
    """Adds to `path` what it does not hold yet, a program a line. Raises UserError where there is no nvcc."""
    compiler = nvcc.find()
    if compiler is None:
        raise UserError(Message.of("bench.public-no-nvcc"))
    kept = Details(path)
    todo = [c for c in sample if (c.root.name, c.name) not in kept.kept]
    gpus = _gpus()

    def one(number: int, candidate: Candidate) -> None:
        outcome = recorded(candidate, compiler, gpus[number % len(gpus)])
        kept.add(outcome)
        ends = ", ".join(f"{run['status']} ({run['seconds']} s)" for run in outcome["runs"])
        print(f"{candidate.root.name}/{candidate.name}  {ends or outcome['build']}", flush=True)

    with ThreadPoolExecutor(max(jobs, 1)) as pool:
        list(pool.map(one, range(len(todo)), todo))
    built = Counter(json.loads(line)["build"] == "ok" for line in path.read_text(encoding="utf-8").splitlines() if line)
    print(say("bench.public-recorded", built=built[True], left=built[False], path=path))
    return 0


def _gpus() -> list[tuple[str, str]]:
    """The cards here: the number that CUDA_VISIBLE_DEVICES knows each by, and its name."""
    try:
        told = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=False).stdout
    except FileNotFoundError:
        told = ""
    return re.findall(r"^GPU (\d+): (.*?)(?: \(UUID|$)", told, re.MULTILINE) or [("0", "-")]


def recorded(candidate: Candidate, compiler: Nvcc, gpu: tuple[str, str]) -> dict[str, Any]:
    """How one program was built and how it ended twice in a copy of its folder. `gpu`: its number and its name."""
    about = {
        "program": candidate.name, "repository": candidate.root.name,
        "source": hashlib.sha256(candidate.path.read_bytes()).hexdigest(),
        "gpu": gpu[1], "cuda": compiler.version, "date": date.today().isoformat(),
    }  # fmt: skip
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        own = Path(folder) / candidate.path.parent.name
        shutil.copytree(candidate.path.parent, own, ignore_dangling_symlinks=True)
        environment = {**os.environ, "CUDA_VISIBLE_DEVICES": gpu[0], "TMPDIR": folder}
        binary = own / candidate.path.stem
        binary = binary if not binary.exists() else own / f"{binary.name}.out"
        told = _built(candidate, compiler, binary, environment)
        if told:
            return {**about, "build": told, "runs": []}
        runs = [_run([f"./{binary.name}"], own, environment, RUN_LIMIT) for _ in range(2)]
        return {**about, "build": "ok", "runs": runs}


def _built(candidate: Candidate, compiler: Nvcc, binary: Path, environment: Mapping[str, str]) -> str:
    """The first error, of the program's file alone or, where it lacks a function, with the files beside it."""
    told = _compiled(candidate, [candidate.path], compiler, binary, environment)
    # Of a folder with thousands of programs all are read for it.
    if re.search("undefined|unresolved", told, re.IGNORECASE) and (more := helpers(candidate.path)):
        told = _compiled(candidate, [candidate.path, *more], compiler, binary, environment)
    return told


def _compiled(
    candidate: Candidate, files: Sequence[Path], compiler: Nvcc, binary: Path, environment: Mapping[str, str]
) -> str:
    text = "".join(file.read_text("utf-8", errors="replace") for file in files)
    words = [str(compiler.path), "-std=c++17", "-arch=native", "-rdc=true", "-w", *map(str, files)]
    words += [word for folder in candidate.folders for word in ("-I", str(folder))]
    words += ["-Xcompiler", "-fopenmp"] if _OPEN_MP.search(text) else []
    words += [*_libraries(compiler), "-lcudadevrt", "-o", str(binary)]
    done = _run(words, binary.parent, environment, BUILD_LIMIT)
    if done["status"] == 0 and binary.is_file():
        return ""
    lines = [line for line in (done["errors"] + done["output"]).splitlines() if line.strip()]
    first = next((line for line in lines if _ERROR.search(line)), lines[0] if lines else "")
    return first[:300] or f"status {done['status']}"


def _libraries(compiler: Nvcc) -> list[str]:
    """The words for those that are here: in the toolkit, or in Python wheels, whose files end in a version."""
    homes = [compiler.home]
    spec = find_spec("nvidia")
    for place in (spec.submodule_search_locations or ()) if spec else ():
        homes += [path.parent for path in sorted(Path(place).glob("*/lib"))]
    words = ["-Xlinker", "--as-needed"]
    for name in _LIBRARIES:
        places = (f"{folder}/lib{name}.so*" for folder in ("lib64", "lib", "targets/*/lib"))
        found = [file for place in places for home in homes for file in sorted(home.glob(place))]
        if found:
            words += ["-Xlinker", str(found[0]), "-Xlinker", f"-rpath={found[0].parent}"]
    for home in homes[1:]:
        words += ["-isystem", str(home / "include")]
    return words


def _run(words: Sequence[str], folder: Path, environment: Mapping[str, str], limit: float) -> dict[str, Any]:
    """Status and output of a command that may hang, crash or write without end. Status None: the time was up."""
    confined = ["sh", "-c", f'ulimit -c 0; ulimit -f {_FILES}; exec "$@"', "sh", *words]
    since = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            confined, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
            start_new_session=True,
        )  # fmt: skip
        status: int | None = None
        with contextlib.suppress(subprocess.TimeoutExpired):
            status = process.wait(limit)
        with contextlib.suppress(ProcessLookupError):  # also what it started and left behind
            os.killpg(process.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):  # the driver may hold it for longer
            process.wait(10)
        seconds = round(time.monotonic() - since, 2)
        return {"status": status, "output": _start(out), "errors": _start(err), "seconds": seconds}


def _start(file: Any) -> str:
    file.seek(0)
    return str(file.read(KEPT).decode("utf-8", errors="replace"))
