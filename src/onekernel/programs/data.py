"""A run as data: JSON for other programs, with sentences in both languages; and what a baseline knows of it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from onekernel import __version__
from onekernel.backends.base import Finding
from onekernel.errors import UserError
from onekernel.messages import LANGUAGES, Message
from onekernel.programs.executable import Run

FINDINGS = 3  # the exit status where a program has findings


def exit_status(run: Run) -> int:
    """What `onekernel run` ends with: 3 where an error was found, else the program's own status."""
    return FINDINGS if run.errors else run.status


def data_of(run: Run) -> dict[str, Any]:
    """The whole run. Counts have ncu's names; all bytes are bytes, seconds those of the simulator and no kernel's."""
    return {
        "onekernel": __version__,
        "files": [str(f) for f in run.files],
        "arguments": list(run.arguments),
        "mode": run.mode,
        "arch": run.arch,
        "status": run.status,
        "exit_status": exit_status(run),
        "launches": run.launches,
        "findings": [_finding(f) for f in run.findings],
        "ignored": len(run.ignored),
        "kernels": [
            {
                "kernel": k.kernel, "grid": list(k.grid), "block": list(k.block), "shared_bytes": k.shared_bytes,
                "metrics": dict(k.metrics), "exact_requests": k.extra["exact_requests"], "by_code": k.extra["by_code"],
                "lines": [{"file": n.file, "line": n.line, "metrics": dict(n.metrics)} for n in k.lines],
                "buffers": [vars(b) for b in k.buffers],
            }
            for k in run.kernels
        ],
    }  # fmt: skip


def _finding(finding: Finding) -> dict[str, Any]:
    texts = {lang: finding.message.text(lang) for lang in LANGUAGES}
    return {
        "code": finding.code, "severity": finding.severity, "file": finding.file, "line": finding.line,
        "text": texts, "known_by": known_by(finding),
    }  # fmt: skip


def known_by(finding: Finding) -> str:
    """What tells a finding from others, and stays when lines above it come or go: its code, file and source line."""
    text = ""
    if finding.file and finding.line:
        lines = _lines(finding.file)
        text = lines[finding.line - 1] if finding.line <= len(lines) else ""
    return f"{finding.code} {Path(finding.file or '').name} {' '.join(text.split())}"


def _lines(file: str) -> list[str]:
    try:
        return Path(file).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def without(run: Run, known: Iterable[str]) -> Run:
    """The run without the findings that a baseline knows; they are counted as ignored."""
    names = set(known)
    old = tuple(f for f in run.findings if known_by(f) in names)
    return replace(run, findings=tuple(f for f in run.findings if f not in old), ignored=old)


def read_baseline(path: Path) -> list[str]:
    """What a report in JSON, of an earlier run, knows. Raises UserError for a file that is none."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))["findings"]
        return [str(f["known_by"]) for f in found]
    except OSError as error:
        raise UserError(Message("run.baseline-unread", {"file": path, "why": error.strerror or str(error)})) from error
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(Message("run.baseline-not", {"file": path})) from error


def json_of(run: Run) -> str:
    """The run as JSON."""
    return json.dumps(data_of(run), indent=1, ensure_ascii=False) + "\n"
