"""Marks of tests that need an NVIDIA GPU and what builds for it; skipped elsewhere, with the reason."""

from __future__ import annotations

import pytest

from onekernel import cuda
from onekernel.backends.base import Unavailable


def _reason() -> str | None:
    try:
        cuda.require()
    except Unavailable as error:
        return error.message.text("en")
    return None


REASON = _reason()
needs_cuda = [pytest.mark.gpu, pytest.mark.skipif(REASON is not None, reason=REASON or "")]
