"""What becomes of one program: run as a user would run it, in a folder that looks like its own, under limits."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from audits.public_cuda import outcomes as ends
from audits.public_cuda import patience
from audits.public_cuda.programs import Candidate, helpers
from onekernel.cuda import nvcc

_MAIN = "import sys; from onekernel.cli import main; sys.exit(main())"
# For arguments, also by a command line with their names, `./program [size]`; for a second card.
_ASKS = re.compile(r"\busage\b|\./\w+ +[\[<]\w|invalid device ordinal", re.IGNORECASE)
KEPT = 1 << 16  # characters of what a program prints
_SHOWN = 6  # errors of a program, and as many warnings


def tried(candidate: Candidate, limit: float, mode: str = "check", arch: str = "sm_80") -> dict[str, Any]:
    """What became of one program: in a folder of its own that looks like the one in which it lies."""
    about = {"program": candidate.name, "repository": candidate.root.name}
    with tempfile.TemporaryDirectory() as folder:
        for entry in candidate.path.parent.iterdir():
            (Path(folder) / entry.name).symlink_to(entry)
        report = Path(folder) / "onekernel-report.json"
        how = ["--limit", str(limit), f"--{mode}", "-arch", arch]
        told = _run(candidate, [candidate.path], how, report)
        if told["cause"] == "undefined" and helpers(candidate.path):
            told = _run(candidate, [candidate.path, *helpers(candidate.path)], how, report)
        if told["cause"] in ("compile-error", "unsupported") and not report.is_file():
            told["cause"] = ends.REFUSED if _nvcc_refuses(candidate, Path(folder)) else told["cause"]
    return {**about, **told}


def _told(finding: Mapping[str, Any]) -> dict[str, Any]:
    """A finding whole, in English, for whoever compares it with the source."""
    return {
        **{key: finding[key] for key in ("severity", "code", "line")},
        "file": Path(finding["file"] or "").name,
        "text": finding["text"]["en"],
    }


def _run(candidate: Candidate, files: Sequence[Path], how: Sequence[str], report: Path) -> dict[str, Any]:
    """What became of it, the same in a line, its findings; where it ran, its own status and what it printed."""
    includes = [word for f in candidate.folders for word in ("-I", str(f))]
    words = [sys.executable, "-c", _MAIN, "run", *map(str, files), *includes, "-std", "c++17", *how,
             "--report", "json", "-o", str(report)]  # fmt: skip
    if shutil.which("g++") and re.search(r"\bomp_\w+\s*\(", candidate.path.read_text("utf-8", errors="replace")):
        words += ["-l", "gomp"]
    done = patience.run(words, report.parent, {**os.environ, "ONEKERNEL_LANG": "en"})
    if done is None:
        return {"cause": ends.WAITS, "detail": "", "findings": []}
    if not report.is_file():
        cause, detail = _unbuilt(done.stderr)
        return {"cause": cause, "detail": detail, "findings": []}
    told = json.loads(report.read_text(encoding="utf-8"))
    findings = [_told(f) for f in told["findings"]]
    cause, detail = _ended(findings, told["status"], done)
    printed = {"status": told["status"], "output": done.stdout[:KEPT]}
    return {"cause": cause, "detail": detail, "findings": findings, **printed}


def _ended(
    findings: Sequence[Mapping[str, Any]], status: int, done: subprocess.CompletedProcess[str]
) -> tuple[str, str]:
    """What became of a program that has a report, and the same in a line."""
    errors = [f for f in findings if f["severity"] == "error"]
    codes = sorted({f["code"] for f in errors})
    others = [f for f in findings if f["severity"] != "error"]
    said = "; ".join(_said(f) for f in (*errors[:_SHOWN], *others[:_SHOWN]))
    if ends.SLOW in codes and not set(codes) - {ends.SLOW, *ends.AFTER}:
        return ends.SLOW, said
    if "unsupported" in codes or "no-report" in codes:
        return "unsupported" if "unsupported" in codes else "no-report", said
    if errors and not set(codes) - set(ends.AFTER):
        return ends.CRASH, said  # on the host: whose fault it is, nobody has looked at
    if errors:
        return ends.FOUND, said
    if status == 0:
        return ends.LESS if any(f["code"] in ends.CHECKS_LESS for f in findings) else ends.RAN, said
    printed = (done.stderr + done.stdout).strip().splitlines()[-3:]  # why, as a rule: an argument that is missing
    told_why = status == ends.WAIVED or _ASKS.search(done.stdout + done.stderr)
    return ends.ASKS if told_why else ends.OWN, f"{said} status {status}: " + " | ".join(printed)[:300]


def _said(finding: Mapping[str, Any]) -> str:
    """A finding in a line, for whoever watches."""
    mark = "" if finding["severity"] == "error" else "(!) "
    return f"{mark}{finding['file']}:{finding['line']} {finding['code']}: {finding['text'][:160]}"


def _nvcc_refuses(candidate: Candidate, folder: Path) -> bool:
    """Whether NVIDIA's compiler, where it is here, refuses the file too: an exercise with blanks is no program."""
    compiler = nvcc.find()
    if compiler is None:
        return False
    includes = [word for f in candidate.folders for word in ("-I", str(f))]
    words = [str(compiler.path), "-std=c++17", "-arch=sm_80", "-rdc=true", *includes, "-c", str(candidate.path),
             "-o", "made.o"]  # fmt: skip
    return subprocess.run(words, cwd=folder, capture_output=True, check=False).returncode != 0


def _unbuilt(text: str) -> tuple[str, str]:
    lines = [n for n in text.splitlines() if n.strip() and not n.startswith("!")]
    first = lines[0][:300] if lines else ""
    if "the simulator does not support it" in text or "dynamic parallelism" in text:
        return "unsupported", first
    if "defined nowhere" in text or "undefined" in text.lower():
        return "undefined", first
    return ("trouble", lines[-1][:300]) if "Traceback" in text else ("compile-error", first)
