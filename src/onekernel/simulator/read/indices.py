"""What may be meant by an index that leaves a buffer or a shared array, and how the program writes an element."""

from __future__ import annotations

import math
import re
from typing import Any

from onekernel.messages import Message
from onekernel.simulator.read import around, arrays, causes, fragments, stores
from onekernel.simulator.read.case import WARP, Case


def by_rows(values: dict[str, Any], file: str | None) -> dict[str, Any]:
    """The element of an array of arrays as the program writes it: tile[1][14], and not tile[46] of 32 columns."""
    name, index = str(values["variable"]), int(str(values["index"]))
    inner = [n for n in (int(str(values.get("middle", 0))), int(str(values.get("inner", 0)))) if n]
    inner = inner or arrays.inner_extents(file, name)
    if not inner or index < 0:
        return {}
    rest = index
    before = []
    for k in range(len(inner)):
        size = math.prod(inner[k:])
        before.append(f"[{rest // size}]")
        rest %= size
    shown: dict[str, Any] = {"variable": name + "".join(before), "index": rest}
    return shown | ({"last": int(str(values["last"])) - index + rest} if "last" in values else {})


def of_buffer(case: Case) -> None:
    """Outside a buffer: the advice, and a remainder that is negative."""
    if "offset" in case.values:
        _as_declared(case)
    if "advice" in case.values:
        case.values["advice"] = _advice(case)
    if case.form.endswith("-before") and causes.takes_remainder(*case.here):
        case.form = f"{case.form}-remainder"


def of_constant(case: Case) -> None:
    """A constant that was read where nothing has given it a value, and why."""
    _as_declared(case)
    if case.form == "part":
        elements = math.prod(arrays.extents(case.file, case.variable))
        over = case.number("again") and case.number("from")
        why = "size" if case.number("count") == elements else "offset" if over else "part"
        case.values["why"] = case.says(f"why-{why}", case.values)


def _as_declared(case: Case) -> None:
    """Of a variable of the device the runtime knows what is accessed at once, its declaration what an element is."""
    held, size = case.number("held"), math.prod(arrays.extents(case.file, case.variable))
    if not size or held % size:
        return
    item, offset = held // size, case.number("offset")
    index, last = offset // item, (offset + case.number("bytes") - 1) // item
    case.values |= {"size": size, "index": index, "last": last, "distance": index - size + 1}


def _advice(case: Case) -> Message | str:
    """What may be meant by an index behind the end of a buffer."""
    values = case.values
    if line := arrays.declares_on_device(case.file, case.variable):
        return case.says("advice-declared", {**values, "at": line})
    if case.number("index") < case.number("held") and arrays.allocated_without_sizeof(*case.there, case.variable):
        return case.says("advice-bytes", values)
    if case.number("held") == around.POINTER and (name := arrays.sizeof_in_allocation(*case.there)):
        return case.says("advice-pointer", {**values, "name": name})
    if ended := causes.ended_loop(*case.here):
        return case.says("advice-ended", {"at": ended})
    if moved := _fragment(case, "advice-"):
        return moved
    if down := causes.goes_down(*case.here):
        return case.says("advice-column", down)
    if case.number("distance") == 1 and (test := causes.lets_end_through(*case.here)):
        return case.says("advice-guard", test)
    return _of_loops(case) or _of_the_grid(case)


def _of_loops(case: Case) -> Message | None:
    """What the loops around the line tell of an index behind the end."""
    if twice := causes.steps_twice(*case.here):
        return case.says("advice-twice", twice)
    if more := causes.turns_once_more(*case.here):
        return case.says("advice-one-turn", more)
    if not around.in_loop(*case.here):
        return None
    if case.is_of_first_thread:  # of a tile that hangs over an edge it would be another's
        return case.says("advice-first-thread", case.values)
    if arrays.fills_shared(*case.here) and case.number("index") < 2 * case.number("size"):
        return case.says("advice-tile", case.values)
    return case.says("advice-loop")


def _of_the_grid(case: Case) -> Message | str:
    """The runtime's own advice; where threads have two indices, of both."""
    plain: Message | str = case.values["advice"]
    return case.says("advice-plane") if case.launch.is_plane and not case.values.get("pitch") else plain


def _fragment(case: Case, prefix: str = "") -> Message | None:
    """Of a line that loads or stores a fragment of Tensor Cores, what it takes."""
    moved = fragments.taken(*case.here)
    if moved is None:
        return None
    case.page = fragments.PAGE
    facts = {"call": moved.call, "apart": moved.apart, "lines": moved.lines, "each": moved.each, "need": moved.need}
    rows_apart = case.number("inner") or next(iter(arrays.inner_extents(case.file, case.variable)[-1:]), 0)
    facts |= {"size": case.number("size"), "variable": case.variable, "inner": rows_apart}
    if not moved.need:
        return case.says(f"{prefix}fragment-plain", facts)
    return case.says(f"{prefix}fragment-apart" if rows_apart not in (0, moved.distance) else f"{prefix}fragment", facts)


def of_shared(case: Case) -> None:
    """Outside a shared array, and what may be meant."""
    if case.form in ("read", "write") and case.variable == "?":
        case.form = "nowhere"
    case.values["place"] = _place(case)


def _place(case: Case) -> Message:
    file, line, name = case.file, case.line, case.variable
    threads, size, held, item = case.launch.threads, case.number("size"), case.number("held"), case.number("item", 1)
    past = case.number("index") - size
    if moved := _fragment(case):
        return moved
    dynamic = arrays.is_dynamic(file, name)
    if not size and dynamic:
        return case.says("few-bytes", {"held": held, "item": item}) if held else case.says("no-bytes")
    if threads and held >= threads and held < threads * item and not held % threads and dynamic:
        each = {"held": held, "threads": threads, "each": held // threads, "item": item}
        return case.says("elements", each)
    if case.form == "read" and past >= 0 and stores.reads_further(file, line, name):
        return case.says("beyond-step")
    if past == 0 and around.has_wide_test(file, line):
        return case.says("one-past")
    if dynamic:
        return case.says("just-past", {"variable": name, "last": size - 1}) if past == 0 else case.says("dynamic")
    if case.form == "read" and around.by_loop(file, line, name):
        return case.says("loop")
    if causes.swapped_extents(file, line, name):
        return case.says("swapped", {"variable": name})
    return _declared(case)


def _declared(case: Case) -> Message:
    """Of an index that nothing explains: what its array is declared with, beside what the index turns out to be."""
    size, index, block = case.number("size"), case.number("index"), case.launch.block
    within = _rank(str(case.values.get("thread")), block)
    number = _rank(str(case.values.get("block")), case.launch.grid) * case.launch.threads + within
    if index == number != within:
        return case.says("of-grid", {"threads": case.launch.threads})
    inner = case.number("inner") * max(1, case.number("middle"))
    if inner and size % inner == 0 and index // inner >= size // inner:
        return case.says("row", {"rows": size // inner, "row": index // inner, "threads": case.launch.threads})
    if index == within:
        return case.says("static", {"threads": case.launch.threads})
    if index == within // WARP:
        return case.says("warp", {"warps": case.launch.warps})
    return case.says("plain")


def _rank(place: str, extent: list[int]) -> int:
    """A thread's number within its block, or a block's within its grid, of its index as it is shown."""
    x, y, z = ([int(n) for n in re.findall(r"\d+", place)] + [0, 0, 0])[:3]
    return x + extent[0] * (y + extent[1] * z)
