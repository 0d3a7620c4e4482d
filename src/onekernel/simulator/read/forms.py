"""Which form of a finding's sentence fits where the learner's file and the launch tell it, and not the runtime: a rule
for each record that has such forms."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from onekernel.messages import Message
from onekernel.simulator.facts import facts_at
from onekernel.simulator.read import around, arrays, causes, fragments, indices, races, stores
from onekernel.simulator.read.case import WARP, Case, Launch
from onekernel.simulator.read.errors import error_hint, error_name, error_text

_ACROSS_ROWS = re.compile(
    r"threadIdx\.[yz]\s*\*|blockDim\.[xy]\s*\*\s*threadIdx\.[yz]|thread_rank|thread_index|%laneid"
)


def _time_limit(case: Case) -> None:
    case.values["faster"] = case.says("faster") if case.number("checked") else ""
    if case.form == "kernel" and case.launch.blocks > 1 and causes.spins(*case.here):
        case.form = "waits"
    elif case.form == "kernel" and case.number("mapped"):
        case.form = "mapped"


def _unwritten_copy(case: Case) -> None:
    if case.form != "part":
        return
    launch = case.launch
    all_threads = case.values["threads"] = launch.blocks * launch.threads
    if launch.grid[1] == 1 < launch.block[1]:
        case.form, case.values["rows"] = "part-rows", launch.block[1]
    elif launch.blocks > 1 and all_threads >= case.number("of"):
        case.form = "part-index"


def _host_touches_device(case: Case) -> None:
    if case.form not in ("plain", "program"):
        return
    if arrays.allocates_into_element(*case.here):
        case.form = "rows"
    elif "thrust::" in case.text:
        case.form = "thrust"
    elif causes.frees(*case.here):
        case.form = "freed"


def _host_pointer(case: Case) -> None:
    if case.form == "anywhere":
        name = case.values["variable"] = causes.takes_reference(case.file, str(case.values["kernel"]))
        case.form = "reference" if name else case.form


def _host_crash(case: Case) -> None:
    if case.form == "program-null-pointer" and "thrust::" in case.text:
        case.form = "program-null-thrust"
    elif case.form.endswith("division-by-zero") and causes.asks_where_it_runs(*case.here):
        case.form = "of-a-kernel"


def _use_after_free(case: Case) -> None:
    if case.form == "known" and around.in_destructor(*case.there):
        case.form = "by-object"
    if causes.resets(*case.there):
        case.form = "reset"


def _bad_free(case: Case) -> None:
    if case.form == "twice" and around.in_destructor(*case.here):
        case.form = "twice-by-object"


def _unasked_error(case: Case) -> None:
    values, status = case.values, case.number("status")
    values["error"] = error_text(status)
    values["call"] = around.runtime_call(*case.here) or case.says("some-call")
    why = error_hint(str(values["call"]), error_name(status))
    values["why"] = case.says(f"why-{why}") if why else ""


def _uninitialised_read(case: Case) -> None:
    """Why nothing was written there, as far as it is known."""
    case.values["few"] = ""
    if case.form == "shared" and (stored := _stored_fragment(case)):
        case.values["few"] = stored
    elif case.form == "shared" and case.number("index") >= case.launch.threads and not case.number("inner"):
        case.values["few"] = case.says("few", {"threads": case.launch.threads})
    elif case.form == "shared" and (at := around.stored_in_branch(*case.here, case.variable)):
        case.values["few"] = case.says("guarded", {"at": at})
    elif "filled" in case.values:
        case.values["few"] = case.says(_short(case), case.values)
    elif case.form == "global" and causes.draws(*case.here):
        case.form = "generator"
    elif case.form == "global" and stores.adds_to(*case.here, case.variable):
        case.values["few"] = case.says("added")


def _stored_fragment(case: Case) -> Message | None:
    """That a fragment is stored into the array at another distance than its rows have."""
    facts, rows_apart = facts_at(case.file), case.number("inner")
    for line, text in enumerate(facts.plain_lines, 1):
        if "store_matrix_sync" not in text or not re.search(rf"\b{re.escape(case.variable)}\b", text):
            continue
        moved = fragments.taken(case.file, line)
        if moved and moved.distance and rows_apart not in (0, moved.distance):
            case.page = fragments.PAGE
            values = {"at": line, "apart": moved.apart, "inner": rows_apart, "variable": case.variable}
            return case.says("fragment-stored", values)
    return None


def _short(case: Case) -> str:
    """Which sentence tells that a copy or a fill ended before the end of a buffer: a number of elements, or the size of
    a pointer, was given for bytes; rows have gaps between them; or just that."""
    filled, held = case.number("filled"), case.number("held")
    if case.values.get("pitch"):
        return "short-pitch"
    elements = held % filled == 0 and held // filled in (2, 4, 8, 16)
    return "short" if elements or filled == around.POINTER else "short-part"


def _absent_lane(case: Case) -> None:
    if case.form == "exited" and around.in_branch(*case.here):
        case.form = "branch"
    elif mixes_rows(case.launch, case.file):
        x, y = case.launch.block[:2]
        case.form = "mixed"
        case.values |= {"x": x, "y": y, "end": x - 1}


def mixes_rows(launch: Launch, file: str | None) -> bool:
    """Whether a warp takes threads of several rows of its block, and nothing in the file counts threads across rows:
    there threadIdx.x is taken for the lane."""
    x, y, *_ = launch.block
    return 0 < x < WARP and y > 1 and not any(map(_ACROSS_ROWS.search, facts_at(file).plain_lines))


def _missing_wait(case: Case) -> None:
    if case.form in ("own", "other", "overwritten") and case.here == case.there:
        case.form = "again"


def _deadlock(case: Case) -> None:
    there = (case.there[0] or case.file, case.other)
    if case.form == "mask" and around.in_branch(*there) and not around.in_branch(*case.here):
        case.form = "threads"
        case.values |= {"threads": case.values["missing"], "other_line": case.line or 0}
        case.here = there  # the barrier is in a branch, the warp function is not


RULES: Mapping[str, Callable[[Case], None]] = {
    "race": races.tell,
    "out-of-bounds": indices.of_buffer,
    "out-of-bounds-shared": indices.of_shared,
    "array-bounds": arrays.tell,
    "unset-constant": indices.of_constant,
    "time-limit": _time_limit,
    "unwritten-copy": _unwritten_copy,
    "host-touches-device": _host_touches_device,
    "host-pointer": _host_pointer,
    "host-crash": _host_crash,
    "use-after-free": _use_after_free,
    "bad-free": _bad_free,
    "unasked-error": _unasked_error,
    "uninitialised-read": _uninitialised_read,
    "absent-lane": _absent_lane,
    "missing-wait": _missing_wait,
    "deadlock": _deadlock,
}
"""By the name of a record."""

# Forms, and values, that these rules tell, and not the runtime.
OF_THE_READER = (
    # races
    "used-again", "lost-update", "lost-update-later", "lost-update-grid", "lost-update-later-grid", "same-turn",
    "next-turn", "write-after-read", "same-line", "same-index", "overlap", "set-and-changed", "other-warps", "once",
    "grid-flag", "grid-begun", "grid-announced", "grid-lock", "grid-stride", "random-state", "column", "grid-column",
    # indices
    "beyond-step", "static", "dynamic", "one-past", "just-past", "advice-loop", "advice-plane", "advice-bytes",
    "advice-declared", "advice-tile", "advice-ended", "no-bytes", "few-bytes", "elements", "nowhere", "also", "swapped",
    "loop", "read-before-remainder", "write-before-remainder", "why-size", "why-offset", "why-part",
    "advice-pointer", "advice-column", "advice-twice", "advice-one-turn", "advice-guard", "advice-first-thread",
    "advice-fragment", "advice-fragment-apart",
    "advice-fragment-plain", "fragment", "fragment-apart", "fragment-plain", "of-grid", "row",
    "fragment-stored",
    "overrun", "plain", "warp", "own-element", "one-lane", "past-width", "one-element",
    "same-for-all",
    # arrays
    "unnamed", "extent",
    # the others
    "guarded", "few", "added", "generator", "short", "short-pitch", "short-part", "rows", "thrust", "freed",
    "twice-by-object", "by-object", "reset", "waits", "mapped", "faster", "branch", "mixed", "again", "part-rows",
    "part-index", "why-event",
    "why-address", "why-capture", "some-call", "program-null-thrust", "of-a-kernel", "reference",
)  # fmt: skip
GIVEN = (
    "x", "y",
    "kernel", "line", "other_line", "after", "at", "warp", "once", "place", "few", "threads", "call", "error",
    "each", "why", "also", "rows", "name", "faster", "variable", "here_name", "there_name", "set_at", "changed_at",
    "end", "stride", "step", "apart", "lines", "need", "inner", "row", "advice", "warps", "column", "width",
    "named",
)  # fmt: skip
