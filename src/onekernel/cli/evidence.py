"""The part of a learner's profile.md that the tool writes: what they earned, when, on what."""

from __future__ import annotations

from onekernel import learners
from onekernel.course import Course
from onekernel.grading.verdicts import place
from onekernel.learners import Learner
from onekernel.messages import say, written

OPEN, CLOSE = "<!-- evidence -->", "<!-- /evidence -->"


def update(course: Course, learner: Learner) -> None:
    """Writes the best scores between the markers of profile.md; a profile without them is left as it is."""
    path = learner.path("profile.md")
    if not path.is_file():
        return
    old = path.read_bytes()
    try:
        before, opening, rest = old.decode("utf-8").partition(OPEN)
    except UnicodeDecodeError:
        return  # theirs, whatever it is
    _, closing, after = rest.partition(CLOSE)
    if not (opening and closing):
        return
    new = f"{before}{OPEN}\n{_table(course, learner)}\n{CLOSE}{after}".encode()
    if new != old:
        learners.write_bytes(path, new)


def _table(course: Course, learner: Learner) -> str:
    scores = learner.scores()
    lines = [say("cli.evidence-head"), "|---|---|---|---|---|"]
    for slug, exercise in course.exercises.items():
        best = scores.get(slug, {}).get("best")
        if best:
            points = f"{written(best['earned'], 'g')} / {exercise.points}"
            lines.append(f"| {slug} | {points} | {place(best['device'])} | {best['version']} | {best['date'][:10]} |")
    return "\n".join(lines)
