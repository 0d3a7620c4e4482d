"""The pictures as text, for a terminal without images: plain characters, 80 columns for all but the source."""

from __future__ import annotations

from onekernel.counts import SECTOR_BYTES
from onekernel.messages import say
from onekernel.trace import access, banks, heat, timeline
from onekernel.trace.recording import Phase, Recording, Request
from onekernel.units import show

DIGITS = "0123456789abcdefghijklmnopqrstuv"  # a lane in one character
SEVERAL = "*"


def render(recording: Recording, line: int | None = None) -> list[str]:
    """Every picture of the recording that `line`, or the heaviest access, gives."""
    out: list[str] = []
    request = recording.heaviest("global", line)
    if request is not None:
        out += [*_title("access", recording, request), *global_access(request), ""]
    request = recording.heaviest("shared", line)
    if request is not None:
        out += [*_title("banks", recording, request), *shared_access(request), ""]
    if line is None and any(p.line is not None for p in recording.phases):
        out += [_heading("timeline", recording), *phases(recording.phases), ""]
    if line is None:
        out += [_heading("heat", recording), *source(recording)]
    return out


def _heading(kind: str, recording: Recording) -> str:
    kernel = recording.counts.kernel.partition("(")[0].partition("<")[0]
    return say(f"trace.title-{kind}", kernel=kernel, warp=recording.warp)


def _title(kind: str, recording: Recording, request: Request) -> list[str]:
    return [_heading(kind, recording), f"  {recording.source.name}:{request.line}   {recording.text(request.line)}"]


def global_access(request: Request) -> list[str]:
    """Memory in lines of 128 bytes, two characters a word: the lane that reads it, "." moved for nothing."""
    moved = set(request.sectors())
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
        out.append(f"  +{line * access.LINE_BYTES:>7,} |" + "|".join(sectors) + "|")
    return out


def shared_access(request: Request) -> list[str]:
    """Rows of 32 words, a column a bank: the lane that wants the word; below, the words that each bank must give."""
    part = banks.worst_part(request)
    by_word, by_bank = banks.lanes_by_word(request, part), request.words_by_bank(part)
    out = ["  " + banks.summary(request), "  " + say("trace.terminal-key-banks")]
    out.append(f"  {say('trace.bank'):>9} " + " ".join(DIGITS))
    for row in banks.rows_of(request):
        cells = []
        for bank in range(banks.BANKS):
            lanes = by_word.get(row * banks.BANKS + bank, ())
            cells.append("." if not lanes else SEVERAL if len(lanes) > 1 else DIGITS[lanes[0]])
        out.append(f"  {say('trace.word', word=row * banks.BANKS):>9} " + " ".join(cells))
    counts = [len(by_bank.get(bank, ())) for bank in range(banks.BANKS)]
    out.append(f"  {say('trace.words-asked'):>9} " + " ".join(str(n) if n < 10 else "+" for n in counts))
    return out


def phases(found: tuple[Phase, ...], width: int = 12) -> list[str]:
    """A row a warp, a column a phase: "#" works, "-" waits at the barrier; the barrier's line below."""
    seen = timeline.shown(found)[: 80 // (width // 2)]
    out = ["  " + timeline.summary(found)]
    cell = max(3, min(width, 66 // len(seen) - 1))
    for warp in range(len(seen[0].arrived)):
        row = ""
        for phase in seen:
            work = phase.global_requests[warp] + phase.shared_requests[warp]
            most = max(a + b for a, b in zip(phase.global_requests, phase.shared_requests, strict=True)) or 1
            filled = -(-cell * work // most)
            gone = phase.line is None or not phase.arrived[warp]
            row += "#" * filled + (" " if gone else "-") * (cell - filled) + "|"
        out.append(f"  {say('trace.warp', warp=warp):>8} {row}")
    labels = "".join(f"{phase.line or '':>{cell}} " for phase in seen)
    return [*out, f"  {say('trace.line'):>8} {labels}"]


def source(recording: Recording) -> list[str]:
    """Each line with the bytes that it moves, its sectors a request and a bar."""
    lines = heat.lines_of(recording.source, recording.counts)
    most = max((n.moved for n in lines), default=1) or 1
    out = []
    for n in lines:
        bar = "█" * round(10 * n.moved / most) or ("▏" if n.moved else "")
        moved = show(n.moved, "B") if n.moved else ""
        each = f"{n.sectors_per_request:.3g}" if n.sectors_per_request is not None else ""
        requests = f"{n.requests:,}" if n.requests else ""
        wavefronts = f"{n.wavefronts:,}" if n.wavefronts else ""
        out.append(f"  {moved:>9} {requests:>9} {each:>5} {wavefronts:>9} {bar:<10} {n.number:>4} {n.text}")
    heads = [say(f"trace.heat-{key}-short") for key in ("moved", "requests", "sectors", "wavefronts")]
    return [f"  {heads[0]:>9} {heads[1]:>9} {heads[2]:>5} {heads[3]:>9}", *out]
