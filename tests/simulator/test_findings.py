"""Of every finding there is one record and a call in the runtime, and each says what the other needs."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import onekernel
from onekernel.author import findings
from onekernel.simulator.paths import RUNTIME
from onekernel.simulator.read.records import records, table
from support import rules
from support.course import COURSE

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(onekernel.__file__).parent
RECORDS = {record.name: record for record in records()}


def test_every_call_has_a_record() -> None:
    made = {code for call in findings.calls() for code in call.codes}
    assert len(made) > 30
    assert made <= {code for record in records() for code in record.codes}


def test_of_every_record_the_runtime_the_pages_and_the_tests_have_what_it_needs() -> None:
    unseen = {"left-kernel"}  # what leaves a kernel is refused by name: this is said of what finds another way
    rules.each(RECORDS.keys() - unseen, lambda name: list(findings.missing(COURSE, name)), "what is missing")


def test_every_checker_is_built_and_called() -> None:
    rules.each(findings.checkers(), findings.missing_checker, "what is missing")


def test_a_record_is_in_the_table_of_each_language() -> None:
    for language in ("en", "es"):
        rows = table(language)
        assert [c for r in records() if r.chapter for c in r.codes if not any(f"`{c}`" in row for row in rows)] == []


NEW_RECORD = """
[freed]
chapter = "01-06-errors#errors"
means.en = "memory that is freed"
means.es = "memoria que se libera"

[freed.says]
en = "{bytes} bytes are freed here."
es = "Aquí se liberan {bytes} bytes."
"""
BEFORE = "        if (a.live && a.base == reinterpret_cast<uintptr_t>(pointer)) {\n"
NEW_CALL = '        Finding("freed", uint64_t(at.line)).at(at).number("bytes", a.end - a.base).add();\n'
KERNEL = """\
extern "C" cudaError_t run(cudaStream_t stream) {
    void* memory;
    cudaMalloc(&memory, 64);
    return cudaFree(memory);
}
"""
SHOW = """\
import sys
from onekernel import simulator
from onekernel.simulator.read.records import table
(found,) = simulator.build(sys.argv[1]).call("run", []).findings
print(found.code, found.line, found.chapter, found.message.text("en"), found.message.text("es"), sep="\\n")
print(table("en")[-1])
"""


@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
@pytest.mark.slow
def test_a_finding_is_added_by_its_record_and_one_call(tmp_path: Path) -> None:
    copy = tmp_path / "onekernel"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    own = copy / RUNTIME.relative_to(PACKAGE)
    with (own.parent / "findings.toml").open("a", encoding="utf-8") as file:
        file.write(NEW_RECORD)
    recipe = copy / "simulator" / "compilation" / "parts.py"
    recipe.write_text(re.sub(r'"-O\d"', '"-O0"', recipe.read_text(encoding="utf-8")), encoding="utf-8")  # built sooner
    heap = own / "memory" / "heap.cpp"
    text = heap.read_text(encoding="utf-8")
    assert text.count(BEFORE) == 1
    heap.write_text(text.replace(BEFORE, NEW_CALL + BEFORE), encoding="utf-8")
    (tmp_path / "kernel.cu").write_text(KERNEL, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "ONEKERNEL_CACHE": str(tmp_path / "cache")}
    command = [sys.executable, "-c", SHOW, str(tmp_path / "kernel.cu")]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert done.stdout.splitlines() == [
        "freed", "4", "01-06-errors#errors", "64 bytes are freed here.", "Aquí se liberan 64 bytes.",
        "| `freed` | memory that is freed |",
    ], done.stderr  # fmt: skip
