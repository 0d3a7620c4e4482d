"""What a student is told of inputs that stay hidden: how many of a group failed, what kind of mistake that is, and the
line of their own file. Never the input, its size, its values or the seed: the next class gets the same ones.

Nor what a submission says while it has the inputs: what it printed, the text of an error that it raised, and whatever
its process reported as a name, unless its file holds those words, or as a number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from onekernel.grading.submission import SYMPTOMS
from onekernel.grading.verdicts import NOT_ASSESSED, UNTOUCHED, Failure, Result, Verdict
from onekernel.messages import Message, area, language, say
from onekernel.report.text import chapter_link, source_line, untouched, why_not_assessed
from onekernel.simulator.read import records

_WORD = re.compile(r"\w+")
_LINES = ("line", "other_line")
WAITING = ("told-at-first", "right-first", "follow-on")  # what follows from another failure


def text(verdict: Verdict) -> str:
    """A verdict as plain text."""
    if verdict.status in (UNTOUCHED, NOT_ASSESSED):
        return str(untouched() if verdict.status == UNTOUCHED else why_not_assessed(verdict))
    lines = [str(m) for m in (summary(verdict), None if verdict.groups else note(verdict)) if m]
    for failure, sentence in told(verdict):
        lines.append(sentence)
        if failure.line is not None:
            lines.append(f"  {failure.line}: {source_line(failure) or ''}".rstrip())
    lines += [str(f.message) for f in verdict.failures if f.code in WAITING]
    chapters = dict.fromkeys(f.chapter for f, _ in told(verdict) if f.chapter)
    lines += [say("cohort.page-chapter", link=chapter_link(c)) for c in chapters]
    return "\n".join(" ".join(line.split("\n")) for line in lines)


def summary(verdict: Verdict) -> Message | None:
    """How many of a check's hidden inputs failed, and in which groups; None for a check without any."""
    total = sum(of for _, _, of in verdict.groups)
    failed = sum(n for _, n, _ in verdict.groups)
    if not total:
        return None
    if not failed:
        return Message("cohort.hidden-passed", {"total": total})
    groups = ", ".join(group_name(g) for g, n, _ in verdict.groups if n)
    return Message("cohort.hidden-failed", {"failed": failed, "total": total, "groups": groups})


def group_name(group: str) -> str:
    """A group of inputs in words; its own name for one that has none."""
    return say(f"cohort.group-{group}") if f"group-{group}" in area("cohort") else group


def note(verdict: Verdict) -> Message | None:
    """A check's measured figure, where no hidden input can be in it."""
    return verdict.note and without(verdict.note)


def without(message: Message) -> Message:
    """A sentence without what is a submission's in it, where it has such a form."""
    values = {name: without(v) if isinstance(v, Message) else v for name, v in message.values.items()}
    form = f"hidden-{message.key.replace('.', '-')}"
    return Message(f"cohort.{form}" if form in area("cohort") else message.key, values)


def told(verdict: Verdict) -> Iterator[tuple[Failure, str]]:
    """The failures that a student is told of, each with its sentence, a mistake at one line once."""
    said: set[tuple[str, int | None]] = set()
    for failure in verdict.failures:
        if failure.code in WAITING:
            continue
        hidden = failure.case is not None or _of_an_input(failure)
        sentence = _of_hidden(failure) if hidden else str(without(failure.message))
        kind = (_kind(failure) or sentence) if failure.case else sentence
        if (kind, failure.line) not in said:
            said.add((kind, failure.line))
            yield failure if source_line(failure) is not None else replace(failure, line=None), sentence


def _of_hidden(failure: Failure) -> str:
    """What is told of a failure on a hidden input: the kind of mistake and the advice, without the sentence's values,
    which tell the input's size and what is in it."""
    if failure.message.key.startswith("grading.stopped-before"):
        return say("grading.not-run")
    if "output" in failure.message.values:
        return say("cohort.kind-ended")
    advice = [
        str(m)
        for m in _inside(failure.message)
        if m.key.startswith("replay.") or ("advice" in m.key and _is_of_file(m, failure))
    ]
    kind = _kind(failure)
    if not kind and not failure.message.key.startswith("grading.") and not _is_of_file(failure.message, failure):
        kind = say("cohort.kind-raised" if failure.code == "raised" else "cohort.page-values")
    return " ".join([kind, *advice]) if kind else str(without(failure.message))


def _is_of_file(message: Message, failure: Failure) -> bool:
    """Whether all that a sentence was filled in with stands in the file that failed: those words were there before it
    saw an input. A submission's process writes its report. A number may stand there, too, and be an input's: only a
    line's is the file's."""
    filled = ((k, v) for m in (message, *_inside(message)) for k, v in m.values.items() if not isinstance(v, Message))
    words = {word for name, value in filled if name not in _LINES for word in _WORD.findall(str(value))}
    if any(word[0].isdigit() for word in words):
        return False
    if not words:
        return True
    try:
        text = Path(failure.file or "").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return words <= set(_WORD.findall(text))


def _of_an_input(failure: Failure) -> bool:
    """Whether its sentence tells of an input though it is about none: it names an earlier one, or quotes what a process
    said that had them all."""
    return failure.message.key.startswith("grading.stopped-before") or "output" in failure.message.values


def kind_of(failure: Failure, verdict: Verdict) -> str:
    """The kind of a failure in words, the same for everybody who made that mistake; its check's title where no record
    has words for it; "" for one that follows others."""
    if failure.code in WAITING:
        return ""
    causes = [str(m) for m in _inside(failure.message) if m.key.startswith("replay.")]
    if causes:
        return causes[0]
    if failure.code == "ended":
        return say("cohort.kind-ended")
    return _kind(failure) or str(verdict.check.title)


def _kind(failure: Failure) -> str:
    """What a finding's code stands for; that values are wrong; "" for a sentence without an input's values. A class's
    own sentences have none, and say more than their code."""
    if failure.message.key.startswith("cohort."):
        return str(failure.message)
    record = records.by_code().get(failure.code)
    if record and record.row:
        record = next((r for r in records.records() if r.name == record.row), record)
    if record and record.means:
        kind = record.means[language()]
        return f"{kind[:1].upper()}{kind[1:]}."
    return say("cohort.page-values") if failure.code in SYMPTOMS else ""


def _inside(message: Message) -> Iterator[Message]:
    """The sentences within a sentence."""
    for value in message.values.values():
        if isinstance(value, Message):
            yield value
            yield from _inside(value)


def is_missing(result: Result) -> bool:
    """Whether nothing was handed in for an exercise."""
    first = result.verdicts[0].failures
    return bool(first) and first[0].message.key == "grading.no-file"
