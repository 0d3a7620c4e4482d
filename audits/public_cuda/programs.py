"""Which files of a folder are whole programs, and what each of them needs beside a C++ compiler."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from onekernel.simulator.rewrite.conditionals import active
from onekernel.simulator.rewrite.tokens import tokenize

MOST_BYTES = 1 << 20  # of a file that somebody has written
_MAIN = re.compile(r"^[\w\s]*\bmain\s*\([^;{}]*\)\s*\{", re.MULTILINE)
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_INCLUDE = re.compile(r'#\s*include\s*[<"]([^>"\n]+)[>"]')
# What is neither CUDA's language, its runtime, nor one of the libraries that the simulator answers for.
_OTHERS = re.compile(
    r"cudnn|cufft|cusparse|cusolver|cutensor|cublasLt|cublasXt|curand_mtgp|nccl|nvrtc|nvml|nvjpeg|nppi?[._]|cupti|"
    r"cutlass|cute/|torch/|ATen|c10/|pybind11|mpi\.h|GL/|glut|glfw|GLFW|vulkan|EGL|X11/|opencv|opencv2|cv\.h|Python\.h|"
    r"cudaGL|cuda_gl_interop|cuda_d3d|cudaEGL|optix|hdf5|nvgraph|FreeImage|raft/|rmm/|cudf|cooperative_groups/details|"
    r"png\.h|jpeglib|SDL|windows\.h|Windows\.h|sys/sysctl|omp-tools|numpy/"
)
_DRIVER = re.compile(r"\bcu(?:Init|Ctx|Device|Module|Mem|Launch|Func|Link|Library|Kernel|Array|Tex)[A-Z]?\w*\s*\(")
_NEAR = ("", "include", "inc", "common", "Common")
HEADER_FOLDERS = (*_NEAR, *(f"{up}{name}" for up in ("../", "../../", "../../../") for name in _NEAR))


@dataclass(frozen=True)
class Candidate:
    """A file with main(), the repository it is from, where its headers may lie, and a library that nobody has."""

    path: Path
    root: Path
    folders: tuple[Path, ...]
    needs: str

    @property
    def name(self) -> str:
        return self.path.relative_to(self.root).as_posix()


def candidates(roots: Iterable[Path]) -> Iterator[Candidate]:
    """Every program below `roots`, in the order of their paths."""
    for root in roots:
        for path in sorted(root.rglob("*.cu")):
            if not path.is_file() or path.stat().st_size > MOST_BYTES:
                continue
            text = _COMMENT.sub(" ", path.read_text(encoding="utf-8", errors="replace"))
            if _MAIN.search(text):
                folders = _folders(path, root)
                yield Candidate(path, root, folders, _library(path, folders))


def helpers(path: Path) -> list[Path]:
    """Files beside `path` without main(), which it may need to be linked with."""
    found = []
    for other in sorted(path.parent.iterdir()):
        if other != path and other.suffix in (".cu", ".cpp", ".cc") and other.is_file():
            text = _COMMENT.sub(" ", other.read_text(encoding="utf-8", errors="replace"))
            if not _MAIN.search(text):
                found.append(other)
    return found


def _folders(path: Path, root: Path) -> tuple[Path, ...]:
    found = dict.fromkeys((path.parent / name).resolve() for name in HEADER_FOLDERS)
    return tuple(f for f in found if f.is_dir() and f.is_relative_to(root.resolve()))


def _library(path: Path, folders: tuple[Path, ...]) -> str:
    """The first header of a library that nobody has, or call of the driver, in the file and its own headers."""
    seen, todo = set(), [path]
    while todo:
        file = todo.pop()
        if file in seen:
            continue
        seen.add(file)
        tokens = active(tokenize(file.read_text(encoding="utf-8", errors="replace")))
        text = "".join(" " if t.kind == "space" else t.text for t in tokens)
        if called := _DRIVER.search(text):
            return called[0]
        for name in _INCLUDE.findall(text):
            own = next((f / name for f in (file.parent, *folders) if (f / name).is_file()), None)
            if own is not None:
                todo.append(own.resolve())
            elif _OTHERS.search(name):
                return str(name)
    return ""
