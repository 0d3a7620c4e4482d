"""The language in which a student works: that of the starters whose comments their files still hold."""

from __future__ import annotations

from onekernel.cohort.handed_in import Student
from onekernel.course import Course
from onekernel.messages import LANGUAGES, language


def of(student: Student, course: Course) -> str:
    """The language of most of the comments that the starters gave them; the one in force where nothing tells."""
    seen = dict.fromkeys(LANGUAGES, 0)
    for exercise in course.exercises.values():
        if exercise.file not in student.files:
            continue
        lines = _lines(student.path(exercise.file).read_text(encoding="utf-8", errors="replace"))
        starters = {lang: _lines(text) for lang, text in course.starters(exercise).items()}
        for lang, mine in starters.items():
            others = set[str]().union(*(other for name, other in starters.items() if name != lang))
            seen[lang] += len(lines & (mine - others))
    most = max(seen, key=lambda lang: (seen[lang], lang == language()))
    return most if seen[most] else language()


def _lines(text: str) -> set[str]:
    return {line.strip() for line in text.splitlines() if line.strip()}
