"""The tuning log: rounds of predict, change, measure, explain in Markdown. The tool writes what was measured.

    ## Round 1: warp shuffles instead of the tree
    **Prediction:** barriers from 18 a row to 2; 10 % faster
    **Change:** ...
    **Measured:**
    <!-- measured: KERNEL DATE -->
    ...
    <!-- /measured -->
    **Explanation:** ...

Headings may be in either language. A round's measurement carries the hash of the kernel that was measured, so that two
rounds about the same file are seen.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from onekernel.bench.records import kernel_hash
from onekernel.errors import UserError
from onekernel.messages import Message

KERNEL = "softmax_tuned"
EXPLANATION_WORDS = 12
_ROUND = re.compile(r"^## +(?:Round|Ronda) +\d+ *:? *(?P<title>.*)$", re.MULTILINE)
_FIELD = re.compile(r"^\*\*(?P<name>[^*:]+):\*\*", re.MULTILINE)
_NAMES = {
    "prediction": "prediction", "predicción": "prediction", "change": "change", "cambio": "change",
    "measured": "measured", "medido": "measured", "explanation": "explanation", "explicación": "explanation",
}  # fmt: skip
_EMPTY = "<!-- measured -->\n<!-- /measured -->"
_MEASURED = re.compile(r"<!-- measured: (?P<kernel>[0-9a-f]{12}) \S+ -->\n.+?\n<!-- /measured -->", re.DOTALL)


@dataclass(frozen=True)
class Round:
    """One round of the loop, as written. `kernel` is the hash of what was measured, None where nothing was."""

    number: int
    title: str
    prediction: str
    change: str
    explanation: str
    kernel: str | None

    def missing(self, seen: Iterable[str]) -> str | None:
        """The key of the first thing that the round lacks; None for a complete one."""
        if not re.search(r"\d", self.prediction):
            return "log-prediction"
        if not self.change:
            return "log-change"
        if self.kernel is None:
            return "log-measured"
        if self.kernel in seen:
            return "log-same-kernel"
        if len(self.explanation.split()) < EXPLANATION_WORDS:
            return "log-explanation"
        return None


def rounds(text: str) -> list[Round]:
    """The rounds of a log, in order. What is not filled in is empty."""
    found = []
    starts = list(_ROUND.finditer(text))
    for number, (start, end) in enumerate(zip(starts, [*starts[1:], None], strict=True), 1):
        body = text[start.end() : end.start() if end else len(text)]
        fields = {"prediction": "", "change": "", "measured": "", "explanation": ""}
        marks = list(_FIELD.finditer(body))
        for mark, following in zip(marks, [*marks[1:], None], strict=True):
            name = _NAMES.get(mark["name"].strip().lower())
            if name:
                fields[name] = body[mark.end() : following.start() if following else len(body)].strip()
        measured = _MEASURED.search(fields["measured"])
        written = {k: re.sub(r"<!--.*?-->", "", v, flags=re.S).strip() for k, v in fields.items()}
        found.append(
            Round(
                number,
                start["title"].strip(),
                written["prediction"],
                written["change"],
                written["explanation"],
                measured["kernel"] if measured else None,
            )
        )
    return found


def ready_to_measure(text: str, kernel: Path) -> None:
    """Raises UserError for a next round that predicts nothing, or a kernel that was not changed."""
    place = text.find(_EMPTY)
    if place < 0:
        raise UserError(Message("grading.log-no-place"), exit_code=1)
    so_far = rounds(text[:place])
    values = {"number": len(so_far), "title": so_far[-1].title if so_far else "-"}
    if not so_far or not re.search(r"\d", so_far[-1].prediction):
        raise UserError(Message("grading.log-prediction", values), exit_code=1)
    if kernel_hash(kernel) in {r.kernel for r in so_far}:
        raise UserError(Message("grading.log-same-kernel", values), exit_code=1)


def fill(text: str, kernel: Path, lines: Iterable[str]) -> str:
    """The log with `lines` in its first empty measurement. Raises UserError where there is none."""
    if _EMPTY not in text:
        raise UserError(Message("grading.log-no-place"), exit_code=1)
    today = datetime.date.today().isoformat()
    mark = f"<!-- measured: {kernel_hash(kernel)} {today} -->"
    return text.replace(_EMPTY, "\n".join([mark, *(f"- {line}" for line in lines), "<!-- /measured -->"]), 1)
