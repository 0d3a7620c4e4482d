"""Every picture that a recording gives, by name: "access", "banks", "timeline", "heat"."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from onekernel.messages import say
from onekernel.trace import access, banks, heat, timeline
from onekernel.trace.recording import Recording, Request

KINDS = ("access", "banks", "timeline", "heat")


def whose(recordings: Sequence[Recording], number: int) -> str:
    """What tells two recordings apart: the one compared with is first, the learner's own last; "" for a single one."""
    if len(recordings) == 1:
        return ""
    return say("trace.yours" if number == len(recordings) - 1 else "trace.compared") + " "


def requests(recordings: Sequence[Recording], space: str, line: int | None) -> list[tuple[str, Recording, Request]]:
    """For each recording whose it is, and the request to draw. `line` holds for the last, the learner's own."""
    out = []
    for k, recording in enumerate(recordings):
        request = recording.heaviest(space, line if k == len(recordings) - 1 else None)
        if request is not None:
            out.append((whose(recordings, k), recording, request))
    return out


def heading(kind: str, recording: Recording, shown: Sequence[Request] = ()) -> str:
    """The title of a picture; that of "access" says whether loads or stores are drawn."""
    ops = {request.op for request in shown}
    what = f"access-{ops.pop() if len(ops) == 1 else 'several'}" if kind == "access" else kind
    return say(f"trace.title-{what}", kernel=recording.kernel, warp=recording.warp)


def draw(
    kind: str, recordings: Sequence[Recording], path: Path, under: str, line: int | None = None
) -> list[Path] | None:
    """Draws one kind of picture to `path`.png and .svg; None where the launch gives nothing to draw.

    Two recordings are shown one above the other: what is compared with, then the learner's own.
    """
    own = recordings[-1]
    abouts = " / ".join(dict.fromkeys(r.about for r in recordings))
    banners = dict.fromkeys(f"{whose(recordings, k)}{r.banner()}" for k, r in enumerate(recordings) if r.banner())
    top = "".join(f"\n{line}" for line in (abouts, *banners) if line)
    if kind == "timeline":
        lanes = [(_name(recordings, k), r.phases) for k, r in enumerate(recordings) if timeline.several(r.phases)]
        return timeline.draw(lanes, heading(kind, own) + top, under, path) if lanes else None
    if kind == "heat":
        sources = [(_name(recordings, k), heat.lines_of(r.source, r.counts)) for k, r in enumerate(recordings)]
        sources = [(name, lines) for name, lines in sources if lines]
        return heat.draw(sources, heading(kind, own) + top, under, path) if sources else None
    shown = requests(recordings, "global" if kind == "access" else "shared", line)
    if not shown:
        return None
    title = heading(kind, own, [request for *_, request in shown]) + top
    panels = [(f"{owner}{r.source.name}:{q.line}   {r.text(q.line)}", q) for owner, r, q in shown]
    draw = access.draw if kind == "access" else banks.draw
    return draw(panels, title, under, path)


def _name(recordings: Sequence[Recording], number: int) -> str:
    """Whose picture it is and of which file; "" for a single one."""
    owner = whose(recordings, number)
    return owner and f"{owner}{recordings[number].source.name}"
