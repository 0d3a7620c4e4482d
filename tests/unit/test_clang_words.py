"""clang++'s complaints about the slips that do not compile: the sentence and the line are those of g++.

They are recorded; each clang++ of this machine is asked, too.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from onekernel import simulator
from onekernel.backends.base import BuildError
from onekernel.messages import Message
from onekernel.simulator.compilation.complaint import Complaint, in_gcc_words
from onekernel.simulator.compilation.slips import told
from support.compilers import CLANGS
from support.slips import FOLDER, slips

RECORDED: dict[str, dict[str, Any]] = tomllib.loads((FOLDER / "clang.toml").read_text(encoding="utf-8"))
SLIPS = {slip.name: slip for slip in slips()}


@pytest.mark.parametrize("name", RECORDED)
def test_a_slip_is_told_in_the_same_words_with_clang(name: str) -> None:
    said = RECORDED[name]
    message, line = told(said["words"], said["line"], SLIPS[name].text().splitlines())
    why = message.values.get("why")
    assert isinstance(why, Message) and (why.key, line) == (said["told"], said["at"])


@pytest.mark.slow
@pytest.mark.sample(every=8)
@pytest.mark.parametrize("clang", CLANGS)
@pytest.mark.parametrize("name", RECORDED)
def test_every_clang_that_is_here_has_the_slip_told_so(name: str, clang: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.cu"
    path.write_text(SLIPS[name].text(), encoding="utf-8")
    with pytest.raises(BuildError) as refused:
        simulator.build(path, "check", with_compiler=clang)
    finding = refused.value.findings[0]
    why = finding.message.values.get("why")
    assert isinstance(why, Message) and (why.key, finding.line) == (RECORDED[name]["told"], RECORDED[name]["at"])


@pytest.mark.parametrize(("line", "name", "key"), [
    ("__device__ void f(flaot* x) {", "flaot", "misspelt-type"),
    ("unsinged n;", "unsinged", "misspelt-type"),
    ("count = 3;", "count", "no-such-type"),
    ("size = 3;", "size", "no-such-type"),
    ("__device__ void f(Vector x) {", "Vector", "unknown-type"),
])  # fmt: skip
def test_a_word_in_a_types_place_is_told_from_a_statement_outside_functions(line: str, name: str, key: str) -> None:
    message, _ = told(f"'{name}' does not name a type", 1, [line])
    assert getattr(message.values["why"], "key", None) == f"compile.{key}"


def test_clangs_own_words_stay_at_the_end_of_the_sentence() -> None:
    message, _ = told("use of undeclared identifier 'blocks'", 1, ["blocks = 3;"])
    assert message.values["what"] == "use of undeclared identifier 'blocks'"


@pytest.mark.parametrize("words", ["expected '}' before 'else'", "expected ')' before ';' token"])
def test_gccs_own_words_are_left_as_they_are(words: str) -> None:
    assert in_gcc_words(Complaint(words, 1, ["x"])) == words
