"""The files that mutants are made from, and how one is graded: as the exercise that it answers."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from audits.mutants.mutations import Mutant, mutants
from onekernel.course import Course, Exercise, fastest
from onekernel.grading.submission import Submission

ANSWER = "answer"  # the stem of what answers a small exercise
LADDER = "softmax_tuned"  # what a rung in CUDA answers; those in Triton answer softmax_triton
SM_90 = "sm_90"
# Which simulated cards a file is graded on, beside the usual one: what has clusters takes another way there.
CARDS = {"7_cluster": (SM_90, ""), "gemm_tensorcore": (SM_90, ""), "gemm_skinny": ("", SM_90)}


@dataclass(frozen=True)
class Original:
    """A right file: where it lies, the exercise that it answers, the name that its launcher has, mutants wanted."""

    path: Path
    slug: str
    launcher: str
    most: int

    @property
    def name(self) -> str:
        """What it is called in the results: a small exercise's answer by the exercise."""
        return f"{self.slug}{self.path.suffix}" if self.path.stem == ANSWER else self.path.name

    @property
    def lines(self) -> set[int] | None:
        """Where its mutants may be: in what a learner writes of a small exercise, anywhere else (None)."""
        if self.path.stem != ANSWER:
            return None
        open_, inside = False, set()
        for number, line in enumerate(self.path.read_text(encoding="utf-8").split("\n"), 1):
            open_ = (open_ or "<gap>" in line) and "</gap>" not in line
            inside |= {number} if open_ else set()
        return inside

    def mutants(self, most: int | None = None) -> list[Mutant]:
        """Its mutants, as many as are wanted of it, or up to `most`."""
        return mutants(self.path, self.most if most is None else most, self.lines)

    def answers(self, text: str) -> str:
        """The text of this file, or of a mutant of it, with the launcher that the exercise asks for."""
        return text if self.launcher == self.slug else re.sub(rf"\b{self.launcher}\b", self.slug, text)

    def exercise(self, course: Course) -> Exercise:
        """The exercise without what only a count, a clock or a learner's prediction decides; one type, float32
        where it is asked for, of what takes long in each."""
        asked = course.exercises[self.slug]
        if asked.home:
            return asked
        checks = tuple(c for c in asked.checks if c.kind.shows_right or not asked.operator)
        some = self.launcher != self.slug or self.path.parent.name == "right" or self.path.suffix == ".py"
        one = "float32" if "float32" in asked.dtypes else asked.dtypes[-1]
        return replace(asked, checks=checks, dtypes=(one,) if some else asked.dtypes)

    def submission(self, course: Course, path: Path, on: str, seed: int) -> Submission:
        return Submission(course, self.exercise(course), path, on, seed)

    @property
    def cards(self) -> tuple[str, ...]:
        """The simulated cards that it is graded on, "" for the usual one."""
        return CARDS.get(self.path.stem, ("",))

    @contextmanager
    def on(self, card: str) -> Iterator[None]:
        """That card, while the file is graded."""
        before = os.environ.get("ONEKERNEL_ARCH")
        os.environ.pop("ONEKERNEL_ARCH", None)
        if card:
            os.environ["ONEKERNEL_ARCH"] = card
        try:
            yield
        finally:
            os.environ.pop("ONEKERNEL_ARCH", None)
            if before is not None:
                os.environ["ONEKERNEL_ARCH"] = before


def right(root: Path) -> Iterator[tuple[Path, str]]:
    """The corpus tests/right: each file, and the exercise that its header says it answers."""
    for path in sorted((root / "tests" / "right").iterdir()):
        slug = re.match(r"(?://|#) exercise: (\w+)", path.read_text(encoding="utf-8"))
        if slug:
            yield path, slug[1]


# Mutants wanted of each solution and each rung: more where there is more code, fewer where grading one takes longer.
_SOLUTIONS = {
    "vector_add.cu": 26, "dot_product.cu": 40, "softmax_naive.cu": 36, "softmax_block.cu": 44, "softmax_tuned.cu": 40,
    "gelu.cu": 10, "rmsnorm.cu": 10, "softmax_mul.cu": 10, "gemm_naive.cu": 30, "gemm_tiled.cu": 30,
    "gemm_tensorcore.cu": 30, "gemm_skinny.cu": 30, "gelu_triton.py": 8, "softmax_mul_triton.py": 8,
    "gemm_triton.py": 10, "softmax_triton.py": 10, "torch_minigpt.py": 14, "roofline_challenge.py": 10,
}  # fmt: skip
_RUNG, _TRITON_RUNG, _PRACTICE = 16, 16, 4


def originals(root: Path) -> list[Original]:
    """Each solution that is code and each rung of the ladder, the quick ones first."""
    solutions = root / "solutions"
    found = [_solution(fastest(root, name), most) for name, most in _SOLUTIONS.items() if name.endswith(".cu")]
    for path in sorted((solutions / "ladder").glob("[0-9]*.cu")):
        found.append(Original(path, LADDER, f"ladder_{path.stem.split('_', 1)[1]}", _RUNG))
    for path in sorted((solutions / "ladder").glob("*.py")):
        found.append(Original(path, "softmax_triton", path.stem, _TRITON_RUNG))
    return found + [_solution(fastest(root, name), most) for name, most in _SOLUTIONS.items() if name.endswith(".py")]


def every(root: Path) -> list[Original]:
    """What mutants are made of: the originals and, last, the answers to the small exercises."""
    answers = sorted(p for suffix in (".cu", ".py") for p in (root / "labs").glob(f"*/*/{ANSWER}{suffix}"))
    return [*originals(root), *(Original(p, p.parent.name, p.parent.name, _PRACTICE) for p in answers)]


def _solution(path: Path, most: int) -> Original:
    return Original(path, path.stem, path.stem, most)
