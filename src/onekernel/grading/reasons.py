"""What a backend has found of a call, as a reason why points were lost, with the advice that fits what was asked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from onekernel.backends.base import Buffer, Finding
from onekernel.counts import KernelCounts
from onekernel.course import Check
from onekernel.grading.buffers import Call
from onekernel.grading.coverage import nothing_to_sum
from onekernel.grading.verdicts import Failure
from onekernel.messages import Message

SURE = ("-ended", "-guard", "-column", "-twice", "-one-turn", "-fragment", "-fragment-apart", "-fragment-plain")
"""Advice that the source itself gives."""
OF_LOOPS = ("advice-loop", "advice-own-loop", "advice-first-thread")
"""Advice that asks how far a loop goes."""


def failure_of(finding: Finding, check: Check, call: Call | None = None) -> Failure:
    """A backend's finding as a reason why points were lost."""
    message = finding.message
    if call and message.key == "simulator.bad-launch-empty-grid" and all(call.case.sizes.values()):  # there is work
        of_one_row = call.case.sizes.get("rows") == 1
        message = Message(f"grading.grid-{'of-one-row' if of_one_row else 'rounded-down'}", dict(message.values))
    if call and finding.code.startswith("out-of-bounds") and _has_work(message, call):
        loop = message.values["advice"].key.endswith("-loop")
        advice = Message(f"grading.advice-own{'-loop' if loop else ''}")
        message = Message(message.key, {**message.values, "advice": advice})
    if call and _of_ones_own(message, call):
        facts = {name: message.values[name] for name in ("variable", "other_line", "size")}
        advice = Message("grading.advice-own-memory", facts)
        message = Message(message.key, {**message.values, "advice": advice})
    if call and (by := _by_the_row(message, call)):
        message = Message(message.key, {**message.values, "advice": Message(f"grading.advice-{by}")})
    if call and "transpose_b" in call.case.scalars:
        message = _of_matrices(finding, message, call)
    if call and finding.code == "out-of-bounds-read" and _is_empty(message, call) and (size := nothing_to_sum(call)):
        message = _both(Message("grading.nothing-to-read", {"size": size}), message)
    return Failure(
        message,
        finding.chapter or check.chapter,
        call.case.name if call else None,
        call.case.about if call else None,
        finding.file,
        finding.line,
        finding.code,
    )


def _is_empty(message: Message, call: Call) -> bool:
    """Whether what is read outside is a tensor without an element, in whose place there is nothing to read."""
    name = str(message.values.get("variable", message.values.get("name")))
    return any(a.name == name and not a.extent for a in call.args if isinstance(a, Buffer))


def _of_matrices(finding: Finding, message: Message, call: Call) -> Message:
    """What is said of an access to A, B or C, with how their elements are indexed, and with BLAS's rule of beta."""
    variable = str(message.values.get("variable", message.values.get("name")))
    if finding.code == "uninitialised-read" and variable == "c" and not call.case.scalars["beta"]:
        return Message("grading.beta-zero", {"index": message.values["index"], "line": finding.line or 0})
    turned = "-turned" if variable == "b" and call.case.scalars["transpose_b"] else ""
    advice = Message(f"grading.advice-matrix-{variable}{turned}")
    if variable in ("a", "b", "c") and message.key in ("triton.out-of-bounds-read", "triton.out-of-bounds-write"):
        return _both(message, advice)
    given = message.values.get("advice")
    if variable not in ("a", "b", "c") or not isinstance(given, Message) or given.key.endswith(SURE):
        return message
    return Message(message.key, {**message.values, "advice": advice})


def _of_ones_own(message: Message, call: Call) -> bool:
    """Whether what is used beyond its end is memory that the launcher allocated, at a line that is known."""
    values, advice = message.values, message.values.get("advice")
    tensors = {a.name for a in call.args if isinstance(a, Buffer)}
    if not isinstance(advice, Message) or advice.key.endswith(("-bytes", "-pitch", "-loop")):
        return False
    return values.get("other_line", 0) not in (0, values.get("line")) and values.get("variable") not in tensors


def _by_the_row(message: Message, call: Call) -> str:
    """How a tensor with an element for each column is read beyond its end: by the number of a row, a block's, or by
    that and the column, as a matrix is; else ""."""
    values, cols = message.values, call.case.sizes.get("cols", 0)
    sizes = call.inputs.get(str(values.get("variable")), np.zeros((0, 0))).shape
    block, index = (str(values.get(name)) for name in ("block", "index"))
    if not isinstance(values.get("advice"), Message) or sizes != (cols,) or not (block + index).isdigit():
        return ""
    if index == block != "0":
        return "per-column"
    return "no-row-in-index" if cols > 1 and int(block) and int(index) // cols == int(block) else ""


def _has_work(message: Message, call: Call) -> bool:
    """Whether what is said of an access out of bounds is of a thread that surely has work: one of the first block,
    whose number is below the elements of a vector, or below the rows and the columns of a matrix."""
    values = message.values
    advice = values.get("advice")
    if not isinstance(advice, Message) or advice.key.endswith(SURE) or values.get("block") not in (0, "0"):
        return False
    sizes = [size for name, size in call.case.sizes.items() if name in ("n", "rows", "cols")]
    return bool(sizes) and str(values.get("thread", "")).isdigit() and int(values["thread"]) < min(sizes)


def exchanged(found: list[Failure], call: Call, kernels: Sequence[KernelCounts]) -> list[Failure]:
    """The failures, the first access out of bounds with a question: a launch of as many blocks as there are columns, or
    of as many threads as there are rows, in as many blocks as blocks usually have threads: the two are exchanged."""
    rows, cols = (call.case.sizes.get(name, 0) for name in ("rows", "cols"))
    if not found or "out-of-bounds" not in found[0].code:
        return found
    block = str(found[0].message.values.get("block", ""))
    if block.isdigit() and int(block) >= rows != cols and any(math.prod(k.grid) == cols for k in kernels):
        asked = Message("grading.launch-per-column", {"rows": rows, "blocks": cols})
        return [replace(found[0], message=_both(asked, found[0].message)), *found[1:]]
    odd = next((k for k in kernels if math.prod(k.block) == rows and rows % 32 and math.prod(k.grid) % 32 == 0), None)
    if odd is None:
        return found
    values = {"blocks": math.prod(odd.grid), "threads": rows}
    asked = Message("grading.launch-exchanged", values)
    return [replace(found[0], message=_both(asked, found[0].message)), *found[1:]]


def rows_named(found: list[Failure], call: Call, kernels: Sequence[KernelCounts]) -> list[Failure]:
    """The failures, of an access beyond a matrix by rows what is wrong with the row, where it is that, in the place of
    what may be wrong with a loop around it."""
    return [_of_row(f, call, kernels) if f.code.startswith("out-of-bounds") else f for f in found]


def _of_row(failure: Failure, call: Call, kernels: Sequence[KernelCounts]) -> Failure:
    values, sizes = failure.message.values, call.case.sizes
    advice, name = values.get("advice"), str(values.get("variable"))
    rows, cols = (sizes.get(size, 0) for size in ("rows", "cols"))
    matrix = call.inputs.get(name, call.expected.get(name, np.zeros(0))).shape == (rows, cols)
    if not isinstance(advice, Message) or not advice.key.endswith(OF_LOOPS) or not matrix or not rows * cols:
        return failure
    row, col = divmod(int(str(values["index"])), cols + call.case.gaps.get(name, 0))
    facts: dict[str, object] = {"row": row, "col": col, "rows": rows, "cols": cols}
    why = "no-row" if row >= rows and 0 < col < cols else ""
    number, block = (str(values.get(place, "")) for place in ("thread", "block"))
    if row >= rows and number.isdigit() and block.isdigit() and len(kernels) == 1:
        blocks, threads = math.prod(kernels[0].grid), math.prod(kernels[0].block)
        within_grid = int(block) * threads + int(number)
        facts |= {"number": within_grid, "right": within_grid // cols, "blocks": blocks}
        if row == within_grid // rows != within_grid // cols < rows:
            why = "row-by-rows"
        elif blocks == rows and row == int(number) and not int(block):
            why = "row-of-thread"
        elif blocks > rows and row == int(block):
            why = "row-of-block"
    if not why:
        return failure
    named = Message(failure.message.key, {**values, "advice": Message(f"grading.advice-{why}", facts)})
    return replace(failure, message=named)


def _both(first: Message, second: Message) -> Message:
    """Two sentences, the second without its advice: the first says what to do, and better."""
    if "advice" in second.values:
        second = Message(second.key, {**second.values, "advice": ""})
    return Message("grading.both", {"first": first, "second": second})


def said_once(found: list[Failure]) -> list[Failure]:
    """The failures, the same advice about one line with the first of them alone."""
    seen: set[tuple[int | None, str]] = set()
    out = []
    for failure in found:
        advice = failure.message.values.get("advice")
        if isinstance(advice, Message):
            if (failure.line, advice.key) in seen:
                values = {**failure.message.values, "advice": ""}
                failure = replace(failure, message=Message(failure.message.key, values))
            seen.add((failure.line, advice.key))
        out.append(failure)
    return out
