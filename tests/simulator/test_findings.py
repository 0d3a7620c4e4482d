"""Of every finding there is one record and one call in the runtime, and each says what the other needs."""

import os
import re
import shutil
import string
import subprocess
import sys
from pathlib import Path

import pytest

import onekernel
from onekernel.messages import area
from onekernel.simulator.paths import RUNTIME
from onekernel.simulator.read.forms import GIVEN, OF_THE_READER
from onekernel.simulator.read.races import QUOTED
from onekernel.simulator.read.records import Record, records, table
from support import rules

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(onekernel.__file__).parent
SOURCES = {p: p.read_text(encoding="utf-8") for p in sorted(RUNTIME.rglob("*.cpp"))}
CALL = re.compile(r"\b(?:Finding(?: f)?|library_finding)\(")
CODE = re.compile(r'"([a-z-]+)"')
FACT = re.compile(r'\.(?:text|array|number|hex|sentence|block|thread)\("(\w+)"')
RECORDS = {record.name: record for record in records()}


def calls() -> list[tuple[set[str], set[str]]]:
    """Of each call that makes a finding the codes, and the facts that it gives."""
    found = []
    for text in SOURCES.values():
        for match in CALL.finditer(text):
            end = next(k for k in range(match.end(), len(text)) if balanced(text[match.end() - 1 : k + 1]))
            codes = set(CODE.findall(text[match.end() : end]))
            chain = text[end : text.index(".add()", end)] if codes else ""
            facts = set(FACT.findall(chain))
            facts |= {"block", "thread"} if ".here()" in chain or ".where()" in chain else set()
            facts |= {"variable", "index"} if "variable(" in chain else set()  # race_report.cpp gives both
            facts |= {"function", "name"} if match[0].startswith("library") else set()
            found += [(codes, facts)] if codes else []
    return found


def balanced(text: str) -> bool:
    return text.count("(") == text.count(")")


def test_every_call_has_a_record_and_every_record_a_call() -> None:
    made = [code for codes, _ in calls() for code in codes]
    assert len(made) > 30
    assert set(made) == {code for record in records() for code in record.codes}


def sentences(record: Record) -> dict[str, str]:
    return {form: area("simulator")[record.says(form, {}).key.partition(".")[2]]["en"] for form in record.forms}


def test_what_varies_in_a_sentence_is_given_by_the_calls() -> None:
    made = calls()

    def wrong(name: str) -> None:
        record = RECORDS[name]
        given = set.union(*(facts for codes, facts in made if codes & set(record.codes))) | set(GIVEN)
        for form, text in sentences(record).items():
            varies = {name for _, name, _, _ in string.Formatter().parse(text) if name}
            assert varies <= given | ({QUOTED, "here", "there"} if QUOTED in record.forms else set()), form

    rules.each(RECORDS, wrong, "the call that makes a finding gives what its sentence names in braces")


def test_the_runtime_or_the_reader_tells_each_form() -> None:
    headers = (p.read_text(encoding="utf-8") for p in sorted(RUNTIME.rglob("*.h")))  # what a library's call refuses
    texts = "\n".join([*SOURCES.values(), *headers])
    of_the_reader = {*OF_THE_READER, QUOTED, ""}

    def untold(name: str) -> list[str]:
        forms = sorted(RECORDS[name].forms - of_the_reader)
        return [f for f in forms if f'"{f}"' not in texts and not all(f'"{p}"' in texts for p in f.split("-", 1))]

    rules.each(RECORDS, untold, "nobody tells these forms of a finding; tell them, or take them out of the record")


def test_a_record_is_in_the_table_and_its_lesson_in_both_languages() -> None:
    tables = {language: table(language) for language in ("en", "es")}

    def wrong(name: str) -> None:
        record = RECORDS[name]
        if record.chapter is None:
            assert record.name == "unsupported" and not record.means
            return
        assert bool(record.means) != bool(record.row)
        page, _, anchor = record.chapter.partition("#")
        for language, rows in tables.items():
            assert f'<a id="{anchor}"></a>' in (ROOT / "docs" / language / f"{page}.md").read_text(encoding="utf-8")
            assert all(any(f"`{code}`" in row for row in rows) for code in record.codes)

    rules.each(RECORDS, wrong, "a finding has a lesson in both languages and a row of the table")


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
