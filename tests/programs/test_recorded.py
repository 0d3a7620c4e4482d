"""audits/public_cuda --record: what programs print with nvcc and a GPU, here with a stand-in for nvcc."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from audits.public_cuda import recording
from audits.public_cuda.likeness import Likeness, likeness
from audits.public_cuda.run import main
from onekernel.cuda import nvcc

STAND_IN = """#!/bin/sh
for word in "$@"; do
    case "$last" in -o) made="$word";; esac
    case "$word" in *.cu) file="$word";; esac
    last="$word"
done
grep -q "error" "$file" && { echo "$file(1): error: no such thing" >&2; exit 2; }
exec g++ -x c++ "$file" -o "$made"
"""
PRINTS = """#include <cstdio>
#include <cstdlib>
#include <unistd.h>
int main() {
    printf("card %s, sum 3\\n", getenv("CUDA_VISIBLE_DEVICES"));
    fprintf(stderr, "done\\n");
    fclose(fopen("made.txt", "w"));
    return getpid() > 0 ? 4 : 0;
}
"""
SPEWS = '#include <cstdio>\nint main() { for (;;) puts("again and again"); }\n'
HANGS = '#include <cstdio>\nint main() { puts("so far"); fflush(stdout); for (volatile int i = 0;; i = i + 1) {} }\n'
CRASHES = "int main() { *(volatile int*)nullptr = 1; }\n"
REFUSED = "int main() { error }\n"


@pytest.fixture
def toolkit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "toolkit" / "bin" / "nvcc"
    program.parent.mkdir(parents=True)
    program.write_text(STAND_IN)
    program.chmod(0o755)
    monkeypatch.setattr(nvcc, "find", lambda: nvcc.Nvcc(tmp_path / "toolkit", "13.0"))


@pytest.mark.usefixtures("toolkit")
def test_programs_that_hang_crash_or_write_without_end_are_recorded_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "RUN_LIMIT", 1.0)
    folder = tmp_path / "owner+name"
    folder.mkdir()
    for name, text in {"p": PRINTS, "s": SPEWS, "h": HANGS, "c": CRASHES, "r": REFUSED}.items():
        (folder / f"{name}.cu").write_text(text)
    file = tmp_path / "gpu.jsonl"
    assert main(["--record", str(file), "--jobs", "2", str(folder)]) == 0
    told: dict[str, Any] = {o["program"]: o for o in map(json.loads, file.read_text().splitlines())}
    first, second = told["p.cu"]["runs"]
    assert (first["status"], first["output"], first["errors"]) == (4, "card 0, sum 3\n", "done\n")
    assert second["output"] == first["output"]
    assert not (folder / "made.txt").exists()
    assert [run["status"] for run in told["h.cu"]["runs"]] == [None, None]
    assert told["h.cu"]["runs"][0]["output"] == "so far\n"
    assert [run["status"] for run in told["c.cu"]["runs"]] == [-11, -11]
    assert len(told["s.cu"]["runs"][0]["output"]) == recording.KEPT
    assert told["r.cu"]["build"].endswith("error: no such thing") and told["r.cu"]["runs"] == []
    (folder / "r.cu").write_text(PRINTS)
    (folder / "new.cu").write_text(PRINTS)
    assert main(["--record", str(file), str(folder)]) == 0
    again = [json.loads(line) for line in file.read_text().splitlines()]
    assert [o["program"] for o in again[5:]] == ["new.cu"]


def test_without_nvcc_nothing_can_be_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvcc, "find", lambda: None)
    with pytest.raises(Exception, match="nvcc"):
        main(["--record", str(tmp_path / "gpu.jsonl"), str(tmp_path)])


GPU = "NVIDIA H100 80GB HBM3"


def like(first: str, ours: str, second: str | None = None, whole: bool = True) -> Likeness:
    return likeness([first, first if second is None else second], ours, GPU, "program", whole)


@pytest.mark.parametrize(
    ("first", "second", "ours"),
    [
        ("sum 3\n", None, "sum 3\n"),
        ("sum 1000.25\n", None, "sum 1000.24\n"),
        ("pi 3.14\n", None, "pi 3.13\n"),
        ("off by 2.1e-08\n", None, "off by 0\n"),
        ("nan -inf\n", None, "-nan -inf\n"),
        ("time 3.20 ms\n", None, "time 812.7 ms\n"),
        ("speedup 2.1x\n", None, "speedup nanx\n"),
        ("seed 15, sum 3\n", "seed 78, sum 3\n", "seed 4, sum 3\n"),
        ("drawn 32.1765\n", "drawn 32.2046\n", "drawn 34.9811\n"),
        ("x at 0x7f1200000000\n", None, "x at 0x55d0aa10\n"),
        (f"Using {GPU}\n", None, "Using OneKernel simulator (modelled sm_90)\n"),
        ("./program Starting...\n", None, "program Starting...\n"),
        ("/a/b/program.cu:7 done\n", None, "/tmp/c/program.cu:7 done\n"),
        ("a 1\nwaited\nb 2\n", "a 1\nb 2\n", "a 1\nb 2\n"),
    ],
)
def test_what_two_machines_never_share_is_not_compared(first: str, second: str | None, ours: str) -> None:
    found = like(first, ours, second)
    assert found.same and not found.reordered


@pytest.mark.parametrize(
    ("first", "second", "ours", "told"),
    [
        ("sum 3\nend\n", None, "sum 4\nend\n", ("sum 3", "sum 4")),
        ("sum 1000.25\n", None, "sum 1002.25\n", ("sum 1000.25", "sum 1002.25")),
        ("sum 100000\n", None, "sum 100001\n", ("sum 100000", "sum 100001")),
        ("x 1.5\n", None, "x nan\n", ("x 1.5", "x nan")),
        ("PASSED\n", None, "FAILED\n", ("PASSED", "FAILED")),
        ("seed 15, sum 3\n", "seed 78, sum 3\n", "seed 4, sum 5\n", ("seed 15, sum 3", "seed 4, sum 5")),
        ("time 3.20 ms\nsum 3\n", None, "time 3.20 ms\n", ("sum 3", "")),
        ("sum 3\n", None, "sum 3\nsum 4\n", ("", "sum 4")),
        ("a 1\nwaited\nb 2\n", "a 1\nb 2\n", "a 1\nb 3\n", ("b 2", "")),
        ("a 1\nb 2\n", None, "a 2\nb 1\n", ("a 1", "a 2")),
    ],
)
def test_a_wrong_number_or_line_is_told(first: str, second: str | None, ours: str, told: tuple[str, str]) -> None:
    found = like(first, ours, second)
    assert not found.same and found.first == told


def test_the_same_lines_in_another_order_are_told_as_that() -> None:
    assert like("thread 0\nthread 1\n", "thread 1\nthread 0\n").reordered
    assert like("thread 0\nthread 1\n", "thread 1\nthread 0\n", "thread 1\nthread 0\n").same
    blocks = [f"{k} in block {k // 2} of {k % 2}\n" for k in range(8)]
    varied = "".join(blocks[4:] + blocks[:4])
    assert like("".join(blocks), "".join(reversed(blocks)), varied).reordered
    assert not like("".join(blocks), varied.replace("7", "6"), varied).same


def test_a_time_between_events_is_nan_and_no_other_number() -> None:
    table, ours = "size 64   0.125   9.5\n", "size 64   nan   nan\n"
    assert likeness([table, table], ours, GPU, "program", times=True).same
    assert not likeness([table, table], ours, GPU, "program").same
    assert not likeness([table, table], ours.replace("64", "65"), GPU, "program", times=True).same


def test_times_alone_tell_nothing_and_a_cut_off_output_is_compared_as_far_as_it_goes() -> None:
    assert not like("time 3.20 ms\n", "time 1 ms\n").tells
    assert like("a 1\nb 2\nc", "a 1\nb 2\nc 3\nd 4\n", whole=False).same
    assert not like("a 1\nb 2\nc", "a 1\nb 3\nc 3\nd 4\n", whole=False).same
    assert not like("a 1\nb 2\nc", "a 1\nb 2\nc 3\nd 4\n", "a 1\nc 3\nb", whole=False).tells


SUM = """#include <cstdio>
__global__ void sum(const int* x, int* total) { atomicAdd(total, x[threadIdx.x]); }
int main() {
    int host[64], *x, *total, got;
    for (int k = 0; k < 64; k++) host[k] = k;
    cudaMalloc(&x, sizeof host);
    cudaMalloc(&total, 4);
    cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(total, 0, 4);
    sum<<<1, 64>>>(x, total);
    cudaMemcpy(&got, total, 4, cudaMemcpyDeviceToHost);
    cudaFree(x);
    cudaFree(total);
    printf("%s starts\\n", "./program");
    printf("sum %d\\n", got);
}
"""
RACE = SUM.replace("atomicAdd(total, x[threadIdx.x])", "*total += x[threadIdx.x]")


@pytest.mark.slow
def test_each_program_has_a_verdict_and_the_result_file_no_line_of_it(tmp_path: Path) -> None:
    folder = tmp_path / "owner+name"
    folder.mkdir()
    lines = []

    def add(name: str, text: str, output: str, status: int | None = 0, build: str = "ok") -> None:
        (folder / f"{name}.cu").write_text(text)
        about = {"program": f"{name}.cu", "repository": "owner+name", "gpu": GPU, "cuda": "13.0", "date": "2026-11-26"}
        runs = [{"status": status, "output": output, "errors": "", "seconds": 1.0}] * 2
        source = hashlib.sha256(text.encode()).hexdigest()
        lines.append(json.dumps({**about, "source": source, "build": build, "runs": runs}))

    right = "./program starts\nsum 2016\n"
    add("right", SUM, right)
    add("wrong", SUM, right.replace("2016", "2017"))
    add("status", SUM, right, status=1)
    add("race", RACE, right.replace("2016", "63"))
    add("endless", SUM, "", status=None)
    add("unbuilt", SUM, "", build="unbuilt.cu(1): error")
    add("changed", SUM, right)
    (folder / "changed.cu").write_text(SUM + "\n")
    (folder / "unrecorded.cu").write_text(SUM)
    recording, details, out = (tmp_path / name for name in ("gpu.jsonl", "details.jsonl", "out.json"))
    recording.write_text("\n".join(lines) + "\n")
    words = ["--against", str(recording), "--details", str(details), "--output", str(out), str(folder)]
    assert main(words) == 0
    told = json.loads(out.read_text())
    assert {o["program"].removesuffix(".cu"): o["verdict"] for o in told["outcomes"]} == {
        "right": "same", "wrong": "differs", "status": "differs", "race": "differs-finding", "endless": "gpu-endless",
        "unbuilt": "gpu-build", "changed": "other-source",
    }  # fmt: skip
    assert (told["compared"], told["programs"]) == (4, 7)
    assert told["recorded"] == [[GPU, "13.0", "2026-11-26"]]
    assert "2016" not in out.read_text() and "starts" not in out.read_text()
    kept = details.read_text()
    assert main(words) == 0 and details.read_text() == kept  # nothing is run again
