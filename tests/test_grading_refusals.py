"""Files that are not run: each check says why, or where to read it."""

from __future__ import annotations

from pathlib import Path

from onekernel.course import find_root, load
from onekernel.grading import exports
from onekernel.grading.grader import grade
from onekernel.grading.submission import Submission


def test_every_check_of_a_file_that_does_not_build_has_a_reason(tmp_path: Path) -> None:
    path = tmp_path / "vector_add.cu"
    path.write_text("this is no C++\n")
    whole = load(find_root(Path(__file__).parent))
    result = grade(Submission(whole, whole.exercises["vector_add"], path, "simulator", 1))
    first, *others = result.verdicts
    assert first.status == "failed" and first.failures[0].line == 1
    assert others and all([f.code for f in v.failures] == ["told-at-first"] for v in others)
    told = ["\n".join(exports.lines(v, whole, "again")) for v in result.verdicts]
    assert all(text.strip() for text in told)
    assert "the first check of this file says why" in told[1]
