"""Where the runtime's sources lie, and what of them a learner's file includes."""

from __future__ import annotations

from pathlib import Path

RUNTIME = Path(__file__).with_name("runtime")
INCLUDE = RUNTIME / "api"
