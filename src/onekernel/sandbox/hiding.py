"""Closes files to reading: what a submission could copy, which are answers, the tests and what others handed in.

Landlock knows rules that allow, and none that forbid. So everything is allowed but what lies on the way to a hidden
path, of which all other entries are allowed one by one. What appears there later stays closed: nobody has to know of
it. The names of files can still be listed while a build runs, and no longer when the submission does.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import onekernel
from onekernel.backends.cache import cache_folder
from onekernel.sandbox import landlock
from onekernel.simulator.facts.includes import may_read

PACKAGE = Path(onekernel.__path__[0])
# The modules that know an oracle, an answer or a verdict; the untrusted side imports none (tests/unit/test_imports.py).
ANSWERS = ("ops", "bench", "grading", "checks", "labs", "report", "course", "minigpt.model", "minigpt.storage",
           "minigpt.port_check", "minigpt.debugger", "minigpt.causes")  # fmt: skip
SECRETS = ("/dev", "/etc/shadow", "/etc/gshadow", "/etc/ssh", "/etc/ssl/private", "/root", "/run/secrets")
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/shm", "/dev/dxg")
TOLD = ("/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/driver", "/proc/devices", "/proc/sys")
MOST_BESIDE = 5000  # files and folders beneath that of a `.cu` that are looked at


def from_build(hidden: Iterable[Path], source: Path, folder: Path) -> bool:
    """Closes `hidden`, the answers in this package, the jobs of others, the user's home, the machine's devices and
    secrets and what /proc tells of processes, such as a seed on the grader's command line, to this process, the
    compilers that it starts and the submission; what a compiler needs, the `source` with what it names of its folder
    and the job's `folder` stay open. Returns whether the system can."""
    jobs = [p for p in folder.parent.glob("onekernel-*") if p != folder]
    needed = [*_beside(source), folder, cache_folder(), PACKAGE.parent, Path(sys.prefix), Path(sys.base_prefix)]
    needed += [Path(p) for p in sys.path if p]
    needed += [*_toolchain(), *map(Path, DEVICES), *Path("/dev").glob("nvidia*"), *Path("/dev").glob("dri/*")]
    needed += map(Path, TOLD)
    if landlock.gpu_nodes():  # NVIDIA's driver reads it as it starts; else cuInit says that memory is out (580.159)
        needed.append(Path("/proc/self/maps"))
    closed = [*hidden, *_answers(), *jobs, _home(), Path("/proc"), *map(Path, SECRETS)]
    return landlock.only_in(_open(closed, needed), landlock.READ_FILE)


def from_submission() -> bool:
    """Closes what earlier builds left, other submissions' among them, to listing: a library is found by its name, which
    only its own process knows. And all that /proc tells of processes: the memory of this one is a file there, which no
    protection of its pages covers. Returns whether the system can."""
    listed = list(_open([cache_folder()], []))  # before the second: it closes folders on the way
    told = list(_open([Path("/proc")], map(Path, TOLD)))
    return landlock.only_in(listed, landlock.READ_DIR) and landlock.only_in(told, landlock.READ_FILE)


def _beside(source: Path) -> list[Path]:
    """What a submission may read where it lies, though that is hidden: what its result depends on (cohort/keys.py)."""
    if source.suffix != ".cu":
        return [source.parent]
    beneath = islice(source.parent.rglob("*"), MOST_BESIDE)
    beside = [str(p.relative_to(source.parent)) for p in beneath if p.is_file()]
    return [source.parent / name for name in sorted(may_read(source.parent, source.name, beside))]


def _home() -> Path:
    """The user's, where it is one: root's may be the whole file system in a container."""
    home = Path(os.path.expanduser("~"))
    return home if home.is_absolute() and len(home.parts) > 1 else Path("/nonexistent")


def _toolchain() -> Iterator[Path]:
    """Where programs and libraries lie that the environment names, with what was installed beside them."""
    home = _home()
    for variable in ("PATH", "LD_LIBRARY_PATH", "CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV"):
        for name in filter(None, os.environ.get(variable, "").split(os.pathsep)):
            at = Path(os.path.realpath(name))
            beside = at.parent if at.name in ("bin", "lib", "lib64") else at
            yield at if beside == home or beside in home.parents else beside
    for variable in ("ONEKERNEL_CXX", "CXX"):
        if found := shutil.which(os.environ.get(variable, "")):
            yield Path(os.path.realpath(found)).parent.parent


def _answers() -> Iterator[Path]:
    for name in ANSWERS:
        stem = PACKAGE.joinpath(*name.split("."))
        yield from (stem, stem.with_suffix(".py"), *(stem.parent / "__pycache__").glob(f"{stem.name}.*.pyc"))


def _open(hidden: Iterable[Path], needed: Iterable[Path]) -> Iterator[str]:
    """The largest trees without a hidden path in them. A needed path within a hidden one is open, and the other way."""
    marks = {os.path.realpath(p): False for p in hidden} | {os.path.realpath(p): True for p in needed}
    return _trees("/", True, marks)


def _trees(at: str, is_open: bool, marks: dict[str, bool]) -> Iterator[str]:
    is_open = marks.get(at, is_open)
    beneath = at.rstrip("/") + "/"
    marks = {name: mark for name, mark in marks.items() if name.startswith(beneath) and name != at}
    inside = {name.removeprefix(beneath).split("/")[0] for name in marks}
    if all(mark == is_open for mark in marks.values()):
        if is_open:
            yield at
        return
    try:
        names = set(os.listdir(at)) if is_open else inside
    except OSError:
        names = inside  # a folder that cannot be listed, as others' homes are
    for name in sorted(names):
        yield from _trees(beneath + name, is_open, marks)
