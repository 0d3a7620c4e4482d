"""What is left from the call before: an input on which a file is right alone, and wrong after others."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from onekernel.grading import buffers
from onekernel.grading.briefly import briefly
from onekernel.grading.buffers import Call
from onekernel.grading.submission import SOURCE_BYTES, Ran, Submission
from onekernel.grading.verdicts import FAILED, Failure, Verdict
from onekernel.messages import Message
from onekernel.sandbox.supervisor import CallOutcome

Alone = Callable[[Call], CallOutcome]  # makes one call in a fresh process
# A variable that outlives a call: of the device, or static, outside or inside of a function.
_LASTING = re.compile(
    r"^[ \t]*(?:static[ \t]+)?(?:__device__|__managed__|static|thread_local)[ \t]+(?!inline|constexpr|const\b|__|void)"
    r"[^;(){}]*?\b(\w+)[ \t]*(?:\[[^;]*\][ \t]*)?(?:=[^;]*|\{[^;]*\})?;",
    re.MULTILINE,
)


def with_leftovers(s: Submission, ran: Sequence[Ran], verdicts: Sequence[Verdict], alone: Alone) -> list[Verdict]:
    """The verdicts, the first that failed beginning with what is left from an earlier call, where that is the cause."""
    calls = [pair for check in ran for pair in check if not (pair[0].case.way or pair[0].case.defines)]
    names = _lasting(s)
    if not names or not calls:
        return list(verdicts)
    stray = next((c for c, o in calls if _strayed(o)), None)
    if stray is not None and not _right(s, stray, alone(stray)):  # it stopped a kernel: others meet what that left
        return list(verdicts)
    if not _right(s, *calls[0]):
        return _told(s, verdicts, calls[0][0], _never_last(s, calls, names), names)
    wrong = next(((c, o) for c, o in calls if not _right(s, c, o)), None)
    if wrong is None or not _right(s, wrong[0], alone(wrong[0])):
        return list(verdicts)
    first = Message("grading.left-over")
    second = Message("grading.left-over-names", {"name": next(iter(names))})
    return _told(s, verdicts, wrong[0], Message("grading.both", {"first": first, "second": second}), names)


def _never_last(s: Submission, calls: Ran, names: dict[str, int]) -> Message | None:
    """What a counter does that reaches its end in a later call than it should: the first call writes nothing at all, a
    later one its whole answer."""
    faults = [buffers.judge(s.operator, c, o.after) if o.report else None for c, o in calls[:8]]
    kinds = [fault.kind if fault else None for fault in faults]
    if kinds[0] != "unwritten" or all(kind == "unwritten" for kind in kinds):
        return None
    return Message("grading.left-over-never-last", {"name": next(iter(names))})


def _told(
    s: Submission, verdicts: Sequence[Verdict], call: Call, said: Message | None, names: dict[str, int]
) -> list[Verdict]:
    """The verdicts, the first that failed beginning with `said` of the first of `names`."""
    if said is None:
        return list(verdicts)
    line = next(iter(names.values()))
    out, told = [], False
    for verdict in verdicts:
        if verdict.status == FAILED and not told:
            told = True
            about = call.case.name, call.case.about, str(s.path), line
            cause = Failure(said, verdict.check.chapter, *about, "left-over")
            verdict = replace(verdict, failures=(cause, *verdict.failures[:1]))
        out.append(verdict)
    return out


def _strayed(outcome: CallOutcome) -> bool:
    return outcome.report is not None and any(f.code.startswith("out-of-bounds") for f in outcome.report.findings)


def _right(s: Submission, call: Call, outcome: CallOutcome) -> bool:
    report = outcome.report
    if report is None or report.status or any(f.severity == "error" for f in report.findings):
        return False
    return buffers.judge(s.operator, call, outcome.after) is None


def _lasting(s: Submission) -> dict[str, int]:
    """The variables of the file that outlive a call, and their lines: first those that are added to and never set
    again, then single values, such as counters."""
    if s.path.suffix != ".cu" or s.path.stat().st_size > SOURCE_BYTES:
        return {}
    text = s.path.read_text(encoding="utf-8", errors="replace")
    return briefly(lambda: _lasting_in(text), {})


def _lasting_in(text: str) -> dict[str, int]:
    found = sorted(_LASTING.finditer(text), key=lambda m: (not _only_grows(text, m[1]), "[" in m[0]))
    return {m[1]: text.count("\n", 0, m.start(1)) + 1 for m in found}


def _only_grows(text: str, name: str) -> bool:
    """Whether a variable is added to, and nothing sets it anew."""
    element = rf"\b{re.escape(name)}\b\s*(?:\[[^\]]*\]\s*)?"
    grows = re.search(rf"{element}(?:\+=|\+\+)|(?:\+\+)\s*{element}", text)
    anew = re.search(rf"^\s*{element}=[^=]", text, re.MULTILINE)
    return bool(grows and not anew and not re.search(rf"cudaMemset\w*\([^;]*{element}", text))
