"""Where an answer is wrong and its launcher had copied to the host, that comes first: while a file is graded the host
gets other bytes than the device holds (memory/host_view.h of the simulator)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from onekernel.backends.base import CallReport
from onekernel.grading.verdicts import Failure
from onekernel.messages import Message

COPIED = "host-copy"


def copy_first(found: Sequence[Failure], report: CallReport, symptoms: Sequence[str]) -> list[Failure]:
    """The failures of a call: what its bytes or its status show is told by the copy to the host, where it made one."""
    copy = next((f for f in report.findings if f.code == COPIED), None)
    if copy is None:
        return list(found)
    out = []
    for failure in found:
        if failure.code in symptoms:
            message = Message("compile.warning", {"why": copy.message, "symptom": failure.message})
            chapter = copy.chapter or failure.chapter
            failure = replace(failure, message=message, file=copy.file, line=copy.line, code=COPIED, chapter=chapter)
        out.append(failure)
    return out
