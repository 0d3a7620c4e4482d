"""What calls leave behind: in a variable, so that an input on which a file is right alone comes out wrong after others;
and memory that a launcher allocates in every call and never frees.

What is kept for later calls on purpose, a workspace or a pool, is there when the same calls come again. So a few inputs
are gone through several times, and only a line whose buffers grow in number each time is a leak.

But: a workspace that grows with the input and forgets the smaller one loses memory too, and passes: it ends.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from onekernel.backends.base import Finding
from onekernel.grading import buffers
from onekernel.grading.buffers import Call
from onekernel.grading.submission import SOURCE_BYTES, Ran, Submission
from onekernel.grading.time_limit import within_time
from onekernel.grading.verdicts import FAILED, PASSED, Failure, Verdict
from onekernel.messages import Message
from onekernel.sandbox.supervisor import CallOutcome

Alone = Callable[[Call], CallOutcome]  # makes one call in a fresh process
Again = Callable[[Sequence[Call]], Sequence[CallOutcome]]  # makes calls in one process, with what each leaves told
ROUNDS = 4
MOST_CALLS = 6  # of a round
MOST_ELEMENTS = 20_000  # of an input
MANNERS = "errors"  # the group of inputs of the check that asks how a launcher behaves as a function of the host
_ALLOCATES = re.compile(r"\bcuda\w*[Aa]lloc\w*|\bcuMem\w*Alloc\w*")
# A variable that outlives a call: of the device, or static, outside or inside of a function.
_LASTING = re.compile(
    r"^[ \t]*(?:static[ \t]+)?(?:__device__|__managed__|static|thread_local)[ \t]+(?!inline|constexpr|const\b|__|void)"
    r"[^;(){}]*?\b(\w+)[ \t]*(?:\[[^;]*\][ \t]*)?(?:=[^;]*|\{[^;]*\})?;",
    re.MULTILINE,
)
# A constant of a function that is given its value in the first call, by what that call brings.
_OF_FIRST_CALL = re.compile(
    r"^[ \t]+(?:static[ \t]+const|const[ \t]+static)\b[^;(){}=]*?\b(\w+)[ \t]*=[^;\"]*\b[a-z]\w*[^;]*;", re.MULTILINE
)


def with_leftovers(
    submission: Submission, ran: Sequence[Ran], verdicts: Sequence[Verdict], alone: Alone
) -> list[Verdict]:
    """The verdicts, the first that failed beginning with what is left from an earlier call, where that is the cause."""
    calls = [pair for check in ran for pair in check if not (pair[0].case.way or pair[0].case.defines)]
    names = _lasting(submission)
    if not names or not calls:
        return list(verdicts)
    stray = next((c for c, o in calls if _strayed(o)), None)
    if stray is not None and not _right(
        submission, stray, alone(stray)
    ):  # it stopped a kernel: others meet what that left
        return list(verdicts)
    if not _right(submission, *calls[0]):
        return _told(submission, verdicts, calls[0][0], _never_last(submission, calls, names), names)
    wrong = next(((c, o) for c, o in calls if not _right(submission, c, o)), None)
    if wrong is None or not _right(submission, wrong[0], alone(wrong[0])):
        return list(verdicts)
    first = Message("grading.left-over")
    name = next(iter(names))
    of_first = name in within_time(lambda: _OF_FIRST_CALL.findall(submission.text()), list[str]())
    second = Message(f"grading.left-over-{'static' if of_first else 'names'}", {"name": name})
    return _told(submission, verdicts, wrong[0], Message("grading.both", {"first": first, "second": second}), names)


def _never_last(submission: Submission, calls: Ran, names: dict[str, int]) -> Message | None:
    """What a counter does that reaches its end in a later call than it should: the first call writes nothing at all, a
    later one its whole answer."""
    faults = [buffers.judge(submission.operator, c, o.after) if o.report else None for c, o in calls[:8]]
    kinds = [fault.kind if fault else None for fault in faults]
    if kinds[0] != "unwritten" or all(kind == "unwritten" for kind in kinds):
        return None
    return Message("grading.left-over-never-last", {"name": next(iter(names))})


def _told(
    submission: Submission, verdicts: Sequence[Verdict], call: Call, said: Message | None, names: dict[str, int]
) -> list[Verdict]:
    """The verdicts, the first that failed beginning with `said` of the first of `names`."""
    if said is None:
        return list(verdicts)
    line = next(iter(names.values()))
    out, told = [], False
    for verdict in verdicts:
        if verdict.status == FAILED and not told:
            told = True
            about = call.case.name, call.case.about, str(submission.path), line
            cause = Failure(said, verdict.check.chapter, *about, "left-over")
            verdict = replace(verdict, failures=(cause, *verdict.failures[:1]))
        out.append(verdict)
    return out


def _strayed(outcome: CallOutcome) -> bool:
    return outcome.report is not None and any(f.code.startswith("out-of-bounds") for f in outcome.report.findings)


def _right(submission: Submission, call: Call, outcome: CallOutcome) -> bool:
    report = outcome.report
    if report is None or report.status or any(f.severity == "error" for f in report.findings):
        return False
    return buffers.judge(submission.operator, call, outcome.after) is None


def _lasting(submission: Submission) -> dict[str, int]:
    """The variables of the file that outlive a call, and their lines: first those that are added to and never set
    again, then single values, such as counters."""
    if submission.path.suffix != ".cu" or submission.path.stat().st_size > SOURCE_BYTES:
        return {}
    text = submission.path.read_text(encoding="utf-8", errors="replace")
    return within_time(lambda: _lasting_in(text), {})


def _lasting_in(text: str) -> dict[str, int]:
    every = (*_LASTING.finditer(text), *_OF_FIRST_CALL.finditer(text))
    found = sorted(every, key=lambda m: (not _only_grows(text, m[1]), "[" in m[0]))
    return {m[1]: text.count("\n", 0, m.start(1)) + 1 for m in found}


def _only_grows(text: str, name: str) -> bool:
    """Whether a variable is added to, and nothing sets it anew."""
    element = rf"\b{re.escape(name)}\b\s*(?:\[[^\]]*\]\s*)?"
    grows = re.search(rf"{element}(?:\+=|\+\+)|(?:\+\+)\s*{element}", text)
    anew = re.search(rf"^\s*{element}=[^=]", text, re.MULTILINE)
    return bool(grows and not anew and not re.search(rf"cudaMemset\w*\([^;]*{element}", text))


def with_leaks(submission: Submission, ran: Sequence[Ran], verdicts: Sequence[Verdict], again: Again) -> list[Verdict]:
    """The verdicts, the check that asks for errors failed where each call leaves memory behind."""
    if submission.backend != "simulator" or not _ALLOCATES.search(submission.text()):
        return list(verdicts)
    asks = next((v for v in verdicts if MANNERS in v.check.options.get("groups", ())), None)
    calls = _some([call for check in ran for call, _ in check])
    if asks is None or asks.status != PASSED or not calls:
        return list(verdicts)
    rounds = [_still_there(outcome) for outcome in again(calls * ROUNDS)[len(calls) - 1 :: len(calls)]]
    leak = _growing(rounds) if len(rounds) == ROUNDS else None
    if leak is None:
        return list(verdicts)
    failed = replace(asks, status=FAILED, earned=0.0, failures=(_leaked(submission, leak, len(calls) * ROUNDS),))
    return [failed if v is asks else v for v in verdicts]


def _some(calls: Sequence[Call]) -> list[Call]:
    """A few inputs of different sizes, the largest with them."""
    plain = {(call.function, *call.case.sizes.values()): call for call in calls if call.case.plain}
    sized = {math.prod(call.case.sizes.values()): call for call in plain.values()}
    known = [sized[elements] for elements in sorted(sized, reverse=True) if 0 < elements <= MOST_ELEMENTS]
    return known[:: math.ceil(len(known) / MOST_CALLS) or 1]


def _still_there(outcome: CallOutcome) -> list[Finding]:
    return [f for f in outcome.report.findings if f.code == "leak"] if outcome.report else []


def _growing(rounds: Sequence[Sequence[Finding]]) -> Finding | None:
    """What the last round tells of the first line that has more buffers after each round than before it."""
    counts = [Counter({f.line: int(f.message.values["buffers"]) for f in found}) for found in rounds]
    for finding in rounds[-1]:
        numbers = [count[finding.line] for count in counts]
        if numbers == sorted(set(numbers)):
            return finding
    return None


def _leaked(submission: Submission, leak: Finding, calls: int) -> Failure:
    lines = submission.text().splitlines()
    ordered = leak.line is not None and leak.line <= len(lines) and "Async" in lines[leak.line - 1]
    values = leak.message.values
    facts = {name: values[name] for name in ("bytes", "memory")}
    call = f"{values['call']}{'Async' if ordered else ''}"
    message = Message("grading.leak", {**facts, "calls": calls, "call": call})
    return Failure(message, leak.chapter or "", file=leak.file, line=leak.line, code=leak.code)
