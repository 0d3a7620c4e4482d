"""A `.cu` file -> a shared library, built once for each content, card and compiler."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from onekernel.backends.base import BuildError, Finding
from onekernel.backends.cache import cache_folder, prune, used
from onekernel.backends.processors import compiling
from onekernel.cuda.diagnostics import findings_of_log
from onekernel.cuda.toolchain import Toolchain
from onekernel.messages import Message

# torch switches the operators of __half and __nv_bfloat16 off for its own sources; a learner's `a + b` needs them.
_OPERATORS_ON = [
    "-U__CUDA_NO_HALF_OPERATORS__",
    "-U__CUDA_NO_HALF_CONVERSIONS__",
    "-U__CUDA_NO_HALF2_OPERATORS__",
    "-U__CUDA_NO_BFLOAT16_CONVERSIONS__",
]
# The library needs the CUDA runtime and nothing of torch, so that a small process can load it too; a function that is
# called and defined nowhere is an error now, not when the library is loaded.
_LINKER = ["-Wl,--as-needed", "-Wl,--no-undefined"]
_SPLITS = "13."  # the CUDA whose nvcc was seen to do so


def library(path: Path, source: bytes, toolchain: Toolchain, defines: Sequence[str] = ()) -> Path:
    """The shared library of `source`, which was read from `path`. Raises BuildError with the lines at fault.

    The build runs in a folder of its own and the finished library is moved into place in one step: torch's lock file
    would stay behind, and stop every later build, if a time limit killed this process in the middle.
    """
    flags = [
        f"-gencode=arch=compute_{toolchain.arch},code=sm_{toolchain.arch}",
        "-std=c++17",
        "-lineinfo",
        *_OPERATORS_ON,
        *(f"-D{define}" for define in defines),
    ]
    name = f"onekernel_{_key(path.name, source, flags, toolchain)}"
    builds = cache_folder("cuda")
    kept = builds / f"{name}.so"
    if used(kept):
        return kept
    try:
        with tempfile.TemporaryDirectory(prefix=f"{name}.", dir=kept.parent) as folder:
            built = _build(name, path, source, flags, toolchain, Path(folder))
            os.replace(built, kept)
        prune(builds)
    except OSError as error:
        values = {"path": str(kept.parent), "error": error.strerror or str(error)}
        raise BuildError([Finding("cache-unwritable", Message("cuda.cache-unwritable", values), str(path))]) from error
    return kept


def _key(name: str, source: bytes, flags: list[str], toolchain: Toolchain) -> str:
    """Sixteen hex digits over everything that the library depends on."""
    nvcc = (toolchain.cuda_home / "bin" / "nvcc").resolve()
    parts = [name, *flags, *_LINKER, str(nvcc), str(nvcc.stat().st_mtime_ns), toolchain.torch_cuda]
    return hashlib.sha256("\0".join(parts).encode() + b"\0" + source).hexdigest()[:16]


def _build(name: str, path: Path, source: bytes, flags: list[str], toolchain: Toolchain, folder: Path) -> Path:
    import torch
    from torch.utils import cpp_extension

    copy = folder / path.name  # what is compiled is what was hashed, even if the learner saves meanwhile
    copy.write_bytes(source)
    home = toolchain.cuda_home
    runtime = _runtime_folder(home, folder)
    try:
        with _not_loaded(torch):
            cpp_extension.load(
                name,
                [str(copy)],
                is_python_module=False,
                extra_cuda_cflags=[*flags, *_threads(toolchain)],
                extra_ldflags=[*_LINKER, f"-L{runtime}", *(f"-Wl,-rpath,{place}" for place in _libraries(home))],
                build_directory=str(folder),
                verbose=False,
            )
    except (RuntimeError, OSError) as error:
        log = f"{error.__cause__ or ''}\n{error}"
        raise BuildError(findings_of_log(log, path), log) from error
    return folder / f"{name}.so"


def _threads(toolchain: Toolchain) -> list[str]:
    """Has nvcc optimise kernels side by side where processors are free: of 129 kernels of three solutions 126 were the
    same, byte for byte, and three as long (CUDA 13.0.88, sm_90); so it is no part of what a library is kept by."""
    threads = compiling()
    return [f"--split-compile={threads}"] if threads > 1 and toolchain.torch_cuda.startswith(_SPLITS) else []


@contextlib.contextmanager
def _not_loaded(torch: Any) -> Iterator[None]:
    """Lets `load` build without loading: a library's constructors are the submission's code, and a grader confines the
    process between the two. torch offers no such switch."""
    loader = torch.ops.load_library
    torch.ops.load_library = lambda path: None
    try:
        yield
    finally:
        torch.ops.load_library = loader


def _libraries(home: Path) -> tuple[Path, Path]:
    return home / "lib64", home / "lib"


def _runtime_folder(home: Path, folder: Path) -> Path:
    """A folder with libcudart.so. The wheels from pip bring only libcudart.so.N, which a linker does not look for."""
    for place in _libraries(home):
        if (place / "libcudart.so").exists():
            return place
    for found in sorted((home / "lib").glob("libcudart.so.*"), reverse=True):
        (folder / "libcudart.so").symlink_to(found)
        break
    return folder

