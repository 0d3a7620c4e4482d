"""A question that a learner answers before the machine does, as `onekernel predict` asks it."""

from __future__ import annotations

from dataclasses import dataclass

from onekernel.messages import Message


@dataclass(frozen=True)
class Question:
    """`id` is what the answer is kept under; `what` is asked for, in `unit`, "" for a bare number."""

    id: str
    what: Message
    unit: str = ""
