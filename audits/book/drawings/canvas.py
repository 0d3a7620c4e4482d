"""An SVG that is drawn by code: text stays text, light and dark follow the reader's theme, nothing overflows.

Units are those of a phone's width, `WIDTH`; a text of size 12 is 12 pixels high there. The same calls give the same
bytes. A colour is a name of `PALETTE`; its fill is pale in the light theme and deep in the dark one, so that the same
ink is read on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

WIDTH = 390
SMALLEST = 11.0
FONTS = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', sans-serif"
MONO = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace"
# name: light fill, light stroke, dark fill, dark stroke. Strokes are Okabe and Ito's hues.
PALETTE = {
    "blue": ("#d3e6f5", "#0072b2", "#12405f", "#56b4e9"),
    "orange": ("#fbe6bf", "#a86a00", "#573b00", "#e69f00"),
    "green": ("#cdeee1", "#007a5a", "#0b4a39", "#2fc79a"),
    "red": ("#f9d9c6", "#b84700", "#63280a", "#f0905a"),
    "purple": ("#f3dcea", "#a1507f", "#562843", "#d998bd"),
    "grey": ("#eceff2", "#6e7781", "#2a3038", "#8b949e"),
    "paper": ("#ffffff", "#8b949e", "#0f141a", "#6e7681"),
}
INK = {"ink": ("#1b1f24", "#e9eef4"), "faint": ("#57606a", "#a3adb8")}
PAGE = ("#ffffff", "#0f141a")


class Canvas:
    """One drawing in one language. `y` grows downwards; `text` raises ValueError for what has no room."""

    def __init__(self, height: float, title: str, about: str, lang: str) -> None:
        self.height, self.title, self.about, self.lang = height, title, about, lang
        self.parts: list[str] = []

    def box(self, x: float, y: float, w: float, h: float, colour: str = "grey", text: str = "", size: float = 12.5,
            mono: bool = False, dashed: bool = False, bold: bool = False) -> None:  # fmt: skip
        """A filled box with its text, which may have several lines, in the middle."""
        look = ' stroke-dasharray="4 3"' if dashed else ""
        place = f'x="{_n(x)}" y="{_n(y)}" width="{_n(w)}" height="{_n(h)}" rx="{_n(min(3, w / 6))}"'
        self._add(f'<rect class="{colour}" {place}{look}/>')
        if not (x >= 0 and y >= 0 and x + w <= WIDTH and y + h <= self.height):
            raise ValueError(f"{self.title}: a box at {x}, {y} leaves the drawing")
        if text:
            lines = text.split("\n")
            top = y + h / 2 - (len(lines) - 1) * size * 0.6
            for number, line in enumerate(lines):
                down = top + (number * 1.2 + 0.35) * size
                self.text(x + w / 2, down, line, size, mono=mono, bold=bold, room=w - 2)

    def text(self, x: float, y: float, text: str, size: float = 12.5, anchor: str = "middle", mono: bool = False,
             faint: bool = False, bold: bool = False, room: float | None = None) -> None:  # fmt: skip
        """Text whose baseline is at `y`, beginning, in the middle or ending at `x` (start, middle, end)."""
        for number, line in enumerate(text.split("\n")):
            self._line(x, y + number * size * 1.25, line, size, anchor, mono, faint, bold, room)

    def _line(self, x: float, y: float, text: str, size: float, anchor: str, mono: bool, faint: bool, bold: bool,
              room: float | None) -> None:  # fmt: skip
        wide = _width_of(text, size, mono, bold)
        left = x - wide * {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor]
        if size < SMALLEST or wide > (room or WIDTH) or left < 1 or left + wide > WIDTH - 1 or not 0 < y < self.height:
            needs = f"{wide:.0f} of {room or WIDTH:.0f} at {left:.0f}, {y:.0f}"
            raise ValueError(f"{self.title}: no room for {text!r}: {needs}")
        marks = ["faint" if faint else "ink", *(["mono"] if mono else []), *(["bold"] if bold else [])]
        side = "" if anchor == "start" else f' text-anchor="{anchor}"'
        place = f'x="{_n(x)}" y="{_n(y)}" font-size="{_n(size)}"{side}'
        self._add(f'<text class="{" ".join(marks)}" {place}>{escape(text)}</text>')

    def line(self, points: Sequence[tuple[float, float]], colour: str = "grey", width: float = 1.5,
             dashed: bool = False, arrow: bool = False) -> None:  # fmt: skip
        """A line through the points, with an arrow's head at the last one."""
        way = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
        look = ' stroke-dasharray="4 3"' if dashed else ""
        head = f' marker-end="url(#to-{colour})"' if arrow else ""
        self._add(f'<polyline class="line-{colour}" points="{way}" stroke-width="{_n(width)}"{look}{head}/>')

    def arrow(self, x1: float, y1: float, x2: float, y2: float, colour: str = "grey", dashed: bool = False) -> None:
        self.line(((x1, y1), (x2, y2)), colour, 1.6, dashed, arrow=True)

    def dot(self, x: float, y: float, r: float, colour: str) -> None:
        self._add(f'<circle class="{colour}" cx="{_n(x)}" cy="{_n(y)}" r="{_n(r)}"/>')

    def _add(self, part: str) -> None:
        self.parts.append(part)

    def svg(self) -> str:
        """The whole file."""
        size = f'viewBox="0 0 {WIDTH} {_n(self.height)}" width="520" height="{_n(self.height * 520 / WIDTH)}"'
        told = f'role="img" lang="{self.lang}" aria-labelledby="title about"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {told}>'
        words = f'<title id="title">{escape(self.title)}</title>\n<desc id="about">{escape(self.about)}</desc>'
        page = f'<rect class="page" x="0" y="0" width="{WIDTH}" height="{_n(self.height)}" rx="6"/>'
        return "\n".join([head, words, f"<style>{_style()}</style>", _heads(), page, *self.parts, "</svg>"]) + "\n"


def _style() -> str:
    return (f"text{{font-family:{FONTS}}}.mono{{font-family:{MONO}}}.bold{{font-weight:600}}polyline{{fill:none}}"
            f"{_theme(0)}@media (prefers-color-scheme: dark){{{_theme(1)}}}")  # fmt: skip


def _theme(dark: int) -> str:
    rules = [f".page{{fill:{PAGE[dark]}}}", *(f".{name}{{fill:{pair[dark]}}}" for name, pair in INK.items())]
    for name, four in PALETTE.items():
        fill, stroke = four[2 * dark : 2 * dark + 2]
        rules.append(f".{name}{{fill:{fill};stroke:{stroke}}}.line-{name}{{stroke:{stroke}}}.head-{name}{{fill:{stroke}}}")
    return "".join(rules)


def _heads() -> str:
    look = 'viewBox="0 0 8 8" refX="7" refY="4" markerWidth="5" markerHeight="5" orient="auto"'
    marks = (f'<marker id="to-{name}" {look}><path class="head-{name}" d="M0 0L8 4L0 8z"/></marker>'
             for name in PALETTE)  # fmt: skip
    return f"<defs>{''.join(marks)}</defs>"


def _width_of(text: str, size: float, mono: bool = False, bold: bool = False) -> float:
    """About how wide a text becomes, rather too wide: the font is the reader's."""
    if mono:
        return len(text) * size * 0.61
    each = sum(next((wide for chars, wide in _WIDE if c in chars), 0.69 if c.isupper() else 0.61) for c in text)
    return each * size * (1.1 if bold else 1.0)


_WIDE = ((" iljíI.,:;'|()[]!", 0.34), ("tfr-/", 0.41), ("mwMW@%→←×≤", 0.92))  # of DejaVu Sans, the widest of `FONTS`


def _n(value: float) -> str:
    """A coordinate with at most two decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
