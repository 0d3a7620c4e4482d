"""What may be meant by an index that leaves a buffer or a shared array, and how the program writes an element."""

from __future__ import annotations

import math
from typing import Any

from onekernel.messages import Message
from onekernel.simulator.read import around, causes, declared, excerpt, updating
from onekernel.simulator.read.case import Case


def by_rows(values: dict[str, Any], file: str | None) -> dict[str, Any]:
    """The element of an array of arrays as the program writes it: tile[1][14], and not tile[46] of 32 columns."""
    name, index = str(values["variable"]), int(str(values["index"]))
    inner = [n for n in (int(str(values.get("middle", 0))), int(str(values.get("inner", 0)))) if n]
    inner = inner or declared.inner_extents(file, name)
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
        elements = math.prod(declared.extents(case.file, case.variable))
        over = case.number("again") and case.number("from")
        why = "size" if case.number("count") == elements else "offset" if over else "part"
        case.values["why"] = case.says(f"why-{why}", case.values)


def _as_declared(case: Case) -> None:
    """Of a variable of the device the runtime knows what is accessed at once, its declaration what an element is."""
    held, size = case.number("held"), math.prod(declared.extents(case.file, case.variable))
    if not size or held % size:
        return
    item, offset = held // size, case.number("offset")
    index, last = offset // item, (offset + case.number("bytes") - 1) // item
    case.values |= {"size": size, "index": index, "last": last, "distance": index - size + 1}


def _advice(case: Case) -> Message | str:
    """What may be meant by an index behind the end of a buffer."""
    values = case.values
    if line := declared.declares_on_device(case.file, case.variable):
        return case.says("advice-declared", {**values, "at": line})
    if case.number("index") < case.number("held") and declared.allocated_without_sizeof(*case.there, case.variable):
        return case.says("advice-bytes", values)
    if case.number("held") == excerpt.POINTER and (name := declared.sizeof_in_allocation(*case.there)):
        return case.says("advice-pointer", {**values, "name": name})
    if ended := causes.ended_loop(*case.here):
        return case.says("advice-ended", {"at": ended})
    if down := causes.goes_down(*case.here):
        return case.says("advice-column", down)
    if declared.fills_shared(*case.here) and around.in_loop(*case.here):
        return case.says("advice-tile", values)
    if around.in_loop(*case.here):
        return case.says("advice-loop")
    plain: Message | str = values["advice"]
    return case.says("advice-plane") if case.launch.is_plane and not values.get("pitch") else plain


def of_shared(case: Case) -> None:
    """Outside a shared array, and what may be meant."""
    if case.form in ("read", "write") and case.variable == "?":
        case.form = "nowhere"
    case.values["place"] = _place(case)


def _place(case: Case) -> Message:
    file, line, name = case.file, case.line, case.variable
    threads, size, held, item = case.launch.threads, case.number("size"), case.number("held"), case.number("item", 1)
    past = case.number("index") - size
    if not size and declared.is_dynamic(file, name):
        return case.says("few-bytes", {"held": held, "item": item}) if held else case.says("no-bytes")
    if threads and held >= threads and held < threads * item and not held % threads and declared.is_dynamic(file, name):
        each = {"held": held, "threads": threads, "each": held // threads, "item": item}
        return case.says("elements", each)
    if case.form == "read" and past >= 0 and updating.reads_further(case.text, name):
        return case.says("beyond-step")
    if past == 0 and around.has_wide_test(file, line):
        return case.says("one-past")
    if declared.is_dynamic(file, name):
        return case.says("just-past", {"variable": name, "last": size - 1}) if past == 0 else case.says("dynamic")
    if case.form == "read" and around.by_loop(file, line, name):
        return case.says("loop")
    if causes.swapped_extents(file, line, name):
        return case.says("swapped", {"variable": name})
    return case.says("static", {"threads": threads})
