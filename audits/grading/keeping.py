"""A plugin of pytest: a line of JSON for each test as it ends, in the file that the variable BOOK names."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

BOOK = "ONEKERNEL_KEPT"
MOST_SAID = 2000  # characters of why a test failed


def pytest_runtest_logreport(report: Any) -> None:
    """One write for each test that has run, or that failed or was skipped before: several processes share the file."""
    if report.when != "call" and not (report.when == "setup" and report.outcome != "passed"):
        return
    line = {"test": report.nodeid, "ended": report.outcome, "seconds": round(report.duration, 1)}
    if report.failed:
        crash = getattr(report.longrepr, "reprcrash", None)
        line["why"] = str(crash.message if crash else report.longrepr)[:MOST_SAID]
    with Path(os.environ[BOOK]).open("ab", buffering=0) as file:
        file.write(json.dumps(line).encode() + b"\n")
