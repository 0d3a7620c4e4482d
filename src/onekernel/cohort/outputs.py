"""Everything that goes out of a class that is graded, under its folder:

    results.jsonl        what was decided and why, sorted, equal for equal files and seed
    gradebook.csv        a row per student, a column per exercise; canvas.csv, moodle.csv: what these systems read
    junit.xml            a suite per student, for Jenkins
    gradescope/KEY.json  results.json of each student
    class.html           the page for the class
    students/KEY.html    the page for each student
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from onekernel.cohort import dates, journal, languages, similarity
from onekernel.cohort.layouts import GRADESCOPE
from onekernel.cohort.run import GRADESCOPES, STUDENTS, Class
from onekernel.cohort.submissions import Student
from onekernel.learners import write_bytes, write_json, write_parts
from onekernel.messages import speaking
from onekernel.report import class_page, gradebook, gradescope, junit, student_page


def write(cohort: Class) -> list[Path]:
    """Writes all of it and returns what a person opens first. Raises OSError."""
    out = cohort.asked.out
    final = journal.write_final(out, cohort.journal.seed, cohort.results)
    rows = Rows(cohort)
    written = [final]
    for name, text in gradebook.files(rows, cohort.exercises).items():
        write_bytes(out / name, text.encode())
        written.append(out / name)
    write_parts(out / "junit.xml", junit.parts(rows, cohort.course))
    pages(cohort)
    gradescope_results(cohort)
    text = class_page.html(rows, cohort.exercises, cohort.course, pairs(cohort), similarity.SHARE, cohort.notes)
    write_bytes(out / "class.html", text.encode())
    return [out / "class.html", *written, out / "junit.xml", out / STUDENTS]


class Rows(Collection[gradebook.Row]):
    """The students, each with their results as they are asked for: all of them at once are never in memory."""

    def __init__(self, cohort: Class) -> None:
        self._cohort = cohort

    def __iter__(self) -> Iterator[gradebook.Row]:
        for s in self._cohort.students:
            late = dates.lateness(s, self._cohort.asked.due)
            yield gradebook.Row(s.key, s.name, s.ids, s.date, s.late, s.notes, self._cohort.card(s), s.home, late)

    def __len__(self) -> int:
        return len(self._cohort.students)

    def __contains__(self, row: object) -> bool:
        return any(row == mine for mine in self)


def gradescope_results(cohort: Class) -> None:
    """results.json of each student, for a class that Gradescope collected."""
    if cohort.layout != GRADESCOPE:
        return
    folder = cohort.asked.out / GRADESCOPES
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for s in cohort.students:
        write_json(folder / f"{s.key}.json", gradescope.of_student(cohort.card(s), cohort.course, s.home, s.notes))


def pairs(cohort: Class) -> list[class_page.Pair]:
    """The files that are alike, of one exercise after the other; those of one group are one file."""
    groups = {s.ids.get("gradescope") or s.key: s for s in reversed(cohort.students)}  # its first member
    names = {s.key: s.name for s in groups.values()}
    found = []
    for exercise in cohort.exercises:
        if not exercise.file.endswith((".cu", ".py")):
            continue
        texts = Texts(groups.values(), exercise.file)
        for a in similarity.alike(exercise.slug, texts, cohort.course.starters(exercise).values()):
            found.append(class_page.Pair(a.exercise, (names[a.one], names[a.other]), a.share, a.equal,
                                         (texts[a.one], texts[a.other]), a.lines))  # fmt: skip
    return sorted(found, key=lambda p: (-p.equal, -p.share))


class Texts(Mapping[str, str]):
    """The file of an exercise, by student: read each time that it is asked for."""

    def __init__(self, students: Iterable[Student], file: str) -> None:
        self._paths = {s.key: s.path(file) for s in students if file in s.files}

    def __getitem__(self, key: str) -> str:
        return self._paths[key].read_text(encoding="utf-8", errors="replace")

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


def pages(cohort: Class) -> None:
    """The page of each student, in the language in which they wrote."""
    folder = cohort.asked.out / STUDENTS
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for student in cohort.students:
        about = student_page.About(student.name, student.notes, student.date, student.late)
        with speaking(languages.of(student, cohort.course)):
            text = student_page.html(about, cohort.card(student), cohort.course)
        write_bytes(folder / f"{student.key}.html", text.encode())
