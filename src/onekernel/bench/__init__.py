"""Timing, cards, speed credit; what bench/NAME.py measures is the checkout's own (audits/bench)."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import NoReturn


def script(module: str) -> NoReturn:
    """Ends this process, a script of bench/, with `main` of a `module` of its checkout, which is not installed."""
    sys.path.insert(0, str(Path(sys.argv[0]).resolve().parents[1]))
    sys.exit(import_module("audits.command").run(import_module(module).main))
