"""Where NVIDIA's compiler is on this machine: a toolkit, or the Python wheels that need no toolkit, no root, no GPU.

The wheels (`pip install -e ".[nvcc]"`) lie under site-packages/nvidia/cu13 as a toolkit does. Each part comes alone, so
that an upgrade of one can leave parts of two CUDA versions together, which fail in NVIDIA's own headers: such wheels
count as absent.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

_WHEELS = ("nvidia-cuda-nvcc", "nvidia-nvvm", "nvidia-cuda-crt", "nvidia-cuda-runtime")
_SYSTEM = Path("/usr/local/cuda")


@dataclass(frozen=True)
class Nvcc:
    """A compiler: its toolkit's folder, its version ("13.0"), and whether it comes from Python wheels."""

    home: Path
    version: str
    from_wheels: bool = False

    @property
    def path(self) -> Path:
        return self.home / "bin" / "nvcc"

    @property
    def identity(self) -> str:
        """What a build depends on."""
        real = self.path.resolve()
        return f"{real} {self.version} {real.stat().st_mtime_ns}"


@cache
def find() -> Nvcc | None:
    """The compiler to use: CUDA_HOME's or CUDA_PATH's, else the one on PATH, else /usr/local/cuda, else the wheels'."""
    for home in _toolkits():
        if os.access(home / "bin" / "nvcc", os.X_OK):
            return Nvcc(home, _version_of(home))
    return wheels() if mixed_wheels() is None else None


def wheels() -> Nvcc | None:
    """The compiler that came as Python wheels, whatever their versions."""
    spec = find_spec("nvidia")
    for place in (spec.submodule_search_locations or ()) if spec else ():
        for home in sorted(Path(place).glob("cu[0-9]*"), reverse=True):
            if os.access(home / "bin" / "nvcc", os.X_OK):
                return Nvcc(home, _wheel_versions().get(_WHEELS[0], "?"), from_wheels=True)
    return None


def mixed_wheels() -> dict[str, str] | None:
    """The wheels and their versions, where they are of several CUDA versions or one is missing; else None."""
    found = _wheel_versions()
    if not found.get(_WHEELS[0]):
        return None
    return found if len(set(found.values())) > 1 else None


def _wheel_versions() -> dict[str, str]:
    versions = {}
    for name in _WHEELS:
        try:
            versions[name] = ".".join(metadata.version(name).split(".")[:2])
        except metadata.PackageNotFoundError:
            versions[name] = ""
    return versions


def _toolkits() -> Iterator[Path]:
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if os.environ.get(variable):
            yield Path(os.environ[variable])
    on_path = shutil.which("nvcc")
    if on_path:
        yield _home_of(Path(on_path))
    yield _SYSTEM


def _home_of(nvcc: Path) -> Path:
    """The toolkit that an nvcc on PATH belongs to: it may be a link, or a script of two lines that names the other."""
    real = nvcc.resolve()
    if (real.parent / "nvcc.profile").is_file():
        return real.parent.parent
    if real.stat().st_size < 10_000:
        named = re.search(r"(/\S+)/bin/nvcc\b", real.read_text(encoding="utf-8", errors="replace"))
        if named:
            return Path(named[1])
    return real.parent.parent


def _version_of(home: Path) -> str:
    """The toolkit's version, from its headers: starting nvcc to ask takes longer."""
    for header in ("include/cuda.h", "include/cuda_runtime_api.h"):
        try:
            text = (home / header).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        found = re.search(r"#define\s+(?:CUDA_VERSION|CUDART_VERSION)\s+(\d+)", text)
        if found:
            return f"{int(found[1]) // 1000}.{int(found[1]) % 1000 // 10}"
    return "?"
