"""What the roofline figure shows, as a line of text: for the pages that hold it, and for readers who do not see it."""

from __future__ import annotations

import json
from pathlib import Path

from onekernel.bench.roofline import RooflinePoint, Roofs
from onekernel.bench.softmax_tables import caption
from onekernel.messages import Message
from onekernel.units import in_language

LADDER = "ladder/"


def standing(path: Path, lang: str) -> list[str]:
    """Each kernel's share of the copy's bandwidth, the reading ladder as a range, and how it was measured."""
    data = json.loads(path.read_text(encoding="utf-8"))
    copy = Roofs.from_json(data["roofs"]).copy
    shares = {p.name: 100 * (p.bandwidth or 0.0) / copy for p in map(RooflinePoint.from_json, data["points"])
              if not p.in_l2}  # fmt: skip
    rungs = [share for name, share in shares.items() if name.startswith(LADDER)]
    told = [f"`{name}` {_percent(share)}" for name, share in shares.items() if not name.startswith(LADDER)]
    if rungs:
        ladder = {"lowest": _percent(min(rungs)), "highest": _percent(max(rungs))}
        told.insert(1, Message("bench.ladder-range", ladder).text(lang))
    values = {"copy": f"{copy / 1e12:.2f}", "shares": ", ".join(told)}
    return [f"{in_language(Message('bench.standing', values).text(lang), lang)} {caption(data, lang)}"]


def _percent(share: float) -> str:
    return f"{share:.0f}" if share >= 1 else f"{share:.2g}"
