"""How late something was handed in: a fact for a column, and never a penalty of ours."""

from __future__ import annotations

import datetime
import math

from onekernel.cohort.submissions import Student
from onekernel.messages import say


def lateness(student: Student, due: datetime.datetime | None) -> str:
    """How long after `due` a student's files were handed in, in words; that the system marked them late, where it did;
    else empty. A date without a zone is one of this machine's."""
    if due is not None and student.date:
        try:
            handed_in = datetime.datetime.fromisoformat(student.date).astimezone()
        except (ValueError, OverflowError):  # the last hour of the year 9999 is in no other zone
            handed_in = due
        if handed_in > due:
            return say("cohort.late-by", hours=math.ceil((handed_in - due) / datetime.timedelta(hours=1)))
    return say("cohort.late") if student.late else ""
