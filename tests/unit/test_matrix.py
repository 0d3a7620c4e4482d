"""The matrix of machines: its cells, what is said of one that cannot be had, its table, the bounds that it tries."""

from __future__ import annotations

import re
import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.specifiers import SpecifierSet

from audits import matrix
from onekernel.errors import UserError

ROOT = Path(__file__).parents[2]
CELLS = [matrix.parsed(name) for name in matrix.FACTS["matrix"]["cells"]]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def entry(**changes: Any) -> dict[str, Any]:
    return {
        "date": "2026-11-29", "machine": "a machine", "processor_s": 99,
        "versions": {"python": "3.12.1", "c++": "16.0.6"},
        "course": {"exercises": 14, "earned": 70, "assessed": 72, "short": {"gelu": ["values"]}},
        "tests": {"passed": 21200, "failed": 1, "skipped": 3, "names": ["tests.test_it::test_this"]},
    } | changes  # fmt: skip


def test_a_cell_is_its_name() -> None:
    assert [cell.name for cell in CELLS] == matrix.FACTS["matrix"]["cells"]
    named = matrix.parsed("py3.12-torch2.15-clang16-nvcc13.0-gpu")
    assert named == matrix.Cell("3.12", "2.15", "clang16", "nvcc13.0", True) and named.cxx == "clang++-16"


def test_each_value_of_every_axis_stands_in_two_cells() -> None:
    axes = {
        "python": matrix.FACTS["python"]["versions"], "torch": matrix.FACTS["torch"],
        "compiler": matrix.FACTS["compiler"], "nvcc": ["", *matrix.FACTS["nvcc"]], "gpu": [False, True],
    }  # fmt: skip
    of_cells = {axis: [getattr(cell, axis) for cell in CELLS] for axis in axes}
    assert not [(axis, v) for axis, values in axes.items() for v in values if of_cells[axis].count(v) < 2]


def test_the_bounds_of_the_project_are_within_what_the_matrix_tries() -> None:
    """The first version of each package is inside, the ones before the first and after the last outside."""
    bounds = {name: SpecifierSet(rest) for name, rest in map(split, PROJECT["dependencies"])}
    bounds["python"] = SpecifierSet(PROJECT["requires-python"])
    for package, tried in (
        ("torch", [*matrix.FACTS["torch"]]), ("triton", [*matrix.FACTS["torch"].values()]),
        ("python", matrix.FACTS["python"]["versions"]),
    ):  # fmt: skip
        assert f"{tried[0]}.0" in bounds[package], package
        major, first = map(int, tried[0].split("."))
        last = int(tried[-1].split(".")[1])
        assert f"{major}.{first - 1}.9" not in bounds[package], package
        assert package == "python" or f"{major}.{last + 1}.0" not in bounds[package], package


def split(requirement: str) -> tuple[str, str]:
    name, rest = re.fullmatch(r"([\w-]+)([^;]*)(?:;.*)?", requirement).groups()  # type: ignore[union-attr]
    return name, rest


@pytest.mark.parametrize("name", ["", "py2.7-torch2.15-g++12", "py3.12-torch1.0-g++12", "py3.12-torch2.15-icc"])
def test_a_name_of_no_cell_is_refused_with_the_values_that_are(name: str) -> None:
    with pytest.raises(UserError, match=r"clang16.*nvcc13\.0"):
        matrix.parsed(name)


def test_what_this_machine_lacks_is_said_and_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(matrix, "RESULTS", tmp_path / "matrix.json")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    with pytest.raises(UserError, match=r"This machine has no python3\.\d+"):
        matrix.main([next(c.name for c in CELLS if c.python != ".".join(map(str, matrix.sys.version_info[:2])))])
    (row,) = matrix.records.read(tmp_path / "matrix.json")["tables"]["cells"]["rows"]
    assert "no python3" in row[1]["en"] and "falta python3" in row[1]["es"]
    matrix.main([])
    assert len(capsys.readouterr().out.splitlines()) == len(CELLS)


def test_a_cell_that_was_run_is_kept_where_it_cannot_be_had(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix, "RESULTS", tmp_path / "matrix.json")
    first, second = (cell.name for cell in CELLS[:2])
    matrix.keep(second, entry())
    for name in (second, first):
        matrix.keep(name, {"missing": "g++-11", "machine": "another", "date": "2026-12-01"})
    kept = matrix.records.read(tmp_path / "matrix.json")
    assert [*kept["cells"]] == [first, second] and kept["cells"][second]["date"] == "2026-11-29"
    row = kept["tables"]["cells"]["rows"][1]
    assert row[2] == {"en": "70 of 72 in 14 exercises", "es": "70 de 72 en 14 ejercicios"}
    assert row[3] == {"en": "21,200, 1, 3", "es": "21.200, 1, 3"} and row[1] == "python 3.12.1, c++ 16.0.6"


def test_a_cell_is_graded_and_tested_with_what_its_name_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a python that writes what it was asked, and by what was set, and answers as the commands would."""
    python = tmp_path / "python"
    python.write_text(PRETENDS.replace("HEARD", str(tmp_path / "heard")), encoding="utf-8")
    python.chmod(python.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(matrix, "_version", lambda compiler: "13.3.0")
    found = matrix.run(matrix.parsed("py3.12-torch2.15-g++13"), str(python), {}, "make matrix", False)
    assert found["course"] == {"exercises": 2, "earned": 5, "assessed": 7, "short": {"gelu": ["values"]}}
    assert found["tests"] == {"passed": 1, "failed": 2, "skipped": 1, "names": ["t::broken", "t::wrong"]}
    assert found["versions"] == {"python": "3.12.9", "c++": "13.3.0"}
    heard = (tmp_path / "heard").read_text(encoding="utf-8")
    assert heard.count("g++-13 off ") == 2 and "--device simulator" in heard and "not slow" in heard


PRETENDS = """#!/bin/sh
echo "$ONEKERNEL_CXX $ONEKERNEL_NVCC $*" >> HEARD
while [ $# -gt 0 ]; do case "$1" in
--json) cat > "$2" << END
{"earned": 5, "assessed": 7, "results": [
  {"exercise": "vector_add", "earned": 4, "assessed": 4, "verdicts": []}, {"exercise": "gelu", "earned": 1,
   "assessed": 3, "verdicts": [{"failures": [{"code": "values"}, {"code": "values"}]}, {"failures": []}]}]}
END
exit 1;;
--junit-xml=*) cat > "${1#--junit-xml=}" << END
<testsuites><testsuite><testcase classname="t" name="right"/>
<testcase classname="t" name="wrong"><failure/></testcase><testcase classname="t" name="broken"><error/></testcase>
<testcase classname="t" name="not_here"><skipped/></testcase></testsuite></testsuites>
END
exit 1;;
*metadata*) echo '{"python": "3.12.9"}'; exit 0;;
esac; shift; done
"""
