"""What a compiler only warned of, told where results are wrong: as their cause, where the file is right without it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from onekernel.backends.base import Finding
from onekernel.grading.fixes import fixed
from onekernel.grading.submission import SYMPTOMS
from onekernel.grading.verdicts import FAILED, MAX_FAILURES, PASSED, Failure, Verdict
from onekernel.messages import Message

# What is written there cannot be meant, whatever else is wrong: it comes first.
NEVER_MEANT = (
    "assignment", "no-call", "empty-body", "unused-result", "float-counter", "own-output", "uninitialised", "chained",
    "decimal-comma", "sizeof-pointer", "unsigned-below", "extern-twice", "half-as-float",
    "no-address",
)  # fmt: skip
# What right kernels do as well: told where the file is right without it, and not at all where it is not.
PERHAPS = (
    "own-array", "bytes", "other-type", "set-bytes", "narrow-index", "float-bits", "masked-index", "shuffle-width",
    "shuffle-lane", "shadows", "narrow-sum",
)  # fmt: skip
# Where the numbers themselves have not told it: it is what many right kernels have, and takes a build and a run.
UNNAMED = ("narrow-sum",)
# What the symptom is told before, where the file without it is wrong as well.
BEHIND = ("maybe-uninitialised", "cuts", "quotient")

Cured = Callable[[str], int]
"""Of a text of the file: how many inputs that were wrong are right with it; 0 where one stays wrong."""


def with_warnings(verdicts: Sequence[Verdict], warnings: Sequence[Finding], text: str, cured: Cured) -> list[Verdict]:
    """The verdicts, the first of those that failed with the compiler's warnings on `text`: the cause, or all."""
    if not any(_unexplained(v) for v in verdicts):
        warnings = [w for w in warnings if _kind(w) not in UNNAMED]
    cause = _cause(warnings, text, cured) if any(v.status == FAILED for v in verdicts) else None
    out, told = [], not warnings
    for verdict in _beyond_inputs(verdicts, warnings):
        if verdict.status == FAILED and verdict.failures and not told:
            told = True
            verdict = _warned(verdict, warnings, cause)
        out.append(verdict)
    return out


def _unexplained(verdict: Verdict) -> bool:
    """Whether values are wrong there, and no mistake made on purpose has given them."""
    first = verdict.failures[0] if verdict.failures else None
    return (
        first is not None
        and first.code in SYMPTOMS
        and first.message.key not in ("replay.named", "replay.named-some", "replay.same-cause")
    )


def _kind(warning: Finding) -> str:
    return warning.code.removeprefix("warning-")


def _cause(warnings: Sequence[Finding], text: str, cured: Cured) -> tuple[Finding, int] | None:
    """The warning without which the file is right, and on how many inputs: all of a kind are fixed together, then the
    kinds."""
    suspected = [w for w in warnings if _kind(w) in (*NEVER_MEANT, *PERHAPS, *BEHIND)]
    kinds = list(dict.fromkeys(map(_kind, suspected)))
    for chosen in (*([kind] for kind in kinds), *([kinds] if len(kinds) > 1 else [])):
        mine = [w for w in suspected if _kind(w) in chosen]
        for version in fixed(text, mine):
            if inputs := cured(version):
                return mine[0], inputs
    return None


def _beyond_inputs(verdicts: Sequence[Verdict], warnings: Sequence[Finding]) -> Sequence[Verdict]:
    """The verdicts, those that ask for large tensors failed by a loop that counts in float: it goes wrong beyond 2^24
    elements of a row or a vector, more than the simulator walks through."""
    counter = next((w for w in warnings if w.code == "warning-float-counter"), None)
    if counter is None:
        return verdicts
    why = Failure(counter.message, counter.chapter or "", file=counter.file, line=counter.line, code="warning")
    return [
        replace(v, status=FAILED, earned=0, failures=(why,))
        if v.status == PASSED and "large" in v.check.options.get("groups", ())
        else v
        for v in verdicts
    ]


def _warned(verdict: Verdict, warnings: Sequence[Finding], cause: tuple[Finding, int] | None) -> Verdict:
    first = verdict.failures[0]
    sure, inputs = cause or (next((w for w in warnings if _kind(w) in NEVER_MEANT), None), 0)
    if sure is not None and first.code not in ("told-at-first", "no-kernel"):
        told = first.code in SYMPTOMS  # a finding may be but what follows: the slip is fixed first
        symptom = first.message.values.get("symptom", first.message) if told else ""
        values = {"why": sure.message, "symptom": symptom, "inputs": inputs}
        message = Message("compile.warning-fixed" if inputs else "compile.warning", values)
        named = replace(first, message=message, file=sure.file, line=sure.line, code="warning")
        return replace(verdict, failures=(replace(named, chapter=sure.chapter or named.chapter),))
    if first.code in SYMPTOMS:
        others = [w for w in warnings if _kind(w) not in PERHAPS]
        more = [Failure(w.message, w.chapter or "", file=w.file, line=w.line, code="warning") for w in others]
        return replace(verdict, failures=(*verdict.failures, *more)[:MAX_FAILURES])
    return verdict
