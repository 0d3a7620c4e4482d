"""The pictures of an access as SVG that stands in a page: its ink is the text's colour, on light paper and on dark."""

from __future__ import annotations

from html import escape

from onekernel.counts import SECTOR_BYTES
from onekernel.messages import say, written
from onekernel.trace import access, banks
from onekernel.trace.palette import BAD, GOOD, HATCH, SECTORS, ink_on
from onekernel.trace.recording import Request

CELL = 22  # pixels of a word, a lane, a bank
LEFT = 96  # for labels
ROW, LOW_ROW, MOST_TALL = 20, 13, 12  # of more than MOST_TALL rows each is low
BARS = 34  # the height of the longest


def global_access(request: Request, name: str) -> str:
    """The lanes of one request and the sectors that they touch. `name`: one that nothing else in the page has."""
    nth = {sector: k % len(SECTORS) for k, sector in enumerate(request.sectors)}
    lane_of = dict(zip(request.lanes, request.addresses(), strict=True))
    out = [_label(0, say("trace.lanes"))]
    for lane in range(32):
        address = lane_of.get(lane)
        colour = None if address is None else SECTORS[nth[address // SECTOR_BYTES]]
        out.append(_cell(lane, 0, 1, ROW, colour, str(lane) if colour else ""))
    y = ROW + 12
    where: dict[int, int] = {}
    for line in access.rows_of(request):
        if line is None:
            out.append(_text(LEFT + 16 * CELL, y + 6, "· · ·", "middle", faint=True))
            y += 12
            continue
        where[line] = y
        out.append(_label(y, f"byte {written(line * access.LINE_BYTES, ',')}"))
        for sector in range(4):
            touched = line * 4 + sector in nth
            out.append(_cell(8 * sector, y, 8, ROW, f"url(#{name})" if touched else None))
        y += ROW + 3
    for address, lanes in access.cells(request).items():
        row = where.get(address // access.LINE_BYTES)
        if row is not None:
            words = request.bytes / access.WORD
            text = str(lanes[0]) if len(lanes) == 1 else f"×{len(lanes)}"
            x = address % access.LINE_BYTES / access.WORD
            out.append(_cell(x, row, words, ROW, SECTORS[nth[address // SECTOR_BYTES]], text if words >= 1 else ""))
    for x, key, colour in ((0, f"trace.legend-{request.op}", SECTORS[0]), (18, "trace.legend-wasted", f"url(#{name})")):
        out += [_cell(x, y + 6, 1, ROW - 4, colour), _text(LEFT + (x + 1.3) * CELL, y + 14, say(key), "start")]
    return _svg(y + ROW + 6, access.summary(request), [_hatch(name), *out])


def shared_access(request: Request) -> str:
    """Which lane of one request wants which word of which bank; below, how many words each bank must give."""
    part = banks.worst_part(request)
    rows, by_bank = banks.rows_of(request), banks.words_by_bank(part)
    tall = ROW if len(rows) <= MOST_TALL else LOW_ROW
    out = [_label(0, say("trace.bank"))]
    out += [_text(LEFT + (bank + 0.5) * CELL, ROW / 2, str(bank), "middle", faint=True) for bank in range(banks.BANKS)]
    place = {row: ROW + k * tall for k, row in enumerate(rows)}
    for row, y in place.items():
        if tall == ROW or rows.index(row) % 4 == 0:
            out.append(_label(y, say("trace.word", word=row * banks.BANKS), tall))
    out.append(_grid(ROW, len(rows), tall))
    for word, lanes in banks.lanes_by_word(part).items():
        bank, at = word % banks.BANKS, place.get(word // banks.BANKS)
        if at is not None:
            text = str(lanes[0]) if len(lanes) == 1 else f"×{len(lanes)}"
            out.append(_cell(bank, at, 1, tall, BAD if len(by_bank[bank]) > 1 else GOOD, text))
    base = ROW + len(rows) * tall + BARS + 8
    most = max(len(words) for words in by_bank.values())
    out.append(_label(base - ROW, say("trace.words-asked")))
    for bank in range(banks.BANKS):
        count = len(by_bank.get(bank, ()))
        if count:
            high = max(BARS * count / most, 2)
            out.append(_cell(bank, base - high, 1, high, BAD if count > 1 else GOOD))
        out.append(_text(LEFT + (bank + 0.5) * CELL, base + 10, str(count), "middle", faint=not count))
    return _svg(base + ROW, banks.summary(request), out)


def _svg(height: float, label: str, parts: list[str]) -> str:
    width = LEFT + 32 * CELL + 2
    return (
        f'<svg class="access" viewBox="0 0 {width} {height:g}" width="{width}" height="{height:g}" role="img" '
        f'aria-label="{escape(label)}" font-size="11" fill="currentColor">{"".join(parts)}</svg>'
    )


def _hatch(name: str) -> str:
    return (
        f'<pattern id="{name}" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        f'<path d="M1 0V6" stroke="{HATCH}" stroke-width="1.4"/></pattern>'
    )


def _cell(x: float, y: float, width: float, height: float, colour: str | None, text: str = "") -> str:
    """`width` words wide, with a line of paper around it; without a colour only its outline, dotted."""
    where = f'x="{LEFT + x * CELL + 0.5:g}" y="{y + 0.5:g}" width="{width * CELL - 1:g}" height="{height - 1:g}"'
    if colour is None:
        return f'<rect {where} fill="none" stroke="currentColor" stroke-opacity=".25" stroke-dasharray="2"/>'
    size = 11 if height >= ROW else 9
    number = "" if not text else (
        f'<text x="{LEFT + (x + width / 2) * CELL:g}" y="{y + height / 2:g}" dy=".35em" text-anchor="middle" '
        f'font-size="{size}" fill="{ink_on(colour)}">{text}</text>'
    )  # fmt: skip
    outline = f' stroke="{HATCH}"' if colour.startswith("url") else ""
    return f'<rect {where} fill="{colour}"{outline}/>{number}'


def _grid(y: float, rows: int, height: float) -> str:
    """The outlines of `rows` rows of 32 words."""
    wide, high = 32 * CELL, rows * height
    down = "".join(f"M{LEFT + column * CELL} {y:g}v{high:g}" for column in range(33))
    across = "".join(f"M{LEFT} {y + row * height:g}h{wide}" for row in range(rows + 1))
    return f'<path d="{down}{across}" stroke="currentColor" stroke-opacity=".15"/>'


def _text(x: float, y: float, text: str, anchor: str, faint: bool = False) -> str:
    look = ' fill-opacity=".65"' if faint else ""
    return f'<text x="{x:g}" y="{y:g}" dy=".35em" text-anchor="{anchor}"{look}>{escape(text)}</text>'


def _label(y: float, text: str, height: float = ROW) -> str:
    return _text(LEFT - 6, y + height / 2, text, "end", faint=True)
