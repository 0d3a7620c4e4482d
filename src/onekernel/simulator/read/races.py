"""What the two lines of a race tell: which came first, an update that is lost, what they call the variable."""

from __future__ import annotations

import re

from onekernel.messages import Message
from onekernel.simulator.facts import facts_at
from onekernel.simulator.read import around, arrays, causes, stores
from onekernel.simulator.read.case import Case

_ADDING = re.compile(r"(?:^|[;{)]|\belse)\s*atomic(?:Add|Max|Min)\s*\(")
# Two threads that come to one element by one line.
_ONE_LINE = ("grid", "same-index", "lost-update", "lost-update-grid")
QUOTED = "quoted"  # the form, and the value, of a sentence that quotes both lines of a finding


def tell(case: Case) -> None:
    """The form of a race's sentence, and what else the text says of it."""
    line, other, values = case.line, case.other, case.values
    if case.form in ("read-write", "write-after-read") and case.in_one_file:
        order = _order(case)
        case.form = case.form if order == "read-write" else order
        values["after"] = around.after_loops(case.file, other or 0, line or 0) if case.file else 0
    if case.form == "fence" and line == other and stores.updates(*case.here, case.variable):
        case.form = "grid"  # each block changes it: the counter is another matter
        values["does"] = case.says("reads")
    if case.form == "grid" and case.in_one_file:
        order = _lost(case)
        stride = causes.steps_by_block(case.file, line) and line == other
        waits = causes.waits_plainly(case.file, other)
        draws = line == other and causes.draws(case.file, line)
        told = causes.waits_for_volatile(case.file, other, case.variable)
        locked = line == other and causes.in_lock(case.file, line)
        known = {
            "random-state": draws, "grid-lock": locked, "grid-announced": told, "grid-flag": waits,
            "grid-stride": stride, f"{order}-grid": order,
        }  # fmt: skip
        case.form = next((cause for cause, is_so in known.items() if is_so), case.form)
    if case.form == "grid-atomic" and _begins_among_others(case):
        case.form = "grid-begun"
    if case.form == "write-write":
        case.form = _two_writers(case)
    if "other_block" in values and arrays.is_of_device(case.file, case.variable):
        values["once"] = case.says("once")
    if case.form in _ONE_LINE and line == other and (found := stores.unchecked(case.file, line)):
        values.update(found)
        case.form = "grid-column" if "other_block" in values else "column"
    if case.form == "same-index":
        values["advice"] = _own_element(case)
    if values["warp"] and not _for_one_warp(case):  # other inputs bring other warps here
        values["warp"] = ""
    elif not values["warp"] and any("__syncwarp" in line for line in facts_at(case.file).plain_lines):
        values["warp"] = case.says("other-warps")
    values[QUOTED] = _quoted(case)


def _for_one_warp(case: Case) -> bool:
    """Whether no other warp than one can come to the line: the block has no other, or a test lets one alone through."""
    return case.launch.warps <= 1 or around.for_one_warp(*case.here)


def _own_element(case: Case) -> Message:
    """What to do where two threads have come to one element by the same line: as far as the launch and the array tell
    which index each would have of its own."""
    x, y, z = case.launch.block
    thread = "threadIdx.x"
    if y > 1 or z > 1:
        thread = (
            f"threadIdx.y * {x} + threadIdx.x" if z == 1 else f"(threadIdx.z * {y} + threadIdx.y) * {x} + threadIdx.x"
        )
    named = {
        "variable": case.variable,
        "thread": thread,
        "warp": f"({thread}) / 32" if y > 1 or z > 1 else "threadIdx.x / 32",
    }
    if "inner" not in case.values:  # of global memory, which other blocks index as well
        if index := stores.same_for_all(case.file, case.line, case.variable):
            return case.says("same-for-all", {"named": index})
        return case.says("past-width" if case.launch.is_plane else "one-element")
    return case.says("one-lane" if case.values.get("warp") else "own-element", named)


def _order(case: Case) -> str:
    """Which comes first of a write and a read by two threads: the read, where a barrier stands between the write and it
    (the write is then that of the next turn, or call), or where the write stands below it outside a loop. Where one
    line does both: neither, if each thread changes the element, or a barrier divides the turns of the loop; else the
    write of one turn meets the read of the next."""
    file, write, read = case.file, case.line, case.other
    if lost := _lost(case):
        return lost
    if write and write == read:
        if not file or not around.in_loop(file, write):
            return "same-line"
        return "same-turn" if around.barrier_in_turn(file, write) else "next-turn"
    if not file or not write or not read or not around.same_function(file, write, read):
        return "read-write"
    if write < read and around.barrier_between(file, write, read):
        return "used-again"
    if read < write and not around.barrier_between(file, read, write) and not around.share_loop(file, read, write):
        return "write-after-read"
    return "read-write"


def _lost(case: Case) -> str:
    """The form of a race in which each thread changes the element by what it has read there; "" of another."""
    file, write, read = case.file, case.line, case.other
    if write and write == read:
        return "lost-update" if stores.updates(file, write, case.variable) else ""
    if write and read and file and write < read and not around.share_loop(file, write, read):
        return ""  # what is written is read afterwards
    return "lost-update-later" if stores.updates_later(file, read, write, case.variable) else ""


def _begins_among_others(case: Case) -> bool:
    """Whether one line adds to what the other one sets: an atomic whose result nobody takes, and a plain store."""
    texts = (case.text, around.line_of(case.there[0] or case.file, case.other))
    adding = [bool(_ADDING.search(text)) for text in texts]
    return adding[0] != adding[1] and bool(re.search(r"[^=!<>]=[^=]", texts[adding[0]]))


def _two_writers(case: Case) -> str:
    """Of two threads that write: the same index in one line; else two arrays that lie upon each other, by their names
    in the two lines, an element that one sets and another already changes, or two lines with nothing between them."""
    if case.line == case.other:
        return "same-index"
    places = case.here, (case.there[0] or case.file, case.other)
    names = [stores.written_array(*place) for place in places]
    if all(names) and case.variable not in names and names[0] != names[1]:
        case.values.update(here_name=names[0], there_name=names[1])
        return "overlap"
    here_changes, there_changes = (stores.updates(*place, case.variable) for place in places)
    if here_changes == there_changes:
        return "write-write"
    case.values.update(set_at=case.other if here_changes else case.line,
                       changed_at=case.line if here_changes else case.other)  # fmt: skip
    return "set-and-changed"


def _quoted(case: Case) -> Message | str:
    """The two lines where neither says the variable's name: it has another one there, a pointer's."""
    there_file, other = case.there
    texts = [case.text, around.line_of(there_file or case.file, other)]
    if not all(texts) or any(re.search(rf"\b{re.escape(case.variable)}\b", text) for text in texts):
        return ""
    if case.line == other:
        return ""  # the report shows it
    here, there = (around.quoted(text) for text in texts)
    return case.says(QUOTED, {"here": here, "line": case.line, "there": there, "other_line": other})
