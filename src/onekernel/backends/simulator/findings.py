"""The runtime's raw findings become sentences at lines, each with the chapter that explains it."""

from __future__ import annotations

import re
from typing import Any

from onekernel.backends.base import Finding
from onekernel.backends.simulator import excerpt
from onekernel.backends.simulator.lines import Lines
from onekernel.messages import Message

_BOUNDS = "01-cuda-programming-model#bounds"
_LAUNCH = "01-cuda-programming-model#launch"
_ERRORS = "01-cuda-programming-model#errors"
_SPACES = "01-cuda-programming-model#memory-spaces"
_STREAMS = "01-cuda-programming-model#streams"
_SYNC = "01-cuda-programming-model#synchronisation"
_SHARED = "02-from-naive-to-tiled#shared-memory"
_ASYNC = "02-from-naive-to-tiled#asynchronous-copies"
_SHUFFLES = "02-from-naive-to-tiled#warp-shuffles"
_VECTORS = "02-from-naive-to-tiled#vector-loads"

CHAPTERS = {
    "out-of-bounds-read": _BOUNDS,
    "out-of-bounds-write": _BOUNDS,
    "out-of-bounds-shared-read": _SHARED,
    "out-of-bounds-shared-write": _SHARED,
    "use-after-free": _SPACES,
    "misaligned-access": _VECTORS,
    "race-shared": _SYNC,
    "race-global": _SYNC,
    "uninitialised-read": _SPACES,
    "divergent-barrier": _SYNC,
    "deadlock": _SYNC,
    "exited-block": _SHARED,
    "bad-cluster-address": _SHARED,
    "mismatched-mask": _SHUFFLES,
    "mismatched-collective": _SHUFFLES,
    "lane-outside-mask": _SHUFFLES,
    "absent-lane": _SHUFFLES,
    "bad-launch": _LAUNCH,
    "host-touches-device": _SPACES,
    "host-too-early": _SPACES,
    "host-pointer": _SPACES,
    "host-crash": _ERRORS,
    "crash": _BOUNDS,
    "stack-overflow": _SPACES,
    "time-limit": _ERRORS,
    "copy-out-of-bounds": _BOUNDS,
    "wrong-copy-side": _SPACES,
    "bad-free": _SPACES,
    "exit-called": _ERRORS,
    "trap": _ERRORS,
    "assert-failed": _ERRORS,
    "unsupported": None,
    "integer-overflow": _BOUNDS,
    "wrong-stream": _STREAMS,
    "missing-return": _ERRORS,
    "missing-wait": _ASYNC,
}
"""Finding code -> chapter anchor."""

# Codes whose sentence depends on one of the facts: the message's key is code-value.
_KINDS = {
    "divergent-barrier": "kind",
    "absent-lane": "kind",
    "bad-cluster-address": "kind",
    "bad-launch": "kind",
    "crash": "kind",
    "host-crash": "kind",
    "time-limit": "where",
    "wrong-copy-side": "kind",
    "bad-free": "kind",
    "uninitialised-read": "space",
    "integer-overflow": "where",
    "wrong-stream": "kind",
    "missing-return": "where",
    "missing-wait": "kind",
}


_SIDES = {"thread": "other_thread", "other_thread": "thread", "block": "other_block", "other_block": "block"}


def findings_of(report: dict[str, Any], lines: Lines, path: str, functions: dict[int, str]) -> tuple[Finding, ...]:
    """The call's findings in the order in which they happened."""
    raw = report["findings"]
    lines.resolve(a for f in raw for key in ("pc", "other_pc") for a in f.get(key, ()))
    out = []
    for fact in raw:
        finding = _finding(fact, report, lines, path, functions)
        if finding is not None:
            out.append(finding)
    return tuple(out)


def _finding(
    fact: dict[str, Any], report: dict[str, Any], lines: Lines, path: str, functions: dict[int, str]
) -> Finding | None:
    code = fact["code"]
    file, line = _where(fact, "", lines, path)
    other_file, other = _where(fact, "other_", lines, path)
    if code.startswith("race-") and fact["kind"] == "write-read":
        # Which of the two came first is the simulator's choice: a race is told from the side that writes.
        file, line, other = other_file or file, other, line
        fact = {**fact, **{a: fact[b] for a, b in _SIDES.items()}}
    values = {k: v for k, v in fact.items() if k not in ("code", "pc", "other_pc", "file", "other_file", "launch")}
    values["line"] = line or 0
    values["other_line"] = other or line or 0
    values["kernel"] = _kernel(fact, report, functions)
    for name in ("variable", "buffer"):
        if name in values and not values[name]:
            values[name] = "?"
    values |= _places(fact, report)
    key = f"{code}-{fact[_KINDS[code]]}" if code in _KINDS else code
    if code == "wrong-copy-side":
        key += f"-{fact['side']}"
    if code == "race-shared" or code == "race-global":
        key = _race_key(fact)
        values["quoted"] = _quoted(str(values["variable"]), (file, line), (other_file or file, other))
        if key == "race-read-write" and line == other and excerpt.in_loop(file, line):
            key = "race-next-turn"
    if code in ("out-of-bounds-read", "out-of-bounds-write"):
        key = f"{code}-{fact['side']}" if fact["size"] else f"{code}-nowhere"
        if key.endswith("-after"):
            values["advice"] = Message(f"simulator.advice-{'last' if fact['distance'] == 1 else 'tail'}")
    return Finding(code, Message(f"simulator.{key}", values), file, line, "error", CHAPTERS.get(code))


def _places(fact: dict[str, Any], report: dict[str, Any]) -> dict[str, str]:
    """Blocks and threads of a launch in one dimension by one number: "(3,0,0)" -> "3"."""
    number = fact.get("launch", 0) - 1
    if not 0 <= number < len(report["launches"]):
        return {}
    launch = report["launches"][number]
    flat = {"block": tuple(launch["grid"][1:]) == (1, 1), "thread": tuple(launch["block"][1:]) == (1, 1)}
    found = {}
    for name, text in fact.items():
        kind = name.removeprefix("other_")
        if flat.get(kind) and isinstance(text, str) and text.endswith(",0,0)"):
            found[name] = text[1:].removesuffix(",0,0)")
    return found


def _quoted(variable: str, *places: tuple[str | None, int | None]) -> Message | str:
    """The lines of a race where neither says the variable's name: it has another one there, a pointer's."""
    texts = [excerpt.line_of(file, line) for file, line in places]
    if not all(texts) or any(re.search(rf"\b{re.escape(variable)}\b", text) for text in texts):
        return ""
    (_, line), (_, other) = places
    values = {"here": excerpt.quoted(texts[0]), "line": line, "there": excerpt.quoted(texts[1]), "other_line": other}
    return Message("simulator.race-quoted", values)


def _race_key(fact: dict[str, Any]) -> str:
    if fact["scope"] == "grid":
        return "race-grid"
    if fact["scope"] == "cluster":
        return "race-cluster"
    if fact["atomic"] != "none":
        return "race-atomic"
    return "race-write-write" if fact["kind"] == "write-write" else "race-read-write"


def _where(fact: dict[str, Any], prefix: str, lines: Lines, path: str) -> tuple[str | None, int | None]:
    place = lines.first(fact.get(f"{prefix}pc", ()))
    if place is not None:
        return place.file, place.line
    if f"{prefix}line" in fact:
        return fact.get(f"{prefix}file", path), fact[f"{prefix}line"]
    return (path, None) if not prefix else (None, None)


def _kernel(fact: dict[str, Any], report: dict[str, Any], functions: dict[int, str]) -> str:
    number = fact["launch"] - 1
    if 0 <= number < len(report["launches"]):
        launch = report["launches"][number]
        return str(launch["kernel"]) or functions.get(launch["address"], "kernel")
    return str(fact.get("kernel") or "kernel")
