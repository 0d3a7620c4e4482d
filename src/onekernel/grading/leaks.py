"""Memory that a launcher allocates in every call and never frees.

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
from onekernel.grading.buffers import Call
from onekernel.grading.submission import Ran, Submission
from onekernel.grading.verdicts import FAILED, PASSED, Failure, Verdict
from onekernel.messages import Message
from onekernel.sandbox.supervisor import CallOutcome

ROUNDS = 4
MOST_CALLS = 6  # of a round
MOST_ELEMENTS = 20_000  # of an input
MANNERS = "errors"  # the group of inputs of the check that asks how a launcher behaves as a function of the host
_ALLOCATES = re.compile(r"\bcuda\w*[Aa]lloc\w*|\bcuMem\w*Alloc\w*")

Again = Callable[[Sequence[Call]], Sequence[CallOutcome]]  # makes calls in one process, with what each leaves told


def with_leaks(s: Submission, ran: Sequence[Ran], verdicts: Sequence[Verdict], again: Again) -> list[Verdict]:
    """The verdicts, the check that asks for errors failed where each call leaves memory behind."""
    if s.backend != "simulator" or not _ALLOCATES.search(s.text()):
        return list(verdicts)
    asks = next((v for v in verdicts if MANNERS in v.check.options.get("groups", ())), None)
    calls = _some([call for check in ran for call, _ in check])
    if asks is None or asks.status != PASSED or not calls:
        return list(verdicts)
    rounds = [_left(outcome) for outcome in again(calls * ROUNDS)[len(calls) - 1 :: len(calls)]]
    leak = _growing(rounds) if len(rounds) == ROUNDS else None
    if leak is None:
        return list(verdicts)
    failed = replace(asks, status=FAILED, earned=0.0, failures=(_told(s, leak, len(calls) * ROUNDS),))
    return [failed if v is asks else v for v in verdicts]


def _some(calls: Sequence[Call]) -> list[Call]:
    """A few inputs of different sizes, the largest with them."""
    plain = {(call.function, *call.case.sizes.values()): call for call in calls if call.case.plain}
    sized = {math.prod(call.case.sizes.values()): call for call in plain.values()}
    known = [sized[elements] for elements in sorted(sized, reverse=True) if 0 < elements <= MOST_ELEMENTS]
    return known[:: math.ceil(len(known) / MOST_CALLS) or 1]


def _left(outcome: CallOutcome) -> list[Finding]:
    return [f for f in outcome.report.findings if f.code == "leak"] if outcome.report else []


def _growing(rounds: Sequence[Sequence[Finding]]) -> Finding | None:
    """What the last round tells of the first line that has more buffers after each round than before it."""
    counts = [Counter({f.line: int(f.message.values["buffers"]) for f in found}) for found in rounds]
    for finding in rounds[-1]:
        numbers = [count[finding.line] for count in counts]
        if numbers == sorted(set(numbers)):
            return finding
    return None


def _told(s: Submission, leak: Finding, calls: int) -> Failure:
    lines = s.text().splitlines()
    ordered = leak.line is not None and leak.line <= len(lines) and "Async" in lines[leak.line - 1]
    values = leak.message.values
    facts = {name: values[name] for name in ("bytes", "memory")}
    call = f"{values['call']}{'Async' if ordered else ''}"
    message = Message("grading.leak", {**facts, "calls": calls, "call": call})
    return Failure(message, leak.chapter or "", file=leak.file, line=leak.line, code=leak.code)
