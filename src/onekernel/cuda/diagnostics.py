"""Compiler text and CUDA error codes -> findings in the learner's words, at the learner's line."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from onekernel.backends.base import Finding
from onekernel.cuda.words import SIDES, sentence
from onekernel.messages import Message

SHOWN = 5  # errors after the fifth are mostly echoes of the first

_FRONT_END = re.compile(
    r"^(?P<file>[^\s:(][^:(\n]*)\((?P<line>\d+)\): (?:catastrophic )?error(?: #\S+)?: (?P<text>.+)$"
)
_HOST = re.compile(r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+)(?::\d+)?: (?:fatal )?error: (?P<text>.+)$")
_PTXAS = re.compile(r"^ptxas (?:error|fatal)\s*: (?P<text>.+)$")
_LINKER = re.compile(r"undefined reference to `(?P<name>[^']+)'|undefined symbol: (?P<symbol>\S+)")
_FULL = re.compile(r"No space left on device", re.IGNORECASE)
_ARCH = re.compile(r"nvcc fatal\s*: Unsupported gpu architecture '(?P<arch>[^']+)'")
_FATAL = re.compile(r"^nvcc fatal\s*: (?P<text>.+)$")
_HOST_VERSION = re.compile(r"unsupported GNU version|unsupported clang version", re.IGNORECASE)

# cudaError_t -> the finding's code, its chapter, and whether the context is lost ("sticky").
# Source: CUDA Runtime API, "Data types used by CUDA Runtime", enum cudaError.
_ERRORS = {
    1: ("invalid-value", "01-06-errors#errors", False),
    2: ("out-of-memory", "01-11-memory-spaces#memory", False),
    9: ("invalid-configuration", "01-03-launch#launch", False),
    98: ("invalid-device-function", "01-03-launch#launch", False),
    209: ("no-kernel-image", "01-03-launch#launch", False),
    700: ("illegal-address", "01-04-bounds#bounds", True),
    701: ("too-many-resources", "02-06-row-in-registers#occupancy", False),
    702: ("kernel-timeout", "01-06-errors#errors", True),
    710: ("device-assert", "01-06-errors#errors", True),
    715: ("illegal-instruction", "01-06-errors#errors", True),
    716: ("misaligned-address", "02-05-vector-loads#vectors", True),
    717: ("illegal-address", "01-04-bounds#bounds", True),
    718: ("illegal-address", "01-04-bounds#bounds", True),
    719: ("illegal-address", "01-04-bounds#bounds", True),
    720: ("invalid-configuration", "01-03-launch#launch", False),
}


def is_sticky(status: int) -> bool:
    """Whether this error takes the process's CUDA context with it, so that every later call fails too."""
    return status in _ERRORS and _ERRORS[status][2]


def finding_of_status(status: int, name: str, function: str, path: Path) -> Finding:
    """What a cudaError_t other than cudaSuccess says about the launcher `function`."""
    code, chapter, _ = _ERRORS.get(status, ("cuda-error", "01-06-errors#errors", False))
    values = {"function": function, "error": name, "status": status}
    return Finding(code, Message(f"cuda.{code}", values), str(path), None, "error", chapter)


def findings_of_log(log: str, path: Path) -> tuple[Finding, ...]:
    """The errors in what nvcc, ptxas, the host compiler and the linker wrote, at most five, none twice.

    The compiler saw a copy of the file: lines that name the copy are given the learner's path.
    """
    findings: list[Finding] = []
    source = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []
    for line in log.splitlines():
        finding = _one(line.strip(), path, source)
        if finding is not None and not _told(finding, findings):
            findings.append(finding)
    if not findings:
        last = next((line.strip() for line in reversed(log.splitlines()) if line.strip()), "")
        return (Finding("build-failed", Message("cuda.build-failed", {"text": last}), str(path)),)
    if len(findings) > SHOWN:
        more = Message("cuda.more-errors", {"count": len(findings) - SHOWN})
        findings = [*findings[:SHOWN], Finding("more-errors", more, str(path))]
    return tuple(findings)


def _told(finding: Finding, before: Sequence[Finding]) -> bool:
    """Whether it repeats one: nvcc says of a host function both that it is called and that it is not defined."""
    echo = finding.code == "variable-of-host"
    return any(finding == f or (echo and (f.file, f.line) == (finding.file, finding.line)) for f in before)


def demangle(text: str) -> str:
    """`_Z1kPf` -> `k(float*)`, where binutils (which comes with g++) is there to do it."""
    tool = shutil.which("c++filt")
    if tool is None or "_Z" not in text:
        return text
    done = subprocess.run([tool], input=text, capture_output=True, text=True, timeout=10, check=False)
    return done.stdout.strip() or text


def _one(line: str, path: Path, source: Sequence[str]) -> Finding | None:
    if _FULL.search(line):
        return Finding("disk-full", Message("cuda.disk-full"), str(path))
    if _HOST_VERSION.search(line):
        return Finding("host-compiler-version", Message("cuda.host-compiler-version"), str(path))
    match = _FRONT_END.match(line) or _HOST.match(line)
    if match:
        mine = Path(match["file"]).name == path.name
        if mine and (said := sentence(match["text"], int(match["line"]), source)):
            return Finding(said[0], said[1], str(path), int(match["line"]), chapter=SIDES)
        message = Message("cuda.compile-error", {"text": match["text"]})
        return Finding("compile-error", message, str(path) if mine else match["file"], int(match["line"]))
    if match := _ARCH.search(line):
        return Finding("unsupported-card", Message("cuda.unsupported-card", {"arch": match["arch"]}), str(path))
    if match := _PTXAS.match(line) or _FATAL.match(line):
        text = demangle(match["text"])
        said = sentence(text, None, source)
        if said:
            return Finding(said[0], said[1], str(path), chapter=SIDES)
        return Finding("compile-error", Message("cuda.compile-error", {"text": text}), str(path))
    if match := _LINKER.search(line):
        name = demangle(match["name"] or match["symbol"])
        return Finding("undefined-symbol", Message("cuda.undefined-symbol", {"name": name}), str(path))
    return None
