"""Reads a trace that torch.profiler wrote (Chrome's trace format, JSON, plain or gzip) as typed events.

Format: Chromium, "Trace Event Format"; what torch adds under "args" is Kineto's (libkineto, output_json.cpp).
"""

from __future__ import annotations

import gzip
import json
import math
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from onekernel.errors import UserError
from onekernel.messages import Message

STEP, WAIT = "onekernel:step", "onekernel:wait"  # the marks that our own recorder sets (child.py)
MOST_BYTES = 512 << 20  # of a trace, unpacked
OP, MARK, CALL, KERNEL, COPY, SET, MEMORY = "op", "mark", "call", "kernel", "copy", "set", "memory"
_KINDS = {
    "cpu_op": OP, "user_annotation": MARK, "cuda_runtime": CALL, "cuda_driver": CALL, "kernel": KERNEL,
    "gpu_memcpy": COPY, "gpu_memset": SET,
}  # fmt: skip
ON_DEVICE = (KERNEL, COPY, SET)
Thread = tuple[str, str]


@dataclass(frozen=True)
class Event:
    """Something that took from `start` to `end`, microseconds. `thread` is (process, thread), on a device (device,
    stream)."""

    kind: str
    name: str
    start: float
    end: float
    thread: Thread = ("", "")
    args: Mapping[str, Any] = field(default_factory=dict)

    @property
    def duration(self) -> float:
        return self.end - self.start

    @property
    def correlation(self) -> int | None:
        """What joins a launch with what it launched."""
        found = self.args.get("correlation")
        return found if isinstance(found, int) and found > 0 else None


@dataclass(frozen=True)
class Trace:
    """The events of a trace by kind, each sorted by start; the card's name, "" without one; what the recorder said."""

    events: Mapping[str, tuple[Event, ...]]
    card: str
    about: Mapping[str, Any]

    def of(self, *kinds: str) -> tuple[Event, ...]:
        found = [e for kind in kinds for e in self.events.get(kind, ())]
        return tuple(sorted(found, key=lambda e: (e.start, -e.end)))


def read(path: Path) -> Trace:
    """Raises UserError for a file that is no trace, is too large, or holds neither an operator nor work on a device."""
    try:
        raw = path.read_bytes()
        if raw[:2] == b"\x1f\x8b":
            unpacker = zlib.decompressobj(wbits=31)
            raw = unpacker.decompress(raw, MOST_BYTES)
            if not unpacker.eof:
                raise _bad("trace-too-large" if unpacker.unconsumed_tail else "trace-broken", path)
        if len(raw) >= MOST_BYTES:
            raise _bad("trace-too-large", path)
        data = json.loads(raw)
    except (ValueError, RecursionError, zlib.error, gzip.BadGzipFile):
        raise _bad("trace-broken", path) from None
    listed = data.get("traceEvents") if isinstance(data, dict) else data
    if not isinstance(listed, list):
        raise _bad("trace-broken", path)
    events: dict[str, list[Event]] = {}
    for entry in listed:
        event = _event(entry)
        if event is not None:
            events.setdefault(event.kind, []).append(event)
    if not any(events.get(kind) for kind in (OP, *ON_DEVICE)):  # a wait on a GPU, the recorder's own too, is no work
        raise _bad("trace-empty", path)
    ordered = {kind: tuple(sorted(found, key=lambda e: (e.start, -e.end))) for kind, found in events.items()}
    about = data.get("onekernel") if isinstance(data, dict) else None
    return Trace(ordered, _card(data), about if isinstance(about, dict) else {})


def _event(entry: Any) -> Event | None:
    """An event of ours; None for one of another kind, or without a name and a time."""
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        return None
    args = entry["args"] if isinstance(entry.get("args"), dict) else {}
    kind = MEMORY if entry["name"] == "[memory]" else _KINDS.get(str(entry.get("cat", "")).lower())
    start, length = _number(entry.get("ts")), _number(entry.get("dur", 0))
    if kind is None or start is None or length is None or length < 0 or (kind != MEMORY and entry.get("ph") != "X"):
        return None
    if kind in ON_DEVICE:
        thread = (str(args.get("device", entry.get("pid", 0))), str(args.get("stream", entry.get("tid", 0))))
    else:
        thread = (str(entry.get("pid", 0)), str(entry.get("tid", 0)))
    return Event(kind, entry["name"], start, start + length, thread, args)


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _card(data: Any) -> str:
    cards = data.get("deviceProperties") if isinstance(data, dict) else None
    first = cards[0] if isinstance(cards, list) and cards else {}
    return str(first.get("name", "")) if isinstance(first, dict) else ""


def _bad(key: str, path: Path) -> UserError:
    return UserError(Message.of(f"explain.{key}", path=path))
