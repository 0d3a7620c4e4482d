"""Colours of the pictures: told apart with any colour vision and in grey, with text that stays readable on them."""

from __future__ import annotations

from typing import Any

# Okabe and Ito's, in an order in which neighbours differ most in lightness.
SECTORS = ("#0072B2", "#F0E442", "#009E73", "#CDE7F7")
GOOD, BAD = "#0072B2", "#D55E00"
GLOBAL, SHARED = "#0072B2", "#F0C040"
HATCH = "#9a9a9a"
MONO = "DejaVu Sans Mono"
MOST_TEXT = 130  # characters of source above a panel; more than FULL_SIZE are set smaller
FULL_SIZE = 100


def ink_on(colour: str) -> str:
    """Black or white, whichever can be read on `colour` (relative luminance as in WCAG 2.1)."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "white" if luminance < 0.3 else "black"


def source_line(axes: Any, y: float, text: str) -> None:
    """A line of source above a panel, as large as it fits."""
    text = text if len(text) <= MOST_TEXT else text[: MOST_TEXT - 1] + "…"
    axes.text(0, y, text, fontsize=9.5 * min(1.0, FULL_SIZE / len(text)), va="bottom", fontfamily=MONO)


def box(axes: Any, x: float, y: float, width: float, height: float, colour: str, **options: Any) -> None:
    """A filled cell with a thin outline, in data coordinates."""
    from matplotlib.patches import Rectangle

    look = {"facecolor": colour, "edgecolor": "white", "linewidth": 0.8, **options}
    axes.add_patch(Rectangle((x, y), width, height, **look))


def hatched(axes: Any, x: float, y: float, width: float, height: float) -> None:
    """A cell that stands for waste: white, with grey diagonals."""
    box(axes, x, y, width, height, "white", hatch="////", edgecolor=HATCH, linewidth=0.4)


def bare(axes: Any) -> None:
    """No frame, no ticks, no grid: what is drawn carries its own labels. Row 0 is at the top."""
    axes.grid(False)
    for side in axes.spines.values():
        side.set_visible(False)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.invert_yaxis()
