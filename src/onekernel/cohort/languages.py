"""The language in which a student works: that of their comments and of their log, the starters' among them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from onekernel.cohort.similarity import STRING
from onekernel.cohort.submissions import Student
from onekernel.course import Course
from onekernel.messages import LANGUAGES, language

# Words that nobody writes in the other language, and that nobody writes without.
_WORDS = {
    "en": "the of and is are each with that this for from it its which one by not be to what where than",
    "es": "el los las del y cada con que para una por se su lo como más desde qué donde está son esta este",
}
_OF = {lang: frozenset(words.split()) for lang, words in _WORDS.items()}
_LETTERS = re.compile(r"[^\W\d_]+")
# What a source says in words, and the strings that are passed over. What is never closed goes to the end of its line,
# or of the file: nothing is read twice. Python's own parser is not asked: endless nesting ends it, and the class.
_SAID = {
    ".cu": re.compile(r"//([^\n]*)|/\*(.*?)(?:\*/|\Z)|" + STRING, re.DOTALL),
    ".py": re.compile(r"#([^\n]*)|\"{3}(.*?)(?:\"{3}|\Z)|'{3}(.*?)(?:'{3}|\Z)|" + STRING, re.DOTALL),
}
CLEARLY = 2  # times as many lines as in any other language
LINES = 2  # a single one is a comment that came from somewhere


def of(student: Student, course: Course) -> str:
    """The language of most lines of prose in what they handed in; where that is not clear, the one in force."""
    seen = dict.fromkeys(LANGUAGES, 0)
    for exercise in course.exercises.values():
        if exercise.file in student.files:
            starters = {lang: {*_prose(text, exercise.file)} for lang, text in course.starters(exercise).items()}
            text = student.path(exercise.file).read_text(encoding="utf-8", errors="replace")
            for line in _prose(text, exercise.file):
                if lang := _of(line, starters):
                    seen[lang] += 1
    most = max(seen, key=seen.__getitem__)
    others = max(count for lang, count in seen.items() if lang != most)
    return most if seen[most] >= LINES and seen[most] >= CLEARLY * others else language()


def _of(line: str, starters: Mapping[str, set[str]]) -> str | None:
    """The language of a line: that of the only starter that has it, else of most of its words; None where neither
    tells."""
    has = [lang for lang, lines in starters.items() if line in lines]
    if has:
        return has[0] if len(has) == 1 else None
    words = _LETTERS.findall(line.lower())
    found = {lang: sum(word in common for word in words) for lang, common in _OF.items()}
    most = max(found, key=found.__getitem__)
    return most if found[most] > sum(found.values()) - found[most] else None


def _prose(text: str, file: str) -> list[str]:
    """The comments and docstrings of a file, line by line; all lines of a file that is prose."""
    said = _SAID.get(Path(file).suffix)
    told = (part for found in said.finditer(text) for part in found.groups() if part) if said else (text,)
    return [line for part in told for n in part.split("\n") if (line := n.strip())]
