"""Every picture that a recording gives, by name: "access", "banks", "timeline", "heat"."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from onekernel.messages import say
from onekernel.trace import access, banks, heat, timeline
from onekernel.trace.recording import Recording, Request

KINDS = ("access", "banks", "timeline", "heat")


def panels(recordings: Sequence[Recording], space: str, line: int | None) -> list[tuple[str, Request]]:
    """For each recording the request to draw and its caption, "file:line  source text". `line` holds for the first."""
    out = []
    for k, recording in enumerate(recordings):
        request = recording.heaviest(space, line if k == 0 else None)
        if request is not None:
            place = f"{recording.source.name}:{request.line}"
            out.append((f"{place}   {recording.text(request.line)}", request))
    return out


def draw(
    kind: str, recordings: Sequence[Recording], path: Path, under: str, line: int | None = None
) -> list[Path] | None:
    """Draws one kind of picture to `path`.png and .svg; None where the launch gives nothing to draw.

    Two recordings are shown one above the other, before and after; "timeline" and "heat" show the first alone.
    """
    first = recordings[0]
    values = {"kernel": first.counts.kernel.partition("(")[0].partition("<")[0], "warp": first.warp}
    heading = say(f"trace.title-{kind}", **values)
    if kind == "timeline":
        several = any(p.line is not None for p in first.phases)
        return timeline.draw(first.phases, heading, under, path) if several else None
    if kind == "heat":
        lines = heat.lines_of(first.source, first.counts)
        return heat.draw(lines, heading, under, path) if lines else None
    shown = panels(recordings, "global" if kind == "access" else "shared", line)
    if not shown:
        return None
    return (access if kind == "access" else banks).draw(shown, heading, under, path)
