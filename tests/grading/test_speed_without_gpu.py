"""Without a GPU speed is not assessed, whatever else is wrong with a file: never failed."""

from __future__ import annotations

import pytest

from onekernel.grading.grader import grade
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import FAILED, NOT_ASSESSED
from support.course import COURSE


@pytest.mark.slow
@pytest.mark.parametrize(
    ("slug", "text"),
    [("softmax_tuned", "int main( {"), ("softmax_tuned", "#include <cuda_runtime.h>\n"), ("gemm_tiled", "int main( {")],
)
def test_the_speed_of_a_file_that_fails_is_open(tmp_path, slug, text):
    exercise = COURSE.exercises[slug]
    (tmp_path / exercise.file).write_text(text)
    result = grade(Submission(COURSE, exercise, tmp_path / exercise.file, "simulator", 1))
    status = {v.check.kind.name: v.status for v in result.verdicts}
    assert status.pop("speed") == NOT_ASSESSED
    assert set(status.values()) == {FAILED}
