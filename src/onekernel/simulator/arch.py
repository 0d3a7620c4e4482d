"""The card that the simulator models, by nvcc's name of what it compiles for: one of compute capability 8.0 or, when
asked, of 9.0; with an `a` behind the number also what that card has and no later one keeps, as wgmma."""

from __future__ import annotations

import os

from onekernel.backends.base import Unavailable
from onekernel.messages import Message

ARCHITECTURES = {"sm_80": 800, "sm_90": 900, "sm_90a": 900}
"""Name -> __CUDA_ARCH__. The limits of both cards are in runtime/api/ok/card.h."""

FEATURES = {"sm_90a": "__CUDA_ARCH_FEAT_SM90_ALL"}
"""Name -> the macro that tells a file it is compiled for that card alone."""

DEFAULT = "sm_80"


def architecture(asked: str | None = None) -> str:
    """The card to model: `asked`, else ONEKERNEL_ARCH, else sm_80. Raises Unavailable for one that is not modelled."""
    name = asked or os.environ.get("ONEKERNEL_ARCH") or DEFAULT
    if name not in ARCHITECTURES:
        raise Unavailable(Message("simulator.no-arch", {"name": name, "known": ", ".join(ARCHITECTURES)}))
    return name
