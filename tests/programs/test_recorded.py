"""bench/public_cuda.py --record: what programs print with nvcc and a GPU, here with a stand-in for nvcc."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from onekernel.bench.public_cuda import recording
from onekernel.bench.public_cuda.run import main
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
