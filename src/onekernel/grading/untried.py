"""Which kernels of a file no input has launched: right results say nothing about them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from onekernel.grading.submission import Ran, Submission
from onekernel.grading.verdicts import PASSED, Verdict
from onekernel.messages import Message
from onekernel.simulator.facts import facts_of
from onekernel.simulator.facts.functions import KERNEL

UNTRIED = "grading.untried"


def with_untried(submission: Submission, ran: Iterable[Ran], verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts; where all are right and calls have shown it, the last of those names the kernels without a launch.

    A launcher takes a way for each kind of input: a kernel that none of the inputs needs, on this simulated card, was
    not tried. Nothing is said where a launch has a kernel that the file does not name so.
    """
    shown = [n for n, v in enumerate(verdicts) if v.check.kind.shows_right]
    if submission.backend != "simulator" or not shown or any(verdicts[n].status != PASSED for n in shown):
        return list(verdicts)
    launched = {
        kernel.kernel.partition("<")[0].rpartition("::")[2].strip()
        for calls in ran
        for _, outcome in calls
        if outcome.report
        for kernel in outcome.report.kernels
    }
    every = dict.fromkeys(f.name for f in facts_of(submission.text()).functions if f.side == KERNEL and f.body)
    idle = [name for name in every if name not in launched]
    out = list(verdicts)
    if idle and launched and launched <= every.keys():  # one that is launched by another name may be any of them
        told = Message(UNTRIED, {"kernels": ", ".join(idle), "count": len(idle)})
        out[shown[-1]] = replace(out[shown[-1]], details=(*out[shown[-1]].details, told))
    return out
