"""Kernels of other people's repositories: a manifest says which lines of a file, launched how, on what.

`FOLDER/kernels.toml` holds one `[[file]]` for each file of a repository under FOLDER/OWNER+NAME:

    path = "OWNER/NAME/folder/file.cu"
    lines = "96-565"                            # what is taken of it; else all
    with = "OWNER/NAME/folder/common.h:8-54"    # lines that come before
    header = ["assert.h"]                       # includes in place of the file's own
    defines = ["WIDTH 32"]
    launches = [["name", "float out[1024], const int index[1024]", "kernel<<<4, 256>>>(out, index, 1024)"]]

Nothing of these repositories is kept but the names of kernels, their launches and their counts.
"""

from __future__ import annotations

import re
import tomllib
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from onekernel.errors import UserError
from onekernel.messages import Message

_PARAMETER = re.compile(r"(const )?(\w+) (\w+)\[(\d+)\]")
_C_NAMES = {"bf16": "__nv_bfloat16", "uint": "unsigned", "uchar": "unsigned char"}
_VECTORS = {"float2": 2, "float4": 4, "uint4": 4}
_LESS_THAN = 64  # whole numbers: indices into small tables


@dataclass(frozen=True)
class Tensor:
    """A parameter of a launcher: its type as the manifest calls it and how many elements it has."""

    name: str
    kind: str
    elements: int
    constant: bool

    def values(self) -> np.ndarray:
        """The same numbers on every machine: normally distributed, or whole numbers below 64; bfloat16 as its bits."""
        rng = np.random.default_rng(zlib.crc32(self.name.encode()))
        count = self.elements * _VECTORS.get(self.kind, 1)
        if self.kind.startswith(("int", "uint")):
            return rng.integers(0, _LESS_THAN, count, dtype=np.int32)
        if self.kind == "uchar":
            return rng.integers(0, _LESS_THAN, count, dtype=np.uint8)
        made = rng.standard_normal(count, dtype=np.float32)
        if self.kind == "bf16":
            return (made.view(np.uint32) >> 16).astype(np.uint16)
        kinds: dict[str, type] = {"half": np.float16, "double": np.float64}
        return np.asarray(made.astype(kinds.get(self.kind, np.float32)))


@dataclass(frozen=True)
class Launch:
    """One launch of a kernel: its name, the launcher's name, its tensors, the call."""

    name: str
    function: str
    tensors: tuple[Tensor, ...]
    call: str


@dataclass(frozen=True)
class OtherFile:
    """A file of a repository with what of it is compiled and its launches. `stem`: of the files made of it."""

    path: str
    stem: str
    text: str
    launches: tuple[Launch, ...]

    @property
    def repository(self) -> str:
        return "/".join(self.path.split("/")[:2])


def files_of(folder: Path) -> list[OtherFile]:
    """What the manifest of a folder lists. Raises UserError where there is none, or it cannot be read."""
    manifest = folder / "kernels.toml"
    try:
        data = tomllib.loads(manifest.read_text(encoding="utf-8"))
        return [_file(folder, number, entry) for number, entry in enumerate(data["file"]) if entry["launches"]]
    except (OSError, KeyError, ValueError) as error:
        raise UserError(Message.of("profile.agreement-manifest", file=str(manifest), why=str(error))) from error


def _file(folder: Path, number: int, entry: dict[str, Any]) -> OtherFile:
    launches = tuple(_launch(k, *parts) for k, parts in enumerate(entry["launches"]))
    lines = [f"#include <{h}>" for h in ("cuda_runtime.h", "stdio.h", "math.h", "float.h", *entry.get("header", ()))]
    lines += [f"#define {d}" for d in entry.get("defines", ())]
    if "with" in entry:
        lines += _taken(folder, *entry["with"].split(":"))
    lines += _taken(folder, entry["path"], entry.get("lines", ""))
    lines += ['#line 1 "launchers"', *(_launcher(one) for one in launches)]
    stem = re.sub("[^a-z0-9]+", "_", Path(entry["path"]).stem.lower())
    return OtherFile(entry["path"], f"k{number:02d}_{stem}", "\n".join(lines) + "\n", launches)


def _taken(folder: Path, path: str, ranges: str) -> list[str]:
    owner, name, rest = path.split("/", 2)
    text = (folder / f"{owner}+{name}" / rest).read_text(encoding="utf-8").splitlines()
    out = []
    for part in (ranges or f"1-{len(text)}").split(","):
        first, last = map(int, part.split("-"))
        out.append(f'#line {first} "{Path(rest).name}"')
        out += ["//" + line if line.lstrip().startswith("#include") else line for line in text[first - 1 : last]]
    return out


def _launch(number: int, name: str, parameters: str, call: str) -> Launch:
    tensors = []
    for text in parameters.split(", "):
        match = _PARAMETER.fullmatch(text)
        if match is None:
            raise ValueError(text)
        tensors.append(Tensor(match[3], match[2], int(match[4]), bool(match[1])))
    return Launch(name, f"launch_{number}", tuple(tensors), call)


def _launcher(one: Launch) -> str:
    parameters = [f"{'const ' if t.constant else ''}{_C_NAMES.get(t.kind, t.kind)}* {t.name}" for t in one.tensors]
    body = f"{{ {one.call}; return cudaGetLastError(); }}"
    return f'extern "C" cudaError_t {one.function}({", ".join(parameters)}, cudaStream_t) {body}'
