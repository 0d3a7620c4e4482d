"""What the untrusted process takes from itself before it runs a submission: limits, new privileges, the file system.

Landlock (Linux 5.13 and newer, no privilege needed) leaves it able to write in its own job folder and nowhere else,
and, where the kernel knows how, unable to signal processes outside or to open TCP connections. It closes them to the
thread that asks for it and to those started later: the worker asks while it has one thread. Source of the numbers:
include/uapi/linux/landlock.h and the kernel's documentation, "Landlock: unprivileged access control".
"""

from __future__ import annotations

import ctypes
import os
import resource
import stat
from collections.abc import Iterable
from pathlib import Path

from onekernel.backends.cache import BUILT_BYTES
from onekernel.sandbox import seccomp

MEMORY_BYTES = 16 << 30
FILE_BYTES = 64 << 20
OPEN_FILES = 256
FILES, CALLS = "files", "calls"

_PR_SET_NO_NEW_PRIVS = 38
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on x86-64 and aarch64
_GET_VERSION, _PATH_BENEATH = 1, 1
_WRITES = {  # access rights by the Landlock version that brought them
    1: sum(1 << bit for bit in (1, 4, 5, 6, 7, 8, 9, 10, 11, 12)),  # write, remove, make
    2: 1 << 13,  # refer: to move a file to another folder
    3: 1 << 14,  # truncate
}
READ_FILE, READ_DIR = 1 << 2, 1 << 3
_MOVE = _WRITES[2]
_NODES = 1 << 6 | 1 << 11  # device files, which root can make
_REMOVES = 1 << 4 | 1 << 5  # folders, files; a rename removes, too
_TCP_BIND_CONNECT = 3  # version 4
_SCOPE_SOCKET_AND_SIGNAL = 3  # version 6


class _Ruleset(ctypes.Structure):
    _fields_ = [("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64)]


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = [("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32)]


def gpu_nodes() -> list[Path]:
    """The driver's device nodes, on Linux and under WSL2; none on a machine without an NVIDIA GPU."""
    return sorted([*Path("/dev").glob("nvidia*"), *Path("/dev").glob("dxg")])


def landlock_version() -> int:
    """The kernel's Landlock version; 0 where it has none."""
    libc = ctypes.CDLL(None, use_errno=True)
    return max(0, int(libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _GET_VERSION)))


def confine(
    writable: Iterable[Path], *, kept: Path | None = None, limit_memory: bool = True, file_bytes: int = FILE_BYTES,
    alone: bool = False, on_gpu: bool = False,
) -> frozenset[str]:
    """Limits this process for good. Returns the walls that stand: FILES, the file system is closed to it outside
    `writable`; CALLS, system calls are refused.

    In `kept`, one of those folders, nothing can be removed: a file that is open and has no name takes room unseen.
    `limit_memory` is False for CUDA and for sanitizers, which reserve far more addresses than they use. `alone`: it may
    start no threads. `on_gpu`: what NVIDIA's driver calls when it starts is not refused yet.
    """
    limit(resource.RLIMIT_CORE, 0)
    limit(resource.RLIMIT_FSIZE, file_bytes)
    limit(resource.RLIMIT_NOFILE, OPEN_FILES)
    if limit_memory:
        limit(resource.RLIMIT_DATA, MEMORY_BYTES)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    closed = _landlock(libc, writable, kept)
    refused = seccomp.refuse(on_gpu=on_gpu, alone=alone)
    stand = {FILES: closed, CALLS: refused}
    return frozenset(wall for wall, stands in stand.items() if stands)


def limit(what: int, most: int, beyond: int = 0) -> None:
    """Limits this process for good: to `most` of what a RLIMIT counts, which nothing raises above `beyond` more; to
    less where whoever started the grader has set less."""
    _, hard = resource.getrlimit(what)
    resource.setrlimit(what, (_within(hard, most), _within(hard, most + beyond)))


def only_in(trees: Iterable[str], right: int) -> bool:
    """Leaves this thread, and all that it starts, one right within `trees` alone: READ_FILE, or READ_DIR to list
    folders. For good. Returns whether the kernel does so."""
    libc = ctypes.CDLL(None, use_errno=True)
    if landlock_version() < 2:  # the first one let nobody move a file to another folder, as builds do
        return False
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    fd = libc.syscall(_CREATE_RULESET, ctypes.byref(_Ruleset(right | _MOVE)), ctypes.c_size_t(8), 0)
    if fd < 0:
        return False
    try:
        for path in trees:
            try:
                parent = os.open(path, os.O_PATH | os.O_CLOEXEC | os.O_NOFOLLOW)
            except OSError:
                continue  # gone meanwhile, or nobody's to open
            here = right | _MOVE if stat.S_ISDIR(os.fstat(parent).st_mode) else right & READ_FILE
            if here:
                libc.syscall(_ADD_RULE, fd, _PATH_BENEATH, ctypes.byref(_Beneath(here, parent)), 0)
            os.close(parent)
        return bool(libc.syscall(_RESTRICT_SELF, fd, 0) == 0)
    finally:
        os.close(fd)


def limit_build(*, memory: bool) -> None:
    """Limits the compilers that this process starts, until `confine`: a line of C++ can ask for a file of terabytes."""
    limits = {resource.RLIMIT_FSIZE: BUILT_BYTES} | ({resource.RLIMIT_DATA: MEMORY_BYTES} if memory else {})
    for what, most in limits.items():
        lower(what, most)


def lower(what: int, most: int) -> None:
    """Limits this process, until it takes that back, to `most` of what a RLIMIT counts, or to less as `limit` does."""
    _, hard = resource.getrlimit(what)
    resource.setrlimit(what, (_within(hard, most), hard))


def _within(hard: int, most: int) -> int:
    return most if hard == resource.RLIM_INFINITY else min(most, hard)


def _landlock(libc: ctypes.CDLL, writable: Iterable[Path], kept: Path | None) -> bool:
    version = landlock_version()
    if version == 0:
        return False
    rights = sum(bits for since, bits in _WRITES.items() if version >= since)
    network = _TCP_BIND_CONNECT if version >= 4 else 0
    ruleset = _Ruleset(rights, network, _SCOPE_SOCKET_AND_SIGNAL if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    fd = libc.syscall(_CREATE_RULESET, ctypes.byref(ruleset), ctypes.c_size_t(size), 0)
    if fd < 0:
        return False
    try:
        for path in writable:
            parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
            is_folder = Path(path).is_dir()
            within = rights & ~_NODES
            allowed = within & ~_REMOVES if path == kept else within if is_folder else rights & ((1 << 1) | (1 << 14))
            rule = _Beneath(allowed, parent)
            failed = libc.syscall(_ADD_RULE, fd, _PATH_BENEATH, ctypes.byref(rule), 0)
            os.close(parent)
            if failed:
                return False
        return bool(libc.syscall(_RESTRICT_SELF, fd, 0) == 0)
    finally:
        os.close(fd)
