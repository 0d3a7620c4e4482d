"""A run of NVIDIA's compiler: what is compiled and under which name it is kept, the command, its limits."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from onekernel.backends.base import Unavailable
from onekernel.backends.cache import cache_folder, prune, used
from onekernel.cuda.nvcc import Nvcc
from onekernel.messages import Message

FLAGS = ("-std=c++17", "-lineinfo", "--expt-relaxed-constexpr")  # with torch's own, what the GPU backend builds with
CPU_SECONDS, CLOCK_SECONDS = 120, 600
# What nvcc only warns of, although the host then reads and writes a copy of its own: device variables.
_ERRORS = ("--diag-error=20091,20092",)
_KEPT_BYTES = 256 << 20
_QUOTED = re.compile(rb'^\s*#\s*include\s*"([^"\n]+)"', re.MULTILINE)
_STOPPED = re.compile(r"died due to signal|CPU time limit")

Ask = Callable[[bytes, tuple[str, ...], Path], dict[str, Any]]


def _flags(arch: str, options: Sequence[str]) -> tuple[str, ...]:
    """What a file is compiled with for the card `arch` ("sm_80"); `options`: more, among which may be a standard."""
    standard = any(option.startswith("-std=") for option in options)
    own = [flag for flag in FLAGS if not (standard and flag.startswith("-std="))]
    return (f"-gencode=arch=compute_{arch.removeprefix('sm_')},code={arch}", *own, *_ERRORS, *options)


def _sources(path: Path, seen: frozenset[Path] = frozenset()) -> Iterator[tuple[Path, bytes]]:
    """The file and those that it includes in quotes, in turn."""
    source = path.read_bytes()
    yield path, source
    for match in _QUOTED.finditer(source):
        target = (path.parent / os.fsdecode(match[1])).resolve()
        if target.is_file() and target not in seen | {path}:
            yield from _sources(target, seen | {path})


def _key(path: Path, read: dict[Path, bytes], flags: tuple[str, ...], compiler: Nvcc, recipe: str) -> str:
    """What an answer depends on, `recipe` among it: the module that asks."""
    digest = hashlib.sha256("\0".join([path.name, compiler.identity, *flags, os.environ.get("PATH", "")]).encode())
    for name, source in read.items():
        digest.update(b"\0" + os.fsencode(name.name) + b"\0" + source)
    for module in (__file__, recipe):
        digest.update(Path(module).read_bytes())
    return digest.hexdigest()[:20]


def cached(
    path: Path, arch: str, compiler: Nvcc, recipe: str, ask: Ask, files: Iterable[Path] = (),
    options: Sequence[str] = (),
) -> dict[str, Any]:  # fmt: skip
    """What `ask` answers of the file's bytes, flags and a folder to work in: asked once for each content (of `files`
    too, which it includes), architecture, options, compiler and `recipe`, the module that asks. What it raises is not
    cached."""
    read, flags = dict(_sources(path)), _flags(arch, options)
    read |= {file: file.read_bytes() for file in files if file.is_file()}
    folder = cache_folder("nvcc")
    kept = folder / f"{path.stem}-{_key(path, read, flags, compiler, recipe)}.json"
    if used(kept):
        known: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
        return known
    with tempfile.TemporaryDirectory(prefix="build-", dir=folder) as work:
        answer = ask(read[path], flags, Path(work))
        written = Path(work) / "answer.json"
        written.write_text(json.dumps(answer), encoding="utf-8")
        os.replace(written, kept)
    prune(folder, _KEPT_BYTES, suffix=".json")
    return answer


def command(path: Path, source: bytes, flags: tuple[str, ...], compiler: Nvcc, work: Path) -> tuple[list[str], Path]:
    """The command that compiles a copy of `path` in the folder `work`, and the folder in which it leaves its parts."""
    copy = work / path.name  # what is compiled is what was hashed, even if the learner saves meanwhile
    copy.write_bytes(source)
    out = work / "kept"
    out.mkdir()
    where = ("--keep", "--keep-dir", str(out), "-o", str(work / "host.ii"), "-I", str(path.parent))
    how = (*flags, "-Xptxas", "-v", "-allow-unsupported-compiler", *_host_compiler())
    return [str(compiler.path), "-cuda", *where, *how, str(copy)], out


def limited(words: Sequence[str], work: Path) -> subprocess.CompletedProcess[str]:
    """Runs a command within limits. Raises Unavailable where they, or a signal, stopped it."""
    environment = {**os.environ, "LC_ALL": "C", "TMPDIR": str(work)}
    shell = ["/bin/sh", "-c", f'ulimit -S -t {CPU_SECONDS} 2>/dev/null; exec "$@"', "sh", *words]
    try:
        done = subprocess.run(shell, capture_output=True, text=True, errors="replace", env=environment, cwd=work,
                              stdin=subprocess.DEVNULL, timeout=CLOCK_SECONDS, check=False)  # fmt: skip
    except subprocess.TimeoutExpired:
        raise Unavailable(Message("cuda.nvcc-stopped")) from None
    signalled = done.returncode < 0 or 128 < done.returncode <= 192  # the latter as a shell tells it
    if signalled or _STOPPED.search(done.stderr):  # one of the compilers that nvcc starts
        raise Unavailable(Message("cuda.nvcc-stopped"))
    return done


def _host_compiler() -> list[str]:
    """nvcc asks for gcc; where another compiler is chosen or gcc is missing, it is told which."""
    chosen = os.environ.get("ONEKERNEL_CXX")
    if chosen is None and shutil.which("gcc") is None:
        chosen = next((name for name in ("g++", "clang++") if shutil.which(name)), None)
    return ["-ccbin", chosen] if chosen else []
