"""tl.dot without a GPU: the natural product of 16-bit tiles passes; the interpreter takes bfloat16 for integers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from onekernel.course import Course
from onekernel.grading.grader import grade
from onekernel.grading.submission import Submission
from support.corpus import exercise
from support.course import ROOT
from support.slips import FOLDER


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_tiles_of_16_bits_are_multiplied_as_they_are(dtype: str) -> None:
    asked = replace(exercise("gemm_triton", frozenset({"shapes"})), dtypes=(dtype,))
    result = grade(Submission(Course(ROOT, ()), asked, FOLDER / "gemm_triton.py", "simulator", 7))
    assert result.status == "passed", [str(f.message) for v in result.verdicts for f in v.failures]
