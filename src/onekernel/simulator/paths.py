"""Where the runtime's sources lie, and what of them a learner's file includes."""

from __future__ import annotations

from pathlib import Path

SIMULATOR = Path(__file__).parent
RUNTIME = SIMULATOR / "runtime"
INCLUDE = RUNTIME / "api"
