"""What all figures of the course share: colours, titles, panels, PNG and SVG."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

# Okabe and Ito, "Color Universal Design" (2008): told apart with any colour vision; ordered so that neighbours also
# differ in lightness, which is what is left in grey.
COLOURS = ("#000000", "#E69F00", "#0072B2", "#56B4E9", "#D55E00", "#009E73", "#CC79A7", "#F0E442")
KINDS = ("png", "svg")  # what a figure is written as
INK = "#222222"
FAINT = "#777777"


def figure(width: float = 8.0, height: float = 5.2) -> Any:
    """An empty figure (inches) drawn without a display and without pyplot's global state."""
    import matplotlib
    from matplotlib.figure import Figure

    matplotlib.rcParams.update({
        "font.size": 10, "axes.edgecolor": FAINT, "axes.labelcolor": INK, "text.color": INK, "xtick.color": INK,
        "ytick.color": INK, "axes.spines.top": False, "axes.spines.right": False, "svg.hashsalt": "onekernel",
        "axes.grid": True, "grid.color": "#dddddd", "grid.linewidth": 0.6, "savefig.dpi": 144,
    })  # fmt: skip
    return Figure(figsize=(width, height), layout="constrained")


def save(fig: Any, path: Path) -> list[Path]:
    """Writes `path` with the endings of KINDS added, the same bytes for the same figure. The paths."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fig.draw_without_rendering()
    fig.set_layout_engine("none")  # laid out once: each draw would move things a little
    written = []
    for kind in KINDS:
        written.append(path.with_name(f"{path.name}.{kind}"))
        fig.savefig(written[-1], metadata={"Software": None} if kind == "png" else {"Date": None})
    return written


def title(fig: Any, text: str, under: str, warn: bool = False) -> None:
    """A title to the left with a smaller line under it; `warn` sets that line in bold, for what is no measurement."""
    under = textwrap.fill(under, int(16 * fig.get_figwidth()), break_long_words=False, break_on_hyphens=False)
    fig.suptitle(text, x=0.02, ha="left", fontsize=12, fontweight="bold")
    weight = "bold" if warn else "normal"
    fig.supxlabel(under, x=0.02, ha="left", fontsize=8, color="#B03000" if warn else FAINT, fontweight=weight)


def stacked(
    panels: Sequence[tuple[Any, ...]], heights: Sequence[float], inches: tuple[float, float],
    panel: Callable[..., None], heading: str, under: str, path: Path,
) -> list[Path]:  # fmt: skip
    """Panels one below the other, with `heights` in proportion on a figure of `inches` (width, height);
    `panel(axes, *one)` draws one of them. The written paths."""
    fig = figure(*inches)
    all_axes = fig.subplots(len(panels), 1, squeeze=False, height_ratios=heights)[:, 0]
    for axes, one in zip(all_axes, panels, strict=True):
        panel(axes, *one)
    title(fig, heading, under)
    return save(fig, path)
