"""Kind "answers": numbers with units and words, in a Python file of constants that is read and never run."""

from __future__ import annotations

from collections.abc import Iterable

from onekernel.checks.options import About, Names
from onekernel.course import Kind


def _answers(about: About) -> Iterable[str]:
    from onekernel.checks.answers.right import names

    return names()


KIND = Kind(__name__, {"names": Names(_answers)}, runs_code=False)
