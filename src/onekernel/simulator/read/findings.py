"""The runtime's raw findings become sentences at lines, each with the chapter that explains it.

What there is to say of each stands in findings.toml. Here is what only the learner's file can add: lines for addresses
of code, the names of kernels, what a line says.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from onekernel.backends.base import Finding
from onekernel.messages import Message
from onekernel.simulator.read import causes, excerpt
from onekernel.simulator.read.errors import error_hint, error_name, error_text
from onekernel.simulator.read.lines import Lines
from onekernel.simulator.read.records import Record, by_code
from onekernel.simulator.read.traffic import kernel_name

# Forms, and values, that the file's text and the launch tell, and not the runtime.
OF_THE_READER = (
    "used-again",
    "lost-update",
    "lost-update-later",
    "lost-update-grid",
    "lost-update-later-grid",
    "same-turn",
    "next-turn",
    "beyond-step",
    "guarded",
    "write-after-read",
    "advice-loop",
    "same-line",
    "same-index",
    "other-warps",
    "once",
    "static",
    "dynamic",
    "few",
    "added",
    "short",
    "one-past",
    "just-past",
    "advice-plane",
    "advice-bytes",
    "advice-declared",
    "advice-tile",
    "no-bytes",
    "elements",
    "rows",
    "thrust",
    "twice-by-object",
    "waits",
    "grid-flag",
    "grid-stride",
    "by-object",
    "reset",
    "nowhere",
    "also",
    "random-state",
    "branch",
    "part-rows",
    "part-index",
    "why-event",
    "why-address",
    "why-capture",
    "freed",
    "read-before-remainder",
    "write-before-remainder",
    "advice-ended",
    "swapped",
    "program-null-thrust",
    "short-pitch",
    "short-part",
    "loop",
    "some-call",
    "of-a-kernel",
    "reference",
)
GIVEN = (
    "kernel", "line", "other_line", "after", "at", "warp", "once", "place", "few", "threads", "call", "error",
    "each", "why", "also", "rows",
)  # fmt: skip
POINTER = 8  # bytes
QUOTED = "quoted"  # the form, and the value, of a sentence that quotes both lines of a finding


def findings_of(report: dict[str, Any], lines: Lines, path: str, functions: dict[int, str]) -> tuple[Finding, ...]:
    """The call's findings in the order in which they happened."""
    raw = report["findings"]
    lines.resolve(address for found in raw for key in ("pc", "other_pc") for address in found[key])
    # Where an access leaves its buffer it may come into another one, and find there what nobody wrote, or the host's.
    outside = {tuple(found["pc"]) for found in raw if found["code"] == "out-of-bounds-read"}
    beyond = ("uninitialised-read", "host-pointer")
    kept = [f for f in raw if f["code"] not in beyond or f["form"] == "argument" or tuple(f["pc"]) not in outside]
    if any(found["code"] == "early-time" for found in kept):  # which says more
        kept = [found for found in kept if found["code"] != "no-time"]
    # A kernel that was stopped, or never began, has not written its output: the error says so.
    failed = next((n for n, f in enumerate(kept) if by_code()[f["code"]].severity == "error"), len(kept))
    kept = [f for n, f in enumerate(kept) if f["code"] != "unwritten-copy" or n < failed]
    told = [_finding(found, report, lines, path, functions) for found in kept]
    told = list({_alike(finding, number): finding for number, finding in reversed([*enumerate(told)])}.values())[::-1]
    return tuple(_joined(told))


def _joined(told: list[Finding]) -> Iterator[Finding]:
    """The findings, a read and a write of the same element by the same line, `x[i] += 1`, as one."""
    outside: dict[tuple[object, ...], set[str]] = {}
    for finding in told:
        outside.setdefault(_element_of(finding), set()).add(finding.code)
    for finding in told:
        side, codes = finding.code.rpartition("-")[2], outside[_element_of(finding)]
        other = f"{finding.code.removesuffix(side)}{'read' if side == 'write' else 'write'}"
        if not finding.code.startswith("out-of-bounds") or other not in codes or not finding.line:
            yield finding
        elif side == "read":
            also = Message("simulator.out-of-bounds-also")
            yield replace(finding, message=Message(finding.message.key, {**finding.message.values, "also": also}))


def _element_of(finding: Finding) -> tuple[object, ...]:
    """Where a finding stands, and of which element it is."""
    values = finding.message.values
    return finding.file, finding.line, str(values.get("variable")), str(values.get("index")), str(values.get("thread"))


def _alike(finding: Finding, number: int) -> tuple[object, ...]:
    """What findings have in common that are told once: accesses of one line that leave one buffer, and a race of two
    lines, which each launch has again; else the finding's number."""
    values = finding.message.values
    variable = str(values.get("variable")).partition("[")[0]
    place = (finding.code, finding.file, finding.line, variable)
    if finding.code.startswith("race-") and finding.line:
        return *place, str(values["kernel"]), str(values["other_line"])
    return place if finding.code.startswith("out-of-bounds") and finding.line else (number,)


def _finding(
    found: dict[str, Any], report: dict[str, Any], lines: Lines, path: str, functions: dict[int, str]
) -> Finding:
    record = by_code()[found["code"]]
    form = found["form"]
    file, line = _where(found, "", lines, path)
    if line is None and found["launch"]:  # code of somebody else's header: the launch is the program's
        file, line = _launched(found, report, path)
    other_file, other = _where(found, "other_", lines, path)
    facts = found["facts"]
    plain = {k: v for k, v in facts.items() if not isinstance(v, dict)}
    values = {k: record.says(v["form"], plain) if isinstance(v, dict) else v for k, v in facts.items()}
    values.setdefault("warp", "")  # said of a race within one warp alone
    values["also"] = ""  # of an access that is made both ways
    values["once"] = ""  # and of a variable that the grid has once
    values["line"] = line or 0
    values["other_line"] = other or line or 0
    values["kernel"] = _kernel(found, report, functions)
    threads = _threads(found, report)
    if form in ("read-write", "write-after-read") and file == (other_file or file):
        order = _order(file, line, other, str(values["variable"]))
        form = form if order == "read-write" else order
        values["after"] = excerpt.after_loops(file, other or 0, line or 0) if file else 0
    if form == "fence" and line == other and excerpt.updates(excerpt.line_of(file, line), str(values["variable"])):
        form = "grid"  # each block changes it: the counter is another matter
        values["does"] = record.says("reads", {})
    if form == "grid" and file == (other_file or file):
        order = _lost(file, line, other, str(values["variable"]))
        stride = causes.steps_by_block(file, line) and line == other
        waits = causes.spins(file, other)
        draws = line == other and causes.draws(file, line)
        known = {"random-state": draws, "grid-flag": waits, "grid-stride": stride, f"{order}-grid": order}
        form = next((cause for cause, is_so in known.items() if is_so), form)
    if "advice" in values:
        values["advice"] = _advice(record, values, (file, line), (other_file, other), _is_plane(found, report))
    if record.name == "time-limit" and form == "kernel" and _blocks(found, report) > 1 and causes.spins(file, line):
        form = "waits"
    if record.name == "unwritten-copy" and form == "part":
        blocks = _blocks(found, report)
        values["threads"] = blocks * threads
        grid, block = _shape(found, report)
        if grid[1] == 1 < block[1]:
            form, values["rows"] = "part-rows", block[1]
        elif blocks > 1 and blocks * threads >= int(str(values["of"])):
            form = "part-index"
    if form in ("plain", "program") and record.name == "host-touches-device":
        form = _touched(file, line) or form
    if record.name == "out-of-bounds" and form.endswith("-before") and causes.takes_remainder(file, line):
        form = f"{form}-remainder"
    if form == "program-null-pointer" and "thrust::" in excerpt.line_of(file, line):
        form = "program-null-thrust"
    if record.name == "use-after-free" and form == "known" and excerpt.in_destructor(other_file, other):
        form = "by-object"
    if record.name == "use-after-free" and causes.resets(other_file, other):
        form = "reset"
    if form == "twice" and excerpt.in_destructor(file, line):
        form = "twice-by-object"
    if record.name == "out-of-bounds-shared" and form in ("read", "write") and values["variable"] == "?":
        form = "nowhere"
    if form.endswith("division-by-zero") and record.name == "host-crash" and causes.asks_where_it_runs(file, line):
        form = "of-a-kernel"
    if record.name == "host-pointer" and form == "anywhere":
        values["variable"] = causes.takes_reference(file, str(values["kernel"]))
        form = "reference" if values["variable"] else form
    if record.name == "out-of-bounds-shared":
        values["place"] = _place_in_shared(record, values, form, file, line, threads)
    if record.name == "unasked-error":
        values["error"] = error_text(int(str(values["status"])))
        values["call"] = excerpt.runtime_call(file, line) or record.says("some-call", {})
        why = error_hint(str(values["call"]), error_name(int(str(values["status"]))))
        values["why"] = record.says(f"why-{why}", {}) if why else ""
    if record.name == "uninitialised-read":
        few = form == "shared" and int(str(values["index"])) >= threads
        at = excerpt.stored_in_branch(file, line, str(values["variable"])) if form == "shared" else None
        guarded = record.says("guarded", {"at": at}) if at else ""
        adds = form == "global" and excerpt.adds_to(excerpt.line_of(file, line), str(values["variable"]))
        added = record.says("added", {}) if adds else ""
        short = record.says(_short(values), values) if "filled" in values else ""
        values["few"] = record.says("few", {"threads": threads}) if few else guarded or short or added
    if record.name == "absent-lane" and form == "exited" and excerpt.in_branch(file, line):
        form = "branch"
    if form == "write-write" and line == other:
        form = "same-index"
    if "other_block" in facts and excerpt.is_of_device(file, str(values["variable"])):
        values["once"] = record.says("once", {})
    if record.name == "race" and not values["warp"] and excerpt.mentions(file, "__syncwarp"):
        values["warp"] = record.says("other-warps", {})
    if form == "mask" and excerpt.in_branch(other_file or file, other) and not excerpt.in_branch(file, line):
        form, values["threads"], values["other_line"] = "threads", values["missing"], line or 0
        file, line = other_file or file, other  # the barrier is in a branch, the warp function is not
    if QUOTED in record.forms:
        values[QUOTED] = _quoted(record, str(values["variable"]), (file, line), (other_file or file, other))
    if "index" in values:
        values |= _by_rows(values, file)
    return Finding(found["code"], record.says(form, values), file, line, record.severity, record.chapter)


def _short(values: dict[str, Any]) -> str:
    """Which sentence tells that a copy or a fill ended before the end of a buffer: a number of elements, or the size of
    a pointer, was given for bytes; rows have gaps between them; or just that."""
    filled, held = int(str(values["filled"])), int(str(values["held"]))
    if values.get("pitch"):
        return "short-pitch"
    elements = held % filled == 0 and held // filled in (2, 4, 8, 16)
    return "short" if elements or filled == POINTER else "short-part"


def _by_rows(values: dict[str, Any], file: str | None) -> dict[str, Any]:
    """The element of an array of arrays as the program writes it: tile[1][14], and not tile[46] of 32 columns."""
    name, index = str(values["variable"]), int(str(values["index"]))
    inner = [n for n in (int(str(values.get("middle", 0))), int(str(values.get("inner", 0)))) if n]
    inner = inner or excerpt.inner_extents(file, name)
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


def _touched(file: str | None, line: int | None) -> str:
    """How host code comes to touch device memory, where the line tells it: the form of a sentence, or ""."""
    if excerpt.allocates_into_element(file, line):
        return "rows"
    if "thrust::" in excerpt.line_of(file, line):
        return "thrust"
    return "freed" if causes.frees(file, line) else ""


def _advice(
    record: Record, values: dict[str, Any], at: tuple[str | None, int | None], made: tuple[str | None, int | None],
    is_plane: bool,
) -> Message | str:  # fmt: skip
    """What may be meant by an index behind the end of a buffer."""
    variable, index = str(values["variable"]), int(str(values["index"]))
    if declared := excerpt.declares_on_device(at[0], variable):
        return record.says("advice-declared", {**values, "at": declared})
    if index < int(str(values.get("held", 0))) and excerpt.allocated_without_sizeof(*made, variable):
        return record.says("advice-bytes", values)
    if ended := causes.ended_loop(*at):
        return record.says("advice-ended", {"at": ended})
    if excerpt.fills_shared(*at) and excerpt.in_loop(*at):
        return record.says("advice-tile", values)
    if excerpt.in_loop(*at):
        return record.says("advice-loop", {})
    return record.says("advice-plane", {}) if is_plane and not values.get("pitch") else values["advice"]


def _place_in_shared(
    record: Record, values: dict[str, Any], form: str, file: str | None, line: int | None, threads: int
) -> Message:
    """What may be meant by an index outside a shared array."""
    name, size = str(values["variable"]), int(str(values.get("size", 0)))
    past = int(str(values.get("index", 0))) - size
    if not size and excerpt.is_dynamic(file, name):
        return record.says("no-bytes", {})
    held, item = int(str(values.get("held", 0))), int(str(values.get("item", 1)))
    if threads and held >= threads and held < threads * item and not held % threads and excerpt.is_dynamic(file, name):
        each = {"held": held, "threads": threads, "each": held // threads, "item": item}
        return record.says("elements", each)
    if form == "read" and past >= 0 and excerpt.reads_further(excerpt.line_of(file, line), name):
        return record.says("beyond-step", {})
    if past == 0 and excerpt.has_wide_test(file, line):
        return record.says("one-past", {})
    if excerpt.is_dynamic(file, name):
        last = {"variable": name, "last": size - 1}
        return record.says("just-past", last) if past == 0 else record.says("dynamic", {})
    if form == "read" and excerpt.by_loop(file, line, name):
        return record.says("loop", {})
    if causes.swapped_extents(file, line, name):
        return record.says("swapped", {"variable": name})
    return record.says("static", {"threads": threads})


def _order(file: str | None, write: int | None, read: int | None, variable: str) -> str:
    """Which comes first of a write and a read by two threads: the read, where a barrier stands between the write and it
    (the write is then that of the next turn, or call), or where the write stands below it outside a loop. Where one
    line does both: neither, if each thread changes the element, or a barrier divides the turns of the loop; else the
    write of one turn meets the read of the next."""
    if lost := _lost(file, write, read, variable):
        return lost
    if write and write == read:
        if not file or not excerpt.in_loop(file, write):
            return "same-line"
        return "same-turn" if excerpt.barrier_in_turn(file, write) else "next-turn"
    if not file or not write or not read or not excerpt.same_function(file, write, read):
        return "read-write"
    if write < read and excerpt.barrier_between(file, write, read):
        return "used-again"
    if read < write and not excerpt.barrier_between(file, read, write) and not excerpt.share_loop(file, read, write):
        return "write-after-read"
    return "read-write"


def _lost(file: str | None, write: int | None, read: int | None, variable: str) -> str:
    """The form of a race in which each thread changes the element by what it has read there; "" of another."""
    here, there = excerpt.line_of(file, write), excerpt.line_of(file, read)
    if write and write == read:
        return "lost-update" if excerpt.updates(here, variable) else ""
    if write and read and file and write < read and not excerpt.share_loop(file, write, read):
        return ""  # what is written is read afterwards
    return "lost-update-later" if here and there and excerpt.updates_later(there, here, variable) else ""


def _quoted(record: Record, variable: str, *places: tuple[str | None, int | None]) -> Message | str:
    """The two lines where neither says the variable's name: it has another one there, a pointer's."""
    texts = [excerpt.line_of(file, line) for file, line in places]
    if not all(texts) or any(re.search(rf"\b{re.escape(variable)}\b", text) for text in texts):
        return ""
    (_, line), (_, other) = places
    if line == other:
        return ""  # the report shows it
    here, there = (excerpt.quoted(text) for text in texts)
    return record.says(QUOTED, {"here": here, "line": line, "there": there, "other_line": other})


def _where(found: dict[str, Any], prefix: str, lines: Lines, path: str) -> tuple[str | None, int | None]:
    place = lines.first(found[f"{prefix}pc"])
    if place is not None:
        return place.file, place.line
    if f"{prefix}line" in found:
        return found[f"{prefix}file"], found[f"{prefix}line"]
    return (path, None) if not prefix else (None, None)


def _launched(found: dict[str, Any], report: dict[str, Any], path: str) -> tuple[str | None, int | None]:
    """Where the launch stands that the finding belongs to."""
    number = found["launch"] - 1
    launch = report["launches"][number] if 0 <= number < len(report["launches"]) else {}
    return (launch["file"], launch["line"]) if launch.get("file") else (path, None)


def _threads(found: dict[str, Any], report: dict[str, Any]) -> int:
    """Of a block of the launch that the finding belongs to; 0 for none."""
    return math.prod(_shape(found, report)[1])


def _blocks(found: dict[str, Any], report: dict[str, Any]) -> int:
    """Of the launch that the finding belongs to; 0 for none."""
    return math.prod(_shape(found, report)[0])


def _shape(found: dict[str, Any], report: dict[str, Any]) -> tuple[list[int], list[int]]:
    """Grid and block of the launch that the finding belongs to."""
    number = found["launch"] - 1
    launch = report["launches"][number] if 0 <= number < len(report["launches"]) else {}
    return launch.get("grid", [0, 0, 0]), launch.get("block", [0, 0, 0])


def _is_plane(found: dict[str, Any], report: dict[str, Any]) -> bool:
    """Whether the launch that the finding belongs to has more than one dimension."""
    return any(size > 1 for shape in _shape(found, report) for size in shape[1:])


def _kernel(found: dict[str, Any], report: dict[str, Any], functions: dict[int, str]) -> str:
    named = found["facts"].get("kernel")
    if named or (named == "" and found["code"] == "bad-launch"):  # what CUDA refuses is no launch of the report's
        return str(named or "kernel")
    number = found["launch"] - 1
    if 0 <= number < len(report["launches"]):
        return kernel_name(report["launches"][number], functions)
    return "kernel"
