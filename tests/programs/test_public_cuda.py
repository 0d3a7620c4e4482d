"""audits/public_cuda: what became of each program of a folder, by cause."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from audits.public_cuda import patience
from audits.public_cuda.run import main
from onekernel.cuda import nvcc
from onekernel.programs.executable import LIMIT

pytestmark = pytest.mark.slow

RAN = "int main() { return 0; }\n"
# It would need minutes, but what it has done wrong is known before.
FOUND = """__global__ void endless(int* x, long turns) { for (long i = 0; i < turns; i++) x[32]++; }
int main() {
    int* x;
    cudaMalloc(&x, 32 * sizeof *x);
    cudaMemset(x, 0, 32 * sizeof *x);
    endless<<<1, 32>>>(x, 1L << 40);
    return cudaDeviceSynchronize() != cudaSuccess;
}
"""
BLANK = "int main() { return FIXME; }\n"
SECOND = """#include <cstdio>
int main() {
    const cudaError_t error = cudaSetDevice(1);
    if (error != cudaSuccess) printf("%s\\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
"""
SHORT = """#include <sys/resource.h>
__global__ void set(int* x) { x[threadIdx.x] = 1; }
int main() {
    const rlimit little = {768u << 20, 768u << 20};  // no room for what is known of each word
    setrlimit(RLIMIT_DATA, &little);
    int* x;
    cudaMalloc(&x, 128 << 20);
    set<<<1, 32>>>(x);
    cudaDeviceSynchronize();
    cudaFree(x);
}
"""


def test_each_program_has_its_cause_and_an_exercise_with_blanks_is_none(tmp_path: Path) -> None:
    folder = tmp_path / "owner+name"
    folder.mkdir()
    texts = {"ran": RAN, "found": FOUND, "blank": BLANK, "no_main": "void f() {}\n", "second": SECOND}
    for name, text in texts.items():
        (folder / f"{name}.cu").write_text(text)
    out = tmp_path / "out.json"
    lines = tmp_path / "details.jsonl"
    assert main([str(folder), "--limit", "1", "--jobs", "2", "--details", str(lines), "--output", str(out)]) == 0
    told = json.loads(out.read_text())
    refused = "compile-error" if nvcc.find() is None else "nvcc-refuses"
    assert told["causes"] == {"ran": 1, "found": 1, refused: 1, "asks": 1}
    assert (told["good"], told["sample"], told["programs"]) == (3, 4, 4 - (refused == "nvcc-refuses"))
    assert told["repositories"]["owner+name"]["good"] == 3
    assert [(o["repository"], o["program"]) for o in told["outcomes"]] == [
        ("owner+name", f"{name}.cu") for name in ("blank", "found", "ran", "second")
    ]
    (folder / "ran.cu").write_text(FOUND)  # it came to its end before: nobody looks at it again
    (folder / "blank.cu").write_text(RAN)
    assert main([str(folder), "--again", str(out), "--output", str(tmp_path / "again.json")]) == 0
    again = json.loads((tmp_path / "again.json").read_text())
    kept = 3 if refused == "compile-error" else 4
    assert (again["not_run_again"], again["causes"]["ran"]) == (kept, 5 - kept)

    whole = lines.read_text()  # cut off within the last of its lines: that program alone is run again
    told = {o["program"]: o for o in map(json.loads, whole.splitlines())}
    assert [f["line"] for f in told["found.cu"]["findings"] if f["code"] == "out-of-bounds-read"] == [1]
    last = json.loads(whole.splitlines()[-1])["program"]
    before = {o["program"]: o["cause"] for o in json.loads(out.read_text())["outcomes"]}
    lines.write_text(whole.rstrip()[:-5])
    (folder / last).write_text(BLANK)
    for name in {*before} - {last}:
        (folder / name).write_text(RAN)
    assert main([str(folder), "--details", str(lines), "--output", str(tmp_path / "resumed.json")]) == 0
    assert json.loads((tmp_path / "resumed.json").read_text())["limit_seconds"] == LIMIT
    resumed = json.loads((tmp_path / "resumed.json").read_text())["outcomes"]
    assert {o["program"]: o["cause"] for o in resumed} == {**before, last: refused}
    assert [json.loads(line)["program"] for line in lines.read_text().splitlines()[4:]] == [last]


def test_a_busy_machine_ends_nothing_that_goes_on_and_a_program_that_waits_is_ended(tmp_path: Path) -> None:
    """The one works for several times as long as it may stand still, in processes of its own."""
    turn = "import time\nwhile time.process_time() < 0.7: pass\n"
    works = (
        f"import subprocess, sys\nfor _ in range(5): subprocess.run([sys.executable, '-c', {turn!r}])\nprint('done')"
    )
    done = patience.run([sys.executable, "-c", works], tmp_path, os.environ, still=1.5)
    assert done is not None and (done.stdout, done.returncode) == ("done\n", 0)
    assert patience.run([sys.executable, "-c", "import time; time.sleep(60)"], tmp_path, os.environ, still=1.5) is None


def test_a_program_whose_memory_is_too_large_to_be_watched_is_checked_less(tmp_path: Path) -> None:
    (tmp_path / "short.cu").write_text(SHORT)
    assert main([str(tmp_path), "--output", str(tmp_path / "out.json")]) == 0
    assert json.loads((tmp_path / "out.json").read_text())["causes"] == {"ran-checked-less": 1}


def test_a_program_that_shows_how_it_is_called_asks_for_arguments(tmp_path: Path) -> None:
    text = '#include <cstdio>\nint main() { printf("Sizes, please\\n./asks [grid] [block]\\n"); return 1; }\n'
    (tmp_path / "asks.cu").write_text(text)
    assert main([str(tmp_path), "--output", str(tmp_path / "out.json")]) == 0
    assert json.loads((tmp_path / "out.json").read_text())["causes"] == {"asks": 1}
