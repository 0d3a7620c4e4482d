"""What the runtime counted, as the report schema that ncu's readings share."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from onekernel import counts
from onekernel.counts import BufferTraffic, KernelCounts, LineCounts
from onekernel.simulator.doubts import Doubts
from onekernel.simulator.machine_code.elf import plain_name, template_arguments
from onekernel.simulator.machine_code.encode import CODE_SITE
from onekernel.simulator.read.lines import Lines

_WORD = re.compile(r"\b[A-Za-z_]\w*")
_PLAIN = frozenset(("float", "double", "int", "unsigned", "long", "short", "char", "bool", "signed", "true", "false"))
_MOST_VALUES = 60  # characters of a template's arguments in a sentence
_COUNTED = (
    counts.LOAD_REQUESTS, counts.STORE_REQUESTS, counts.LOAD_SECTORS, counts.STORE_SECTORS,
    counts.SHARED_LOAD_WAVEFRONTS, counts.SHARED_STORE_WAVEFRONTS, counts.SHARED_LOAD_CONFLICTS,
    counts.SHARED_STORE_CONFLICTS, counts.SHARED_COPY_CONFLICTS, counts.ATOMICS, counts.BARRIERS,
    counts.DIVERGENT_BRANCHES,
)  # fmt: skip

# What only machine code shows, by the runtime's name of the road: its counts, in the order of the metrics.
_APART = {
    "local-load": {"requests": counts.LOCAL_LOAD_REQUESTS, "sectors": counts.LOCAL_LOAD_SECTORS},
    "local-store": {"requests": counts.LOCAL_STORE_REQUESTS, "sectors": counts.LOCAL_STORE_SECTORS},
    "constant": {"requests": counts.CONSTANT_REQUESTS, "times": counts.CONSTANT_LOADS},
    "reduction": {"requests": counts.REDUCTION_REQUESTS, "sectors": counts.REDUCTION_SECTORS},
    "atomic": {"requests": counts.ATOMIC_REQUESTS, "sectors": counts.ATOMIC_SECTORS},
    "shared-atomic": {"wavefronts": counts.SHARED_ATOMIC_WAVEFRONTS, "conflicts": counts.SHARED_ATOMIC_CONFLICTS},
}  # fmt: skip


_OF_SPARSE = ("ran", "told", "heavier", "exhausted", "goes_round", "talks", "stands")  # where some blocks run

def kernels_of(
    report: dict[str, Any], lines: Lines, path: str, functions: dict[int, str], mode: str, exact: bool,
    doubts: Doubts, places: Sequence[tuple[str, int] | None] = (),
) -> tuple[KernelCounts, ...]:
    """One KernelCounts for each launch of the call, in order. `exact`: the compiler has split no access."""
    accesses = [access for launch in report["launches"] for access in launch.get("accesses", ())]
    lines.resolve(access["pc"] for access in accesses if access["pc"] < CODE_SITE)
    return tuple(_kernel(launch, lines, path, functions, mode, exact, doubts, places) for launch in report["launches"])


def kernel_name(launch: Mapping[str, Any], functions: Mapping[int, str]) -> str:
    """What the launch calls its kernel, where that is the kernel's own name and plain values; else, of a variable, a
    parameter, a template given by names, what its symbol says. `functions`: the symbols by their offsets."""
    written, symbol = str(launch["kernel"]), functions.get(launch["address"])
    return _named(written, symbol) if symbol else written or "kernel"


@cache
def _named(written: str, symbol: str) -> str:
    name = plain_name(symbol)
    base, _, given = written.partition("<")
    if base.rpartition("::")[2].strip() == name and not (set(_WORD.findall(given)) - _PLAIN):
        return written
    values = template_arguments(symbol)
    return f"{name}{values if len(values) <= _MOST_VALUES else '<...>'}"


def _kernel(
    launch: dict[str, Any], lines: Lines, path: str, functions: dict[int, str], mode: str, exact: bool,
    doubts: Doubts, places: Sequence[tuple[str, int] | None],
) -> KernelCounts:
    total: dict[str, float] = defaultdict(float)
    by_line: dict[tuple[str, int], dict[str, float]] = defaultdict(lambda: defaultdict(float))
    fields = ("name", "loaded", "stored", "unique_loaded", "unique_stored", "updated")
    buffers = tuple(BufferTraffic(*(b[field] for field in fields)) for b in launch["buffers"])
    by_code = bool(launch.get("by_code", False))
    doubtful: dict[tuple[str, int, str], set[str]] = defaultdict(set)
    if mode not in ("fast", "bounds"):
        total[counts.BYTES_LOADED] = 0 if by_code else sum(b.loaded for b in buffers)
        total[counts.BYTES_STORED] = 0 if by_code else sum(b.stored for b in buffers)
    if "accesses" in launch:
        for name in _COUNTED:
            total[name] += 0
        for barrier in launch["barriers"]:
            total[counts.BARRIERS] += barrier["count"]
            by_line[barrier["file"] or path, barrier["line"]][counts.BARRIERS] += barrier["count"]
        accesses = [(_place(access["pc"], lines, places), access) for access in launch["accesses"]]
        for place, access in accesses:
            for name, value in _metrics(access).items():
                if by_code or name not in (counts.BYTES_LOADED, counts.BYTES_STORED):
                    total[name] += value
                if place is not None:
                    by_line[place][name] += value
            some = doubts.of(access, place)
            if not by_code and doubts.may_wait(access, place, accesses):
                some.add("early")
            if not by_code and doubts.may_be_narrowed(access, place):
                some.add("narrows")
            if some:
                doubtful[*(place or (path, 0)), "shared" if access["shared"] else "global"] |= some
    if "apart" in launch:
        for names in _APART.values():
            for name in names.values():
                total[name] += 0
        for sent in launch["apart"]:
            place = _place(sent["pc"], lines, places)
            for field, name in _APART[sent["road"]].items():
                total[name] += sent[field]
                if place is not None:
                    by_line[place][name] += sent[field]
    extra = {"trace": _trace(launch["trace"], lines, path, places)} if "trace" in launch else {}
    return KernelCounts(
        kernel=kernel_name(launch, functions),
        grid=tuple(launch["grid"]),
        block=tuple(launch["block"]),
        shared_bytes=launch["static"] + launch["dynamic"],
        registers=None,
        metrics=dict(total),
        buffers=buffers,
        lines=tuple(LineCounts(file, line, dict(m)) for (file, line), m in sorted(by_line.items())),
        extra={
            "complete": bool(launch["complete"]),
            **{key: launch[key] for key in _OF_SPARSE if key in launch},
            "exact_requests": exact or by_code,
            "by_code": by_code,
            "doubts": [[*where, sorted(some)] for where, some in sorted(doubtful.items())],
            "why_not_by_code": launch.get("why_not_by_code", ""),
            "occupancy_bound_percent": launch["occupancy"],
            "resident_blocks": launch["resident_blocks"],
            "occupancy_limited_by": launch["resident_limit"],
            **extra,
        },
    )


def _place(pc: int, lines: Lines, places: Sequence[tuple[str, int] | None]) -> tuple[str, int] | None:
    """The learner's line of an access: by its number in the machine code, or by its address."""
    if pc >= CODE_SITE:
        return places[pc - CODE_SITE]
    place = lines.place(pc)
    return None if place is None else (place.file, place.line)


def _trace(
    recorded: dict[str, Any], lines: Lines, path: str, places: Sequence[tuple[str, int] | None]
) -> dict[str, Any]:
    """The recording of one warp and its block, with lines for addresses of code."""
    requests = []
    turns: dict[int, int] = defaultdict(int)  # by address of code
    for request in recorded["requests"]:
        place = _place(request["pc"], lines, places)
        turns[request["pc"]] += 1
        where = {"file": place[0] if place else path, "line": place[1] if place else 0}
        where["turn"] = turns[request["pc"]]
        requests.append({**{k: v for k, v in request.items() if k != "pc"}, **where})
    phases = [{**phase, "file": phase["file"] or path} for phase in recorded["phases"]]
    return {**recorded, "requests": requests, "phases": phases}


def _metrics(access: dict[str, Any]) -> dict[str, float]:
    out = _memory(access)
    if access["splits"]:
        out[counts.DIVERGENT_BRANCHES] = access["splits"]
    return out


def _memory(access: dict[str, Any]) -> dict[str, float]:
    write = bool(access["write"])
    if access["shared"]:
        if write:
            names = (counts.SHARED_STORE_WAVEFRONTS, counts.SHARED_STORE_CONFLICTS)
        else:
            names = (counts.SHARED_LOAD_WAVEFRONTS, counts.SHARED_LOAD_CONFLICTS)
        own = {names[0]: access["wavefronts"], names[1]: access["conflicts"]}
        if access["copy"]:
            own = {counts.SHARED_COPY_CONFLICTS: access["conflicts"]}
        if not access["distributed"]:
            return own
        return {**own, counts.DISTRIBUTED_REQUESTS: access["distributed"],
                counts.DISTRIBUTED_BYTES: access["distributed_bytes"]}  # fmt: skip
    if access["atomic"]:
        return {counts.ATOMICS: access["operations"]}
    if write:
        return {counts.STORE_REQUESTS: access["requests"], counts.STORE_SECTORS: access["sectors"],
                counts.BYTES_STORED: access["bytes"]}  # fmt: skip
    return {counts.LOAD_REQUESTS: access["requests"], counts.LOAD_SECTORS: access["sectors"],
            counts.BYTES_LOADED: access["bytes"]}  # fmt: skip
