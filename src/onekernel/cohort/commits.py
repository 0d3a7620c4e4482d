"""The date of a clone's last commit, read without its configuration: a student's .git/config can name programs."""

from __future__ import annotations

import datetime
import os
import re
import subprocess
import tempfile
from pathlib import Path

SECONDS = 4
_BYTES = 1 << 20
_ALLOCATED = "16m"  # of git at once: a commit of some thousand bytes may say that it unpacks to gigabytes
_HASH = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_REF = re.compile(r"refs/[\w./-]+")


def date(folder: Path) -> str:
    """When the commit that is checked out in `folder` was made, ISO 8601; empty where that cannot be read."""
    git = folder / ".git"
    if not os.path.isdir(git) or git.is_symlink() or (git / "objects").is_symlink():
        return ""
    commit = _head(git)
    if commit is None:
        return ""
    try:
        with tempfile.TemporaryDirectory(prefix="onekernel-git-") as ours:
            env = {"PATH": os.environ.get("PATH", os.defpath), "HOME": ours, "LC_ALL": "C"}
            env |= {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_ALLOC_LIMIT": _ALLOCATED}
            _git(["init", "-q", "--bare", ours], env)
            env["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = _quoted(str((git / "objects").resolve()))
            said = _git([f"--git-dir={ours}", "cat-file", "commit", commit], env)
    except (OSError, subprocess.SubprocessError):
        return ""
    found = re.search(rb"^committer .*> (\d{1,12}) ([+-])(\d\d)(\d\d)$", said[:_BYTES], re.MULTILINE)
    if not found:
        return ""
    offset = datetime.timedelta(hours=int(found[3]), minutes=int(found[4])) * (-1 if found[2] == b"-" else 1)
    try:
        return datetime.datetime.fromtimestamp(int(found[1]), datetime.timezone(offset)).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        return ""


def _quoted(path: str) -> str:
    """A path as git reads one in a list that is parted by colons."""
    path = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{path}"'


def _git(words: list[str], env: dict[str, str]) -> bytes:
    return subprocess.run(["git", *words], env=env, check=True, capture_output=True, timeout=SECONDS).stdout


def _head(git: Path) -> str | None:
    """The hash that HEAD stands for."""
    head = _read(git / "HEAD").strip()
    if _HASH.fullmatch(head):
        return head
    name = head.removeprefix("ref: ")
    if not _REF.fullmatch(name) or ".." in name:
        return None
    loose = _read(git / name).strip()
    if _HASH.fullmatch(loose):
        return loose
    packed = (line.split(" ", 1) for line in _read(git / "packed-refs").splitlines() if " " in line)
    return next((h for h, ref in packed if ref == name and _HASH.fullmatch(h)), None)


def _read(path: Path) -> str:
    if path.is_symlink() or not path.is_file():
        return ""
    with path.open("rb") as file:
        return file.read(_BYTES).decode("utf-8", "replace")
