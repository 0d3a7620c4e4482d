"""The pictures as text, for a terminal without images: plain characters, as wide as the terminal but for the source."""

from __future__ import annotations

from collections.abc import Sequence

from onekernel.counts import SECTOR_BYTES
from onekernel.messages import say, written
from onekernel.numerals import Quantity
from onekernel.trace import access, banks, heat, pictures, timeline
from onekernel.trace.recording import Phase, Recording, Request

DIGITS = "0123456789abcdefghijklmnopqrstuv"  # a lane in one character
SEVERAL = "*"
BAR = 10  # characters


def render(recordings: Sequence[Recording], line: int | None = None, width: int = 80) -> list[str]:
    """Every picture that `line`, or the heaviest access, gives: for each kind what is compared with, then the learner's
    own. `width`: of the terminal, in characters."""
    own = recordings[-1]
    out = [f"  {pictures.whose(recordings, k)}{r.banner()}" for k, r in enumerate(recordings) if r.banner()]
    out += [""] if out else []
    for kind, space in (("access", "global"), ("banks", "shared")):
        shown = pictures.requests(recordings, space, line)
        if shown:
            out += _title(kind, own, [request for *_, request in shown])
        for owner, recording, request in shown:
            out.append(f"  {owner}{recording.source.name}:{request.line}   {recording.text(request.line)}")
            out += [*(global_access if space == "global" else shared_access)(request), ""]
    if line is not None:
        return out
    if any(timeline.several(r.phases) for r in recordings):
        out += _title("timeline", own)
    for k, recording in enumerate(recordings):
        if timeline.several(recording.phases):
            out += [*_owner(recordings, k), *phases(recording.phases, width), ""]
    out += _title("heat", own)
    for k, recording in enumerate(recordings):
        out += [*_owner(recordings, k), *source(recording), ""]
    return out


def _title(kind: str, recording: Recording, shown: Sequence[Request] = ()) -> list[str]:
    return [pictures.heading(kind, recording, shown), f"  {recording.about}"]


def _owner(recordings: Sequence[Recording], nth: int) -> list[str]:
    owner = pictures.whose(recordings, nth)
    return [f"  {owner}{recordings[nth].source.name}"] if owner else []


def global_access(request: Request) -> list[str]:
    """Memory in lines of 128 bytes, two characters a word: the lane that reads it, "." moved for nothing."""
    moved = set(request.sectors)
    lane_of: dict[int, str] = {}
    for address, lanes in access.cells(request).items():
        for word in range(address // 4, (address + request.bytes - 1) // 4 + 1):
            lane_of[word] = SEVERAL if word in lane_of or len(lanes) > 1 else DIGITS[lanes[0]]
    out = ["  " + access.summary(request), "  " + say("trace.terminal-key")]
    for line in access.rows_of(request):
        if line is None:
            out.append(f"{'...':>11}")
            continue
        sectors = []
        for sector in range(line * 4, line * 4 + 4):
            blank = "." if sector in moved else " "
            words = range(sector * SECTOR_BYTES // 4, (sector + 1) * SECTOR_BYTES // 4)
            sectors.append(" ".join(lane_of.get(word, blank) for word in words))
        out.append(f"  +{written(line * access.LINE_BYTES, ','):>7} |" + "|".join(sectors) + "|")
    return out


def shared_access(request: Request) -> list[str]:
    """Rows of 32 words, a column a bank: the lane that wants the word; below, the words that each bank must give."""
    part = banks.worst_part(request)
    by_word, by_bank = banks.lanes_by_word(part), banks.words_by_bank(part)
    table = [(say("trace.bank"), list(DIGITS))]
    for row in banks.rows_of(request):
        cells = []
        for bank in range(banks.BANKS):
            lanes = by_word.get(row * banks.BANKS + bank, ())
            cells.append("." if not lanes else SEVERAL if len(lanes) > 1 else DIGITS[lanes[0]])
        table.append((say("trace.word", word=row * banks.BANKS), cells))
    counts = [len(by_bank.get(bank, ())) for bank in range(banks.BANKS)]
    table.append((say("trace.words-asked"), [str(n) if n < 10 else "+" for n in counts]))
    wide = max(len(label) for label, _ in table)
    rows = [f"  {label:>{wide}} {' '.join(cells)}" for label, cells in table]
    return ["  " + banks.summary(request), "  " + say("trace.terminal-key-banks"), *rows]


def phases(found: Sequence[Phase], width: int = 80) -> list[str]:
    """A row a warp, a column a phase: "#" works, "-" waits at the barrier; the barrier's line below. What does not fit
    is counted at the end."""
    names = [say("trace.warp", warp=warp) for warp in range(len(found[0].arrived))]
    label = max(len(name) for name in (*names, say("trace.line")))
    digits = max(len(str(phase.line or "")) for phase in found)
    room = width - label - 4
    seen = timeline.shown(found)[: max(1, room // (max(3, digits) + 1))]
    cell = max(3, digits, min(12, room // len(seen) - 1))
    out = ["  " + timeline.summary(found), "  " + say("trace.terminal-key-timeline")]
    for warp, name in enumerate(names):
        row = ""
        for phase in seen:
            work = phase.global_requests[warp] + phase.shared_requests[warp]
            most = max(a + b for a, b in zip(phase.global_requests, phase.shared_requests, strict=True)) or 1
            filled = -(-cell * work // most)
            gone = phase.line is None or not phase.arrived[warp]
            row += "#" * filled + (" " if gone else "-") * (cell - filled) + "|"
        out.append(f"  {name:>{label}} {row}")
    labels = "".join(f"{phase.line or '':>{cell}} " for phase in seen)
    out.append(f"  {say('trace.line'):>{label}} {labels}".rstrip())
    if len(seen) < len(found):
        out.append("  " + say("trace.terminal-more", count=len(found) - len(seen)))
    return out


def source(recording: Recording) -> list[str]:
    """Each line with the bytes that it moves, how many times too many, its sectors a request, and what would do."""
    lines = heat.lines_of(recording.source, recording.counts)
    most = max((n.moved for n in lines), default=1) or 1
    columns = ("moved", "times", "requests", "sectors", "do", "wavefronts", "do")
    heads = [say(f"trace.heat-{column}-short") for column in columns]
    out = []
    for n in heat.rows(lines):
        if n is None:
            out.append([""] * len(heads) + [" " * BAR, "⋮"])
            continue
        needed = -(-BAR * n.needed // most)
        bar = ("░" * needed + "█" * (round(BAR * n.moved / most) - needed)) if n.moved else ""
        cells = [
            written(Quantity(n.moved, "B")) if n.moved else "",
            f"x{written(n.times, '.3g')}" if n.times > heat.WORTH_SAYING else "",
            written(n.requests, ",") if n.requests else "",
            "" if n.sectors_per_request is None else written(n.sectors_per_request, ".3g"),
            "" if n.sectors_needed is None else written(n.sectors_needed, ".3g"),
            written(n.wavefronts, ",") if n.wavefronts else "",
            written(n.wavefronts_needed, ",") if n.wavefronts else "",
        ]
        out.append([*cells, f"{bar:<{BAR}}", f"{n.number:>4} {n.text}"])
    wide = [max(len(row[k]) for row in [heads, *out]) for k in range(len(heads))]
    table = [" ".join([f"{cell:>{w}}" for cell, w in zip(row, wide, strict=False)] + row[len(wide) :]) for row in out]
    head = " ".join(f"{cell:>{w}}" for cell, w in zip(heads, wide, strict=True))
    return [f"  {head}", *(f"  {row}".rstrip() for row in table), "  " + say("trace.terminal-key-heat")]
