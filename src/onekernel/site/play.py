"""Interactive pieces: `<!-- play: NAME -->` in a page is where one stands on the site; elsewhere nothing is seen of it.

Each is drawn by theme/assets/play.js and computed by theme/assets/model.js, which tests compare with the simulator.
"""

from __future__ import annotations

import html
import json
import re
from typing import Any

from onekernel.bench.cards import cards
from onekernel.errors import UserError
from onekernel.messages import Message, area

NAMES = ("access", "roofline", "online")
FIRST = "H200"  # the card that the course measured on is shown first
_MARK = re.compile(r"^<!-- play: ([\w-]+) -->$", re.M)


def placed(text: str, lang: str) -> str:
    """A page's Markdown with each mark replaced by the element that the script fills."""
    return _MARK.sub(lambda found: element(found[1], lang), text)


def element(name: str, lang: str) -> str:
    """The empty element of one piece, with its words in `lang`. Raises UserError for a name that does not exist."""
    if name not in NAMES:
        raise UserError(Message("site.no-play", {"name": name, "known": ", ".join(NAMES)}))
    words = {key.removeprefix(f"{name}-"): said[lang] for key, said in area("play").items() if key.startswith(name)}
    held = (f'data-{key}="{html.escape(json.dumps(value), quote=True)}"'
            for key, value in (("words", words), ("facts", facts(name))))  # fmt: skip
    return f'<div class="play" data-play="{name}" {" ".join(held)}></div>'


def facts(name: str) -> dict[str, Any]:
    """What a piece is told beside its words: the roofline the cards, in bytes/s and FLOP/s."""
    if name != "roofline":
        return {}
    told = sorted(cards().values(), key=lambda card: card.name != FIRST)
    return {"cards": [{"name": c.name, "bandwidth": c.bandwidth, "peak": c.fp32} for c in told]}
