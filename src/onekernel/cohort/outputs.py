"""Everything that goes out of a class that is graded, under its folder:

    results.jsonl        what was decided and why, sorted, equal for equal files and seed
    gradebook.csv        a row per student, a column per exercise; canvas.csv, moodle.csv: what these systems read
    junit.xml            a suite per student, for Jenkins
    gradescope/KEY.json  results.json of each student
    class.html           the page for the class
    students/KEY.html    the page for each student

A student's page is in the language of their comments and of their log, the starters' among them.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from onekernel.cohort import journal, similarity, submissions
from onekernel.cohort.layouts import GRADESCOPE
from onekernel.cohort.run import GRADESCOPES, STUDENTS, Class
from onekernel.cohort.similarity import STRING
from onekernel.cohort.submissions import Student
from onekernel.course import Course
from onekernel.learners import write_bytes, write_json, write_parts
from onekernel.messages import LANGUAGES, language, speaking
from onekernel.report import class_page, gradebook, gradescope, student_page

# Words that nobody writes in the other language, and that nobody writes without.
_WORDS = {
    "en": "the of and is are each with that this for from it its which one by not be to what where than",
    "es": "el los las del y cada con que para una por se su lo como más desde qué donde está son esta este",
}
_COMMON = {lang: frozenset(words.split()) for lang, words in _WORDS.items()}
_LETTERS = re.compile(r"[^\W\d_]+")
# What a source says in words, and the strings that are passed over. What is never closed goes to the end of its line,
# or of the file: nothing is read twice. Python's own parser is not asked: endless nesting ends it, and the class.
_SAID = {
    ".cu": re.compile(r"//([^\n]*)|/\*(.*?)(?:\*/|\Z)|" + STRING, re.DOTALL),
    ".py": re.compile(r"#([^\n]*)|\"{3}(.*?)(?:\"{3}|\Z)|'{3}(.*?)(?:'{3}|\Z)|" + STRING, re.DOTALL),
}
CLEARLY = 2  # times as many lines as in any other language
LINES = 2  # a single one is a comment that came from somewhere


def write(cohort: Class) -> list[Path]:
    """Writes all of it and returns what a person opens first. Raises OSError."""
    out = cohort.asked.out
    final = journal.write_final(out, cohort.journal.seed, cohort.results)
    rows = Rows(cohort)
    written = [final]
    for name, text in gradebook.files(rows, cohort.exercises).items():
        write_bytes(out / name, text.encode())
        written.append(out / name)
    write_parts(out / "junit.xml", gradebook.junit(rows, cohort.course))
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
            late = submissions.lateness(s, self._cohort.asked.due)
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
        with speaking(language_of(student, cohort.course)):
            text = student_page.html(about, cohort.card(student), cohort.course)
        write_bytes(folder / f"{student.key}.html", text.encode())


def language_of(student: Student, course: Course) -> str:
    """The language of most lines of prose in what they handed in; where that is not clear, the one in force."""
    seen = dict.fromkeys(LANGUAGES, 0)
    for exercise in course.exercises.values():
        if exercise.file in student.files:
            starters = {lang: {*_prose(text, exercise.file)} for lang, text in course.starters(exercise).items()}
            text = student.path(exercise.file).read_text(encoding="utf-8", errors="replace")
            for line in _prose(text, exercise.file):
                if lang := _of_line(line, starters):
                    seen[lang] += 1
    most = max(seen, key=seen.__getitem__)
    others = max(count for lang, count in seen.items() if lang != most)
    return most if seen[most] >= LINES and seen[most] >= CLEARLY * others else language()


def _of_line(line: str, starters: Mapping[str, set[str]]) -> str | None:
    """The language of a line: that of the only starter that has it, else of most of its words; None where neither
    tells."""
    has = [lang for lang, lines in starters.items() if line in lines]
    if has:
        return has[0] if len(has) == 1 else None
    words = _LETTERS.findall(line.lower())
    found = {lang: sum(word in common for word in words) for lang, common in _COMMON.items()}
    most = max(found, key=found.__getitem__)
    return most if found[most] > sum(found.values()) - found[most] else None


def _prose(text: str, file: str) -> list[str]:
    """The comments and docstrings of a file, line by line; all lines of a file that is prose."""
    said = _SAID.get(Path(file).suffix)
    told = (part for found in said.finditer(text) for part in found.groups() if part) if said else (text,)
    return [line for part in told for n in part.split("\n") if (line := n.strip())]
