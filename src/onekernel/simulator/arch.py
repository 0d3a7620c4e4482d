"""The compute capability of the card that the simulator models: 8.0, or 9.0 when asked."""

from __future__ import annotations

import os

from onekernel.backends.base import Unavailable
from onekernel.messages import Message

ARCHITECTURES = {"sm_80": 800, "sm_90": 900}
"""Name -> __CUDA_ARCH__. The limits of both cards are in runtime/api/ok/card.h."""

DEFAULT = "sm_80"


def architecture(asked: str | None = None) -> str:
    """The card to model: `asked`, else ONEKERNEL_ARCH, else sm_80. Raises Unavailable for one that is not modelled."""
    name = asked or os.environ.get("ONEKERNEL_ARCH") or DEFAULT
    if name not in ARCHITECTURES:
        raise Unavailable(Message("simulator.no-arch", {"name": name, "known": ", ".join(ARCHITECTURES)}))
    return name
