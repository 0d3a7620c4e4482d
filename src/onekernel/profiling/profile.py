"""A profile of one launch as it is kept: what ncu counted, of which file, where and when."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from onekernel import comments
from onekernel.counts import KernelCounts


@dataclass(frozen=True)
class Profile:
    """What ncu saw of one call: its kernels, and what the call had to do at the least (bytes, FLOPs)."""

    slug: str
    operator: str
    shape: tuple[int, ...]
    dtype: str
    device: Mapping[str, Any]
    versions: Mapping[str, str]
    date: str
    command: str
    ideal_read: int
    ideal_written: int
    flops: int
    kernels: tuple[KernelCounts, ...]
    source: Mapping[str, str] | None = None  # path, sha256 of the file and of its code; None for a library's kernel

    def of_this(self, path: Path) -> bool | None:
        """Whether the file at `path` has the code that was profiled, each line at its number; comments may differ. None
        where the profile does not say."""
        return None if self.source is None else self.source["code"] == comments.code_hash(path)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Profile:
        """Reads what `to_json` wrote. Raises KeyError, TypeError or ValueError for anything else."""
        values = {name: data[name] for name in cls.__dataclass_fields__ if name != "source"}
        values["source"] = data.get("source")  # profiles made before 2026-11-21, 16:00, do not have it
        values["shape"] = tuple(int(n) for n in data["shape"])
        values["kernels"] = tuple(KernelCounts.from_json(kernel) for kernel in data["kernels"])
        return cls(**values)


def load(path: Path) -> Profile:
    """A committed profile. Raises KeyError, TypeError or ValueError for a file that is none."""
    return Profile.from_json(json.loads(path.read_text(encoding="utf-8")))


def described(source: Path | None) -> dict[str, str] | None:
    """What a profile keeps of its source: its path from solutions/ on, or the last two parts of it, and its hashes."""
    if source is None:
        return None
    parts = source.parts
    start = len(parts) - 1 - parts[::-1].index("solutions") if "solutions" in parts else len(parts) - 2
    return {"path": "/".join(parts[start:]), "sha256": comments.sha256(source), "code": comments.code_hash(source)}


def file_stem(slug: str) -> str:
    """The name of a slug's files: "F.softmax" -> "f_softmax"."""
    return slug.lower().replace(".", "_").replace("/", "_")
