"""A checker says what it tells and where it is tested; a new one, made by the recipe, sees every access."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import onekernel
from onekernel.simulator.paths import RUNTIME
from onekernel.simulator.read.records import records
from support import rules

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(onekernel.__file__).parent
CHECKERS = RUNTIME / "checkers"
LISTED = re.findall(r"^    (\w+Checker)\b", (CHECKERS / "list.h").read_text(encoding="utf-8"), re.MULTILINE)
TELLS = re.compile(r"^// Tells: (.*(?:\n//  .*)*)\n// Tests: (.*)$", re.MULTILINE)
STATED = {p: match for p in sorted(CHECKERS.iterdir()) if (match := TELLS.search(p.read_text(encoding="utf-8")))}
MADE = re.compile(r'\bFinding(?: f)?\(([^;]*?"[a-z-]+"[^;]*?)\)[;.\n]')
CODES = {code for record in records() for code in record.codes}


def told(path: Path) -> set[str]:
    words = STATED[path][1]
    return set() if words.startswith("nothing") else set(re.findall(r"[a-z-]{4,}", words))


def test_every_checker_of_the_list_is_a_file_that_says_what_it_tells() -> None:
    assert len(LISTED) > 10
    stems = {p.stem for p in STATED}
    files = {name: re.sub(r"(?<!^)(?=[A-Z])", "_", name.removesuffix("Checker")).lower() for name in LISTED}
    assert {name for name, stem in files.items() if stem not in stems} == set()


def test_what_a_checker_tells_are_records_and_nothing_is_told_by_nobody() -> None:
    assert set.union(*map(told, STATED)) <= CODES
    made = {
        code
        for path in CHECKERS.glob("*.cpp")
        for call in MADE.findall(path.read_text(encoding="utf-8"))
        for code in re.findall(r'"([a-z-]+)"', call)
        if code in CODES
    }
    assert len(made) > 8
    assert made <= set.union(*map(told, STATED))


def test_the_tests_that_a_checker_names_are_there() -> None:
    def missing(path: Path) -> list[str]:
        names = STATED[path][2].split(", ")
        kernels = ROOT / "tests" / "simulator" / "kernels"
        return [n for n in names if not any(kernels.glob(f"{n}.cu")) and not any((ROOT / "tests").glob(f"*/{n}"))]

    rules.each(STATED, missing, "the kernels of tests/simulator/kernels, or the test files, that a checker names")


NEW_CHECKER = """\
// Stores to the first byte of a buffer or of shared memory.
//
// Tells: first-store
// Tests: first_store_*
#pragma once

#include "../report/findings.h"
#include "checker.h"

namespace __ok {
struct FirstStoresChecker : Checker<FirstStoresChecker> {
    static constexpr unsigned OPTIONS = BOUNDS;
    static bool access(Worker&, Access& a) {
        const bool in_shared = a.space == Space::SHARED && a.offset == a.array()->offset;
        const bool first = in_shared || (a.space == Space::GLOBAL && a.address == a.buffer->low);
        if (a.writes() && first) Finding("first-store", a.pc).code_at(a.pc).here().number("bytes", a.bytes).add();
        return true;
    }
};
}  // namespace __ok
"""
NEW_RECORD = """
[first-store]
chapter = "01-06-errors#errors"
means.en = "a store to the first byte"
means.es = "una escritura en el primer byte"

[first-store.says]
en = "{bytes} bytes are stored at the beginning."
es = "Se escriben {bytes} bytes al principio."
"""
KERNEL = """\
__global__ void kernel(float* y) {
    __shared__ float row[64];
    row[threadIdx.x] = 1.0f;
    __syncthreads();
    y[threadIdx.x] = row[63 - threadIdx.x];
}
extern "C" cudaError_t run(float* y, int64_t n, cudaStream_t stream) {
    kernel<<<1, 64, 0, stream>>>(y);
    return cudaGetLastError();
}
"""
SHOW = """\
import sys
import numpy as np
from onekernel import simulator
from onekernel.backends.base import Buffer
for mode in ("bounds", "check", "count"):
    y = Buffer("y", np.zeros(64 * 4 + 512, np.uint8), 256, 256, True, 4)
    found = simulator.build(sys.argv[1], mode, machine_code=False).call("run", [y, 64]).findings
    print(mode, *(f"{f.code} {f.line}" for f in found))
"""


@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
@pytest.mark.slow
def test_a_checker_is_added_by_its_file_and_its_name_and_sees_every_access(tmp_path: Path) -> None:
    copy = tmp_path / "onekernel"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    own = copy / CHECKERS.relative_to(PACKAGE)
    with (copy / "simulator" / "findings.toml").open("a", encoding="utf-8") as file:
        file.write(NEW_RECORD)
    recipe = copy / "simulator" / "compilation" / "parts.py"
    recipe.write_text(re.sub(r'"-O\d"', '"-O0"', recipe.read_text(encoding="utf-8")), encoding="utf-8")  # built sooner
    (own / "first_stores.h").write_text(NEW_CHECKER, encoding="utf-8")
    names = (own / "list.h").read_text(encoding="utf-8")
    names = names.replace('#include "exited_blocks.h"\n', '#include "exited_blocks.h"\n#include "first_stores.h"\n')
    names = names.replace("    LateReadsChecker,\n", "    FirstStoresChecker,\n    LateReadsChecker,\n")
    (own / "list.h").write_text(names, encoding="utf-8")
    (tmp_path / "kernel.cu").write_text(KERNEL, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "ONEKERNEL_CACHE": str(tmp_path / "cache")}
    command = [sys.executable, "-c", SHOW, str(tmp_path / "kernel.cu")]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
    both = "first-store 3 first-store 5"
    assert done.stdout.splitlines() == [f"{mode} {both}" for mode in ("bounds", "check", "count")], done.stderr
