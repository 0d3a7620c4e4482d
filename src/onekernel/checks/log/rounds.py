"""The tuning log: rounds of predict, change, measure, explain in Markdown. The tool writes what was measured.

    ## Round 1: warp shuffles instead of the tree
    **Prediction:** barriers from 18 a row to 2; 10 % faster
    **Change:** ...
    **Measured:**
    <!-- measured: KERNEL DATE -->
    ...
    <!-- /measured -->
    **Explanation:** ...

Headings may be in either language. A prediction gives a quantity with its unit, a change names what was changed, an
explanation gives a reason that names a line or a counter (see `words`). A round's measurement carries the hash of the
kernel that was measured, so that two rounds about the same file are seen.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from onekernel.checks.log import words
from onekernel.comments import kernel_hash
from onekernel.errors import UserError
from onekernel.messages import Message

EXPLANATION_WORDS, DIFFERENT_WORDS = 12, 9
CHANGE_WORDS = 2
MOST_LINES = 5000  # of a kernel that nobody handed in
MOST_TEXT = 1 << 18  # characters of a log that are read: a hundred times what three rounds take
_ROUND = re.compile(r"^## +(?:Round|Ronda) +\d+ *:? *(?P<title>.*)$", re.MULTILINE)
_BASELINE = re.compile(r"^## +(?:Round|Ronda) +0\b", re.MULTILINE)
_FIELD = re.compile(r"^\*\*(?P<name>[^*:\n]{1,40}):\*\*", re.MULTILINE)
_NAMES = {
    "prediction": "prediction", "predicción": "prediction", "change": "change", "cambio": "change",
    "measured": "measured", "medido": "measured", "explanation": "explanation", "explicación": "explanation",
}  # fmt: skip
_EMPTY = "<!-- measured -->\n<!-- /measured -->"
_MARK = re.compile(r"<!-- measured: (?P<kernel>[0-9a-f]{12}) \d{4}-\d\d-\d\d -->\n")
_END = "\n<!-- /measured -->"


@dataclass(frozen=True)
class Round:
    """One round of the loop, as written. `kernel` is the hash of what was measured, None where nothing was."""

    number: int
    title: str
    prediction: str
    change: str
    explanation: str
    kernel: str | None

    def missing(self, seen: Iterable[str], earlier: Iterable[Round] = (), most_lines: int = MOST_LINES) -> str | None:
        """The key of the first thing that the round lacks; None for a complete one. `seen` are the kernels that earlier
        rounds measured; `most_lines` are those that the kernel may have had."""
        if not words.has_quantity(self.prediction):
            return "log-prediction"
        if not self._says_what_changed(most_lines):
            return "log-change"
        if self.kernel is None:
            return "log-measured"
        if self.kernel in seen:
            return "log-same-kernel"
        why = words.told(self.explanation)
        if len(why.split()) < EXPLANATION_WORDS:
            return "log-explanation"
        names = words.names_counter(why) or words.names_code(why, most_lines)
        if not (names and words.is_sentence(why) and words.different_words(why) >= DIFFERENT_WORDS):
            return "log-reason"
        if any(words.alike(why, text) for text in (self.prediction, self.change, *(r.explanation for r in earlier))):
            return "log-same-words"
        return None

    def _says_what_changed(self, most_lines: int) -> bool:
        what = self.change
        named = words.names_code(what, most_lines) or words.names_counter(what) or words.names_part(what)
        return (named or words.has_quantity(what)) and words.different_words(what) >= CHANGE_WORDS


def rounds(text: str) -> list[Round]:
    """The rounds of a log, in order, without round 0, which is measured and predicts nothing. What is not filled in is
    empty."""
    found: list[Round] = []
    text = text[:MOST_TEXT]
    starts = list(_ROUND.finditer(text))
    for start, end in zip_longest(starts, starts[1:]):
        if _BASELINE.match(text, start.start()):
            continue
        body = text[start.end() : end.start() if end else len(text)]
        fields = {"prediction": "", "change": "", "measured": "", "explanation": ""}
        marks = list(_FIELD.finditer(body))
        for mark, following in zip_longest(marks, marks[1:]):
            name = _NAMES.get(mark["name"].strip().lower())
            if name:
                fields[name] = body[mark.end() : following.start() if following else len(body)].strip()
        measured = _measured(fields["measured"])
        written = {k: _without_comments(v) for k, v in fields.items()}
        found.append(
            Round(
                len(found) + 1,
                start["title"].strip(),
                written["prediction"],
                written["change"],
                written["explanation"],
                measured,
            )
        )
    return found


def _measured(text: str) -> str | None:
    """The hash of the kernel that a field's measurement is of, if it holds a whole one."""
    mark = _MARK.search(text)
    end = text.find(_END, mark.end()) if mark else -1
    return mark["kernel"] if mark and re.search(r"\d", text[mark.end() : max(end, mark.end())]) else None


def _without_comments(text: str) -> str:
    """The text outside of <!-- and -->; what is never closed is outside."""
    kept, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        kept.append(text[at:start])
        at = end + 3
    return "".join([*kept, text[at:]]).strip()


def starting_point(text: str) -> str | None:
    """The hash of the kernel that round 0 measured, if the log has one."""
    found = _BASELINE.search(text[:MOST_TEXT])
    return _measured(text[found.end() : MOST_TEXT].split("\n## ", 1)[0]) if found else None


def ready_for_baseline(text: str) -> None:
    """Raises UserError for a log that has a round 0, or rounds measured already."""
    if _BASELINE.search(text) or any(r.kernel for r in rounds(text)):
        raise UserError(Message("grading.log-baseline-late"), exit_code=1)


def baseline(text: str, kernel: Path, lines: Iterable[str], heading: str) -> str:
    """The log with round 0, the measurement of what the rounds start from, before its first round."""
    first = _ROUND.search(text)
    place = first.start() if first else len(text)
    section = "\n".join([heading, "", _marked(kernel, lines), "", ""])
    return text[:place] + section + text[place:]


def ready_to_measure(text: str, kernel: Path) -> None:
    """Raises UserError for a next round that predicts nothing, or a kernel that was not changed."""
    place = text.find(_EMPTY)
    if place < 0:
        raise UserError(Message("grading.log-no-place"), exit_code=1)
    so_far = rounds(text[:place])
    values = {"number": len(so_far), "title": so_far[-1].title if so_far else "-"}
    if not so_far or not words.has_quantity(so_far[-1].prediction):
        raise UserError(Message("grading.log-prediction", values), exit_code=1)
    if kernel_hash(kernel) in {starting_point(text), *(r.kernel for r in so_far)}:
        raise UserError(Message("grading.log-same-kernel", values), exit_code=1)


def fill(text: str, kernel: Path, lines: Iterable[str]) -> str:
    """The log with `lines` in its first empty measurement. Raises UserError where there is none."""
    if _EMPTY not in text:
        raise UserError(Message("grading.log-no-place"), exit_code=1)
    return text.replace(_EMPTY, _marked(kernel, lines), 1)


def _marked(kernel: Path, lines: Iterable[str]) -> str:
    mark = f"<!-- measured: {kernel_hash(kernel)} {datetime.date.today().isoformat()} -->"
    return "\n".join([mark, *(f"- {line}" for line in lines), "<!-- /measured -->"])
