"""Runs a file of PyTorch under the profiler, in a process of its own with a time limit, and reads its trace."""

from __future__ import annotations

import gzip
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from onekernel.errors import UserError
from onekernel.explain import chrome
from onekernel.explain.chrome import Trace
from onekernel.messages import Message
from onekernel.sandbox import process

SECONDS = 120.0  # of a file, three warm-up runs and the compiling of torch.compile included
CHILD = Path(__file__).with_name("child.py")


def is_trace(path: Path) -> bool:
    """Whether a trace is meant, and no file to run."""
    return path.name.endswith((".json", ".json.gz"))


def trace(path: Path, seconds: float = SECONDS, save: Path | None = None) -> Trace:
    """The trace of a file, recorded now, or read where it is one. `save` is where a recorded one is kept.

    Raises UserError for a file that is none, raises, takes longer than `seconds`, or cannot be read.
    """
    if not path.is_file():
        raise UserError(Message.of("explain.no-file", path=path))
    if is_trace(path):
        return chrome.read(path)
    if path.suffix != ".py":
        raise UserError(Message.of("explain.not-python", path=path))
    with tempfile.TemporaryDirectory(prefix="onekernel-explain-") as folder:
        written = Path(folder) / "trace.json"
        argv = [sys.executable, str(CHILD), str(path.resolve()), str(written), os.getcwd()]
        ended = process.run(argv, folder=Path(folder), env=os.environ, timeout=seconds)
        if ended.timed_out:
            raise UserError(Message.of("explain.too-slow", path=path, seconds=seconds))
        if ended.returncode or not written.is_file():
            raise UserError(_why(path, ended.output))
        try:
            found = chrome.read(written)
        except UserError as error:
            if error.message.key == "explain.trace-empty":  # of a file that nobody but us has seen
                raise UserError(Message.of("explain.ran-nothing", path=path)) from None
            raise
        if save:
            save.parent.mkdir(parents=True, exist_ok=True)
            raw = written.read_bytes()
            save.write_bytes(gzip.compress(raw, mtime=0) if save.suffix == ".gz" else raw)
        return found


def _why(path: Path, output: str) -> Message:
    """What a file that gave no trace said of it."""
    told: dict[str, Any] = {}
    for line in reversed(output.splitlines()):
        if line.startswith("{"):
            try:
                told = json.loads(line)
            except ValueError:
                continue
            break
    if "stopped" in told:
        return Message.of("explain.stopped", path=path, text=str(told["stopped"]))
    if told.get("raised") == "ModuleNotFoundError" and "torch" in str(told.get("text")):
        return Message.of("explain.no-torch", text=str(told["text"]))
    if "raised" in told:
        said = {k: str(told.get(k)) for k in ("line", "raised", "text")}
        return Message.of("explain.raised" if told.get("line") else "explain.raised-nowhere", path=path, **said)
    last = next((line for line in reversed(output.splitlines()) if line.strip()), "-")
    return Message.of("explain.ended", path=path, text=last[:200])
