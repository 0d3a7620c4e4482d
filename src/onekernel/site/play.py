"""Interactive pieces: `<!-- play: NAME -->` in a page is where one stands on the site; elsewhere nothing is seen of it.

Each is drawn by theme/assets/play.js and computed by theme/assets/model.js, which tests compare with the simulator.
"""

from __future__ import annotations

import html
import json
import re

from onekernel.errors import UserError
from onekernel.messages import Message, area

NAMES = ("access", "roofline", "online")
_MARK = re.compile(r"^<!-- play: ([\w-]+) -->$", re.M)


def placed(text: str, lang: str) -> str:
    """A page's Markdown with each mark replaced by the element that the script fills."""
    return _MARK.sub(lambda found: element(found[1], lang), text)


def element(name: str, lang: str) -> str:
    """The empty element of one piece, with its words in `lang`. Raises UserError for a name that does not exist."""
    if name not in NAMES:
        raise UserError(Message("site.no-play", {"name": name, "known": ", ".join(NAMES)}))
    words = {key.removeprefix(f"{name}-"): said[lang] for key, said in area("play").items() if key.startswith(name)}
    return f'<div class="play" data-play="{name}" data-words="{html.escape(json.dumps(words), quote=True)}"></div>'
