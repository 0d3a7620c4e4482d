"""Why elements of an output were never written: what the launch has to do with those that are missing."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from onekernel.counts import KernelCounts
from onekernel.grading.buffers import Call, Fault, judge
from onekernel.grading.time_limit import within_time
from onekernel.messages import Message
from onekernel.ops.base import DTYPES, Operator
from onekernel.sandbox.supervisor import CallOutcome

_OF_INDICES = ("grading.unwritten-from", "grading.unwritten-holes")  # told of threads, which Triton has none of
FEW = 4  # elements or less are missing together by chance
TILES = tuple(1 << k for k in range(1, 18))  # columns
SIDES = (8, 16, 32, 64, 128, 256)  # of square tiles
_ABOVE_0 = re.compile(r"(?:\]|\b[xv]\w*)\s*[<>]=?\s*0")
_PROGRAM = re.compile(r"\bprogram_id\s*\(\s*(?:axis\s*=\s*)?([^)\s]*)")
_ROW_OF_WARP = re.compile(r"\b\w*row\w*\s*=[^;\n]*threadIdx\.(?:y|x\s*(?:/\s*32|>>\s*5))")


def told(call: Call, kernels: Sequence[KernelCounts], fault: Fault, backend: str, text: str) -> Message:
    """What the bytes say; where a tensor's end is missing although there were threads for it, the index is to blame."""
    second = fault.message.values.get("second")
    if backend == "triton" and fault.kind == "unwritten" and (of_axes := _of_axes(kernels, second, text)):
        first = fault.message.values["first"] if isinstance(second, Message) else fault.message
        return Message("grading.both", {"first": first, "second": of_axes})
    if fault.kind == "unwritten" and (condition := _of_values(call, fault, text)):
        first = fault.message.values["first"] if isinstance(second, Message) else fault.message
        return Message("grading.both", {"first": first, "second": condition})
    if fault.kind == "unwritten" and (found := _of_tiles(call, kernels, fault) or _of_tails(call, fault, backend)):
        first = fault.message.values["first"] if isinstance(second, Message) else fault.message
        return Message("grading.both", {"first": first, "second": found})
    if not isinstance(second, Message):
        return fault.message
    if backend == "triton" and (short := _short_tile(kernels, second, text)):
        return Message(fault.message.key, {**fault.message.values, "second": short})
    if _last_row(kernels, second):
        said = Message("grading.unwritten-last-row", {"row": second.values["first"]})
        return Message(fault.message.key, {**fault.message.values, "second": said})
    if second.key == "grading.unwritten-all" and (size := nothing_to_sum(call)):
        said = Message("grading.unwritten-empty-sum", {"size": size, "name": second.values["name"]})
        return Message(fault.message.key, {**fault.message.values, "second": said})
    if second.key in ("grading.unwritten-columns", "grading.unwritten-rows"):
        for key, exchanged in {"turned": _turned, "transposed": _transposed}.items():
            if exchanged(call, kernels, second):
                said = Message(f"grading.unwritten-{key}")
                return Message(fault.message.key, {**fault.message.values, "second": said})
    if second.key == "grading.unwritten-rows" and within_time(lambda: _ROW_OF_WARP.search(text), None):
        of_warps = Message("grading.unwritten-rows-of-warps", second.values)
        return Message(fault.message.key, {**fault.message.values, "second": of_warps})
    if backend != "triton" and second.key == "grading.unwritten-holes" and _of_singles(call, fault):
        return Message(fault.message.key, {**fault.message.values, "second": Message("grading.unwritten-singles")})
    if second.key not in ("grading.unwritten-tail", *(_OF_INDICES if backend == "triton" else ())):
        return fault.message
    threads = max((math.prod(k.grid) * math.prod(k.block) for k in kernels), default=0)
    if backend == "triton":
        why = Message("grading.unwritten-programs")
    elif threads >= max(array.size for array in call.expected.values()):
        why = _same_index(kernels, text) or Message("grading.unwritten-index", {"threads": threads})
    else:
        return fault.message
    return Message(fault.message.key, {**fault.message.values, "second": why})


def _of_tiles(call: Call, kernels: Sequence[KernelCounts], fault: Fault) -> Message | None:
    """That what is missing of a matrix product is what a number of a square tile leaves out that is taken apart the
    wrong way round: its remainder for the row, and its quotient for the column."""
    if "c" not in call.expected or len(kernels) != 1 or kernels[0].grid[1:] != (1, 1):
        return None
    rows, cols = call.expected["c"].shape
    for side in SIDES:
        down, across = -(-rows // side), -(-cols // side)
        if down == across or kernels[0].grid[0] != down * across:
            continue
        left_out = (np.arange(rows)[:, None] >= across * side) | (np.arange(cols) >= down * side)
        if np.array_equal(np.argwhere(left_out), fault.at):
            return Message("grading.unwritten-split", {"across": across})
    return None


def _of_tails(call: Call, fault: Fault, backend: str) -> Message | None:
    """That just what no vector of 16 bytes takes of a matrix is missing: what is left behind the vectors of each row
    that begins on 16 bytes, and perhaps whole rows that do not. Where all rows begin so a loop may just end early."""
    (name, answer), *others = call.expected.items()
    matrices = [i for i, x in call.inputs.items() if np.ndim(x)]
    if backend == "triton" or others or answer.ndim != 2:
        return None
    if any(call.inputs[i].shape != answer.shape for i in matrices):
        return None
    per, (rows, cols) = 16 // DTYPES[call.dtype].itemsize, answer.shape
    starts = [
        call.case.shift + call.case.apart.get(each, 0) + np.arange(rows) * (cols + call.case.gaps.get(each, 0))
        for each in (name, *matrices)
    ]
    aligned = np.all([start % per == 0 for start in starts], axis=0)[:, None]
    tails = aligned & (np.arange(cols) >= cols // per * per)
    if cols < per or aligned.all() or len(fault.at) == answer.size:
        return None
    known = (np.argwhere(missing) for missing in (tails, tails | ~aligned))
    if not any(np.array_equal(at, fault.at) for at in known):
        return None
    return Message("grading.unwritten-row-tails", {"per": per})


def _short_tile(kernels: Sequence[KernelCounts], second: Message, text: str) -> Message | None:
    """That the columns from a power of two on are missing, in a kernel in which no loop goes on behind its tile."""
    first, cols = int(second.values.get("first", 0)), second.values.get("cols")
    if second.key != "grading.unwritten-columns" or first not in TILES or len(kernels) != 1:
        return None
    body = re.search(rf"^def {re.escape(kernels[0].kernel)}\b.*?(?=^\S|\Z)", text, re.MULTILINE | re.DOTALL)
    if not body or re.search(r"\b(?:for|while)\b", body[0]):
        return None
    tuned = re.search(rf"autotune.*?^def {re.escape(kernels[0].kernel)}\b", text, re.MULTILINE | re.DOTALL)
    chosen = tuned and re.search(rf":\s*{first}\b", tuned[0])
    return Message(f"grading.unwritten-{'configuration' if chosen else 'tile'}", {"first": first, "cols": cols})


def _of_singles(call: Call, fault: Fault) -> bool:
    """Whether all that is missing of a vector lies in no whole vector of 16 bytes, of which the output's first begins
    behind some elements: at its two ends."""
    (name, answer), *others = call.expected.items()
    if others or answer.ndim != 1:
        return False
    per = 16 // DTYPES[call.dtype].itemsize
    head = -(call.case.shift + call.case.apart.get(name, 0)) % per
    end = head + (answer.size - head) // per * per
    return 0 < head < answer.size and all(not head <= int(at) < end for at in fault.at[:, 0])


def whole_tiles_alone(operator: Operator, ran: Sequence[tuple[Call, CallOutcome]]) -> Message | None:
    """That of each row whole tiles alone are written, where one size of a tile explains every input, the right ones
    too; None where one is wrong in another way."""
    ends: list[tuple[int, int]] = []  # of an input: from which column on all rows are unwritten, and their columns
    for call, outcome in ran:
        if len(sizes := call.case.sizes) != 2 or not all(sizes.values()) or outcome.report is None:
            continue
        fault = judge(operator, call, outcome.after)
        second = fault.message.values.get("second") if fault else None
        key = second.key if isinstance(second, Message) else ""
        if fault and key not in ("grading.unwritten-columns", "grading.unwritten-all"):
            return None
        values = second.values if isinstance(second, Message) else {"first": sizes["cols"]}
        ends.append((0 if key == "grading.unwritten-all" else int(values["first"]), sizes["cols"]))
    some = any(0 < end < cols for end, cols in ends)
    tile = next((t for t in TILES if some and all(end == cols // t * t for end, cols in ends)), None)
    inputs = sum(end < cols for end, cols in ends)
    return Message("replay.tiles-whole-alone", {"tile": tile, "inputs": inputs}) if tile else None


def _last_row(kernels: Sequence[KernelCounts], second: Message) -> bool:
    """Whether just the last row is missing, and a kernel has a block for each row but one."""
    values = second.values
    alone = second.key == "grading.unwritten-rows" and values["count"] == values["cols"]
    return alone and any(math.prod(k.grid) == values["first"] for k in kernels)


def _of_values(call: Call, fault: Fault, text: str) -> Message | None:
    """That an element is written only where the same one of an input is above 0, or below; None where not just these
    are missing, or too few to tell and the text compares no element with 0."""
    if len(fault.at) < FEW and not within_time(lambda: _ABOVE_0.search(text), None):
        return None
    missing = set(map(tuple, fault.at.tolist()))
    shape = next(iter(call.expected.values())).shape
    for name, values in call.inputs.items():
        if values.shape != shape:
            continue
        for test, left_out in {"> 0": ~(values > 0), ">= 0": ~(values >= 0), "< 0": ~(values < 0)}.items():
            if not left_out.all() and missing == set(map(tuple, np.argwhere(left_out).tolist())):
                return Message("grading.unwritten-where", {"name": name, "test": test})
    return None


def nothing_to_sum(call: Call) -> str:
    """The size that is 0 though the output has elements: each of them is a sum of nothing. Else ""."""
    if not all(array.size for array in call.expected.values()):
        return ""
    return next((name for name, size in call.case.sizes.items() if not size), "")


def _of_axes(kernels: Sequence[KernelCounts], second: object, text: str) -> Message | None:
    """An axis of the grid along which programs are not told apart, or one that the kernel asks for and the grid does
    not have."""
    asked: set[str] = set(within_time(lambda: _PROGRAM.findall(text), list[str]()))
    if len(kernels) != 1 or not asked <= {"0", "1", "2"}:
        return None
    grid, axes = kernels[0].grid, {int(axis) for axis in asked}
    shown = 1 + max(axis for axis in range(3) if axis in axes or grid[axis] > 1 or not axis)
    values = {"grid": " x ".join(map(str, grid[:shown]))}
    same = [axis for axis in range(3) if grid[axis] > 1 and axis not in axes]
    if same and axes:
        return Message("grading.unwritten-axis-not-asked", {**values, "axis": same[0]})
    of_columns = isinstance(second, Message) and second.key == "grading.unwritten-columns"
    flat = [axis for axis in sorted(axes) if axis and grid[axis] == 1]
    if flat and (of_columns or grid == (1, 1, 1)):
        return Message("grading.unwritten-axis-of-one", {**values, "axis": flat[0]})
    return None


def _same_index(kernels: Sequence[KernelCounts], text: str) -> Message | None:
    """Blocks of two dimensions whose threads are told apart by one of them alone."""
    x, y = next((k.block[:2] for k in kernels if k.block[1] > 1), (0, 0))
    return None if not x or "threadIdx.y" in text else Message("grading.unwritten-plane", {"x": x, "y": y})


def _turned(call: Call, kernels: Sequence[KernelCounts], second: Message) -> bool:
    """Whether a grid whose x and y were exchanged would write what is missing of a matrix: with square tiles."""
    shape, first = call.expected["c"].shape if "c" in call.expected else (0, 0), int(second.values["first"])
    x, y = kernels[0].grid[:2] if len(kernels) == 1 else (1, 1)
    rows, cols = shape
    tile, rest = divmod(first, x if second.key == "grading.unwritten-columns" else y)
    return x != y and not rest and tile > 1 and (-(-rows // tile), -(-cols // tile)) == (x, y)


def _transposed(call: Call, kernels: Sequence[KernelCounts], second: Message) -> bool:
    """Whether a grid of two dimensions has its threads for the columns along y, or its kernel takes them from there: as
    many across as the matrix has rows, or missing columns from where the threads along y end."""
    shapes = {array.shape for array in call.expected.values()}
    if len(shapes) != 1 or len(kernels) != 1 or len(next(iter(shapes))) != 2:
        return False
    (rows, cols), (across, down) = shapes.pop(), kernels[0].block[:2]
    x, y = kernels[0].grid[0] * across, kernels[0].grid[1] * down
    turned = (x, y) == (-(-rows // across) * across, -(-cols // down) * down)
    if y > 1 and turned and (x < cols or y < rows):
        return True
    return second.key == "grading.unwritten-columns" and rows <= y == int(second.values["first"]) < cols <= x
