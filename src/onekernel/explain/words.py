"""What a trace says, in sentences: `onekernel explain`."""

from __future__ import annotations

from collections.abc import Iterator

from onekernel.explain import facts
from onekernel.explain.intervals import length
from onekernel.explain.shares import BOTTLENECKS, COMPUTE, LAUNCH, MEMORY, SHORT, Explained
from onekernel.messages import plain, say, written
from onekernel.numerals import Quantity

ROWS = 8  # kernels (operators) that are listed
FAR = 0.1  # of a roof: below it no roof binds
Line = tuple[str, str]
"""A line and how it is set: "" for a paragraph, "head" for what stands out, "table" for a line that is not broken."""


def seconds(microseconds: float) -> Quantity:
    return Quantity(microseconds / 1e6, "s")


def lines(explained: Explained, name: str) -> Iterator[Line]:
    """Everything that is said of a trace, in order. `name` is what was asked for."""
    yield _what(explained, name), "head"
    yield "", ""
    yield from _verdict(explained)
    yield "", ""
    yield from _times(explained)
    yield "", ""
    yield from _work(explained)
    yield "", ""
    yield from _host(explained)


def _what(explained: Explained, name: str) -> str:
    about = explained.trace.about
    versions = about.get("versions")
    torch = str(versions.get("torch", "-")) if isinstance(versions, dict) else "-"
    where = explained.trace.card or say("explain.the-cpu")
    mode = about.get("mode") if about.get("mode") in ("step", "file") else "trace"
    return say(f"explain.what-{mode}", name=name, where=plain(where), took=seconds(explained.microseconds),
               torch=plain(torch), date=plain(str(about.get("date", "-"))))  # fmt: skip


def _verdict(explained: Explained) -> Iterator[Line]:
    shares, binds = explained.shares, explained.binds
    yield say(f"explain.binds-{binds}", percent=100 * shares[binds]), "head"
    for bottleneck in BOTTLENECKS:
        bar = "█" * round(30 * shares[bottleneck])
        yield f"    {say(f'explain.name-{bottleneck}'):<22}{100 * shares[bottleneck]:>4.0f} %  {bar}", "table"
    yield say("explain.rule-gpu" if explained.on_gpu else "explain.rule-cpu"), ""
    if not explained.roofs.bandwidth:
        yield say("explain.no-roofs"), ""
    for bound in (COMPUTE, MEMORY):
        reached = explained.of_roof(bound)
        if reached and shares[bound] >= 0.05:
            source = "card" if explained.roofs.card else "measured"
            roof = _roof(explained, bound)
            yield say(f"explain.roof-{bound}-{source}", percent=100 * reached, roof=roof), ""
    if binds in (COMPUTE, MEMORY) and 0 < explained.of_roof(binds) < FAR:
        yield say("explain.advice-far"), ""
        return
    besides = facts.python_time(explained)
    if binds == LAUNCH and besides > 0.5 * shares[LAUNCH] * explained.microseconds:
        yield say("explain.advice-python", took=seconds(besides)), ""
    else:
        yield say(f"explain.advice-{binds}"), ""


def _roof(explained: Explained, bound: str) -> Quantity:
    if bound == MEMORY:
        return Quantity(explained.roofs.bandwidth, "B/s")
    longest = max((p for p in explained.pieces if p.bound == COMPUTE), key=lambda p: p.duration)
    name = longest.name if explained.on_gpu else ""
    return Quantity(explained.roofs.flops(longest.cost, name), "FLOP/s")


def _times(explained: Explained) -> Iterator[Line]:
    busy = length(explained.busy)
    share = 100 * busy / (explained.microseconds or 1.0)
    if explained.on_gpu:
        count, took = facts.launches(explained)
        yield say("explain.busy-gpu", percent=share, busy=seconds(busy), whole=seconds(explained.microseconds)), ""
        yield say("explain.launches", count=count, took=seconds(took)), ""
    else:
        yield say("explain.busy-cpu", percent=share, busy=seconds(busy), whole=seconds(explained.microseconds)), ""
    gaps = [g for g in explained.gaps if g[1] - g[0] >= facts.GAP]
    longest = facts.longest_gap(explained)
    if longest is None:
        yield say("explain.no-gaps"), ""
        return
    (start, end), during = longest
    values = {"count": len(gaps), "total": seconds(length(gaps)), "longest": seconds(end - start)}
    during = plain(during.removeprefix("aten::"))
    yield say("explain.gaps-in" if during else "explain.gaps", **values, **({"during": during} if during else {})), ""


def _work(explained: Explained) -> Iterator[Line]:
    found = facts.rows(explained)
    total = sum(r.count for r in found)
    kind = "kernels" if explained.on_gpu else "operators"
    if not found:
        yield say(f"explain.no-{kind}"), ""
        return
    yield say(f"explain.{kind}", count=total, names=len({r.name for r in found})), "head"
    for row in found[:ROWS]:
        name = plain(facts.short_name(row.name, 44)) if explained.on_gpu else plain(row.name.removeprefix("aten::"))
        by = plain(row.op) if explained.on_gpu and row.op else ""
        short = row.microseconds / row.count < SHORT
        reached = f"{100 * row.of_roof:3.0f} %" if row.of_roof and not short else "    -"
        bound = say(f"explain.name-{LAUNCH if short else row.bound}")
        took = written(seconds(row.microseconds))
        yield f"    {row.count:>5} x {took:>9}  {reached}  {bound:<20} {name}{f'  ({by})' if by else ''}", "table"
    if len(found) > ROWS:
        rest = sum(r.microseconds for r in found[ROWS:])
        yield "    " + say("explain.more-rows", count=len(found) - ROWS, took=seconds(rest)), "table"
    if any(r.of_roof > 1.0 and r.microseconds / r.count >= SHORT and r.bound == MEMORY for r in found[:ROWS]):
        yield say("explain.above-roof"), ""


def _host(explained: Explained) -> Iterator[Line]:
    if explained.on_gpu:
        waits = facts.waits(explained)
        if not waits:
            yield say("explain.no-waits"), ""
        for wait in waits[:4]:
            yield say("explain.waits", count=wait.count, took=seconds(wait.microseconds), by=plain(wait.by)), ""
        for copy in facts.copies(explained):
            key = f"explain.copies-{copy.direction if copy.direction in ('HtoD', 'DtoH', 'DtoD') else 'other'}"
            yield say(key, count=copy.count, bytes=Quantity(copy.bytes, "B"), took=seconds(copy.microseconds)), ""
    memory = facts.memory(explained)
    if memory.count:
        values = {"count": memory.count, "bytes": Quantity(memory.bytes, "B"), "peak": Quantity(memory.peak, "B")}
        yield say("explain.memory", **values), ""
    else:
        yield say("explain.no-memory"), ""
    if memory.driver_calls:
        yield say("explain.driver-calls", count=memory.driver_calls), ""
