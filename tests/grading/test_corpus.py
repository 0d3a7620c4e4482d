"""Submissions against graders: each wrong one is refused for its own bug, each right one passes, no attack succeeds."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Hashable
from pathlib import Path

import pytest

from onekernel.grading.replay.tell import SEEN
from onekernel.grading.verdicts import Result
from onekernel.messages import Message
from onekernel.sandbox import warm
from onekernel.sandbox.landlock import landlock_version
from support.corpus import Entry, corpus, graded, groups_that_failed
from support.sample import representatives

TRACES = (Path.home() / "onekernel-was-here", Path("/tmp/onekernel-was-here"))  # of a submission that writes outside



def named(entries: list[Entry], classes: Callable[[Entry], Collection[Hashable]]):
    """Each entry as a test. Each day the suite has one of each class, and audits/grading has all; the fast ones are
    the same each day, without Triton, whose import takes seconds."""
    first = representatives([classes(e) for e in entries])
    params = []
    for i, e in enumerate(entries):
        fast = i % 24 == 0 and e.path.suffix == ".cu" and i in first
        marks = [] if fast else [pytest.mark.slow, pytest.mark.sample(classes=classes(e))]
        params.append(pytest.param(e, id=e.path.stem, marks=marks))
    return pytest.mark.parametrize("entry", params)


def kinds(entry: Entry) -> set[str]:
    """The exercise, and what a wrong submission is caught by."""
    return {entry.exercise, *(entry.words("caught") if "caught" in entry.header else ())}


@named(corpus("wrong"), kinds)
def test_wrong_submission_is_refused_for_its_bug(entry: Entry, device: str) -> None:
    entry.skip_where_not_to_be_had()
    words = entry.words("caught")  # by the simulator, before a GPU runs the file
    result = graded(entry.path, entry.exercise, device, frozenset(entry.words("group")))
    failed = groups_that_failed(result)
    caught = {group for group, codes in failed.items() if codes & words}
    assert caught & entry.words("group"), f"seed {result.seed}: failed {failed}, expected {entry.header}"
    # Never another cause than its own; that it is named at all may take more inputs: tests/grading/test_slips.py.
    own = entry.words("cause") if "cause" in entry.header else set()
    if not all(causes & own for causes in named_causes(result)):  # inputs of other groups tell causes apart
        result = graded(entry.path, entry.exercise, device, frozenset({*entry.words("group"), "shapes", "range"}))
    assert all(causes & own for causes in named_causes(result)), (named_causes(result), own)


def named_causes(result: Result) -> list[set[str]]:
    """The causes of wrong results that the messages name: of each, the one, or the two that give the same numbers."""
    told = [f.message.values.get("cause") for v in result.verdicts for f in v.failures]
    told = [m for m in told if isinstance(m, Message) and m.key not in SEEN]
    both = [[m, *m.values.values()] for m in told]
    return [{m.key.removeprefix("replay.") for m in each if isinstance(m, Message)} for each in both]


@named(corpus("right"), kinds)
def test_unusual_but_right_submission_passes(entry: Entry, device: str) -> None:
    entry.skip_where_not_to_be_had()
    only = entry.words("group") if "group" in entry.header else ()
    result = graded(entry.path, entry.exercise, device, frozenset(only))
    reasons = [str(f.message) for v in result.verdicts for f in v.failures]
    assert result.status == "passed", f"seed {result.seed}: {reasons}"


def closed(entry: Entry) -> set[tuple[str, str]]:
    """What closes the door, for CUDA C and for Python; audits/attacks runs every file, as root and as a user."""
    return {(entry.path.suffix, entry.header["closed by"])}


@named(corpus("hostile"), closed)
def test_hostile_submission_never_passes(entry: Entry, device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = landlock_version()
    wanted = int(entry.header.get("needs", "landlock 0").split()[1])
    if kernel < wanted:
        pytest.skip(f"this kernel's Landlock is version {kernel}; closing this door takes {wanted}")
    monkeypatch.setattr("onekernel.sandbox.supervisor.CALL_SECONDS", 3.0)
    for trace in TRACES:
        trace.unlink(missing_ok=True)
    before = children()
    few = {"vector_add": {"exact-blocks", "tails"}, "softmax_triton": {"shapes"}, "benchmark": ()}[entry.exercise]
    few = entry.words("group") if "group" in entry.header else few
    result = graded(entry.path, entry.exercise, device, frozenset(few), kind=entry.header.get("check"))
    assert result.verdicts and result.earned == 0, [str(v.status) for v in result.verdicts]
    assert result.status == "failed"
    told = [str(f.message) for v in result.verdicts for f in v.failures]
    assert not [text for text in told if "/onekernel-" in text], told  # the folder of the job is nobody's business
    assert children() <= before
    assert not [trace for trace in TRACES if trace.exists()]


def children() -> set[int]:
    """The processes that this one started, or that were left to it, but for the workers that stay warm."""
    tasks = Path(f"/proc/{os.getpid()}/task").iterdir()
    return {int(p) for t in tasks for p in (t / "children").read_text().split()} - {*warm.running()}
