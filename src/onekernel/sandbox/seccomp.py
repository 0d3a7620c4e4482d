"""System calls that a submission is refused: those that Landlock leaves open and no kernel launch needs.

Sockets are refused, so that nothing is sent and no local service is asked, and files without a name (O_TMPFILE), which
the watch over the disk would not see. NVIDIA's driver may use sockets of this machine (AF_UNIX) and files in memory
when it starts: on a GPU these are refused from then on, before a line of the submission runs.
Landlock does not govern modes, owners, times and attributes of files, the limits and priority of other processes, or
reading another process's memory (Linux documentation, "Landlock: unprivileged access control", "Current limitations"),
nor what has no path: segments, semaphores and queues of System V, and queues of POSIX, stay after their process.
A seccomp filter (seccomp(2)) refuses these with EPERM, in every thread of the process. Numbers: asm/unistd_64.h
(x86-64) and asm-generic/unistd.h (aarch64).
"""

from __future__ import annotations

import ctypes
import platform
import struct

# name -> (x86-64, aarch64); None where the architecture has no such call
_REFUSED: dict[str, tuple[int | None, int | None]] = {
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452),
    "chown": (92, None), "fchown": (93, 55), "lchown": (94, None), "fchownat": (260, 54),
    "utime": (132, None), "utimes": (235, None), "futimesat": (261, None), "utimensat": (280, 88),
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7),
    "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "pidfd_getfd": (438, 438),
    "mount": (165, 40), "umount2": (166, 39), "unshare": (272, 97), "setns": (308, 268), "reboot": (169, 142),
    "bpf": (321, 280), "perf_event_open": (298, 241), "io_uring_setup": (425, 425),
    "init_module": (175, 105), "finit_module": (313, 273), "settimeofday": (164, 170), "clock_settime": (227, 112),
    "adjtimex": (159, 171), "clock_adjtime": (305, 266),
    "userfaultfd": (323, 282), "mknod": (133, None), "mknodat": (259, 33), "kexec_load": (246, 104),
    "open_by_handle_at": (304, 265), "name_to_handle_at": (303, 264), "quotactl": (179, 60), "swapon": (167, 224),
    "acct": (163, 89), "pivot_root": (155, 41), "chroot": (161, 51), "move_mount": (429, 429), "fsopen": (430, 430),
    "open_tree": (428, 428), "syslog": (103, 116), "process_madvise": (440, 440), "fanotify_init": (300, 262),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195), "semget": (64, 190), "semctl": (66, 191),
    "semop": (65, 193), "semtimedop": (220, 192), "msgget": (68, 186), "msgsnd": (69, 189), "msgrcv": (70, 188),
    "msgctl": (71, 187), "mq_open": (240, 180), "mq_unlink": (241, 181),
    "personality": (135, 92), "modify_ldt": (154, None), "iopl": (172, None), "ioperm": (173, None),
    "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "memfd_secret": (447, 447),
    "setpriority": (141, 140), "ioprio_set": (251, 30), "openat2": (437, 437),
}  # fmt: skip
# A copy of this process would have a copy of every count that is kept here: of what a host may learn of device memory.
# A program may be started: its process shares this memory until it is that program, while this one waits (vfork).
_FORK, _CLONE, _CLONE3 = (57, None), (56, 220), (435, 435)
# Threads: where nothing needs one, nobody else looks into device memory while a kernel runs.
_CLONE_VM, _CLONE_VFORK, _CLONE_THREAD = 0x100, 0x4000, 0x10000
# Refused unless their first argument, a process, is 0: the caller itself.
_OF_ITSELF: dict[str, tuple[int, int]] = {
    "prlimit64": (302, 261), "sched_setaffinity": (203, 122),
    "sched_setscheduler": (144, 119), "sched_setparam": (142, 118), "sched_setattr": (314, 274),
}  # fmt: skip
_SOCKET, _SOCKETPAIR = (41, 198), (53, 199)
# Files without a path, in memory that no limit of this process counts.
_MEMFD_CREATE = (319, 279)
_AF_UNIX = 1
_OPENS = {1: (2, None), 2: (257, 56)}  # which argument holds the flags -> open, openat
_O_TMPFILE = 0x400000  # __O_TMPFILE, without O_DIRECTORY
_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # column above, AUDIT_ARCH
_SECCOMP = {"x86_64": 317, "aarch64": 277}
_SET_MODE_FILTER, _TSYNC = 1, 1
_X32 = 0x40000000
_ALLOW, _EPERM, _ENOSYS = 0x7FFF0000, 0x00050001, 0x00050026  # SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO | ...
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06  # BPF: ld [k], jeq, jge, jset, ret
_NUMBER, _ARCH, _FIRST_LOW, _FIRST_HIGH = 0, 4, 16, 20  # offsets in struct seccomp_data, little-endian


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def refuse(*, on_gpu: bool = False, alone: bool = False) -> bool:
    """Closes those calls to this process for good; it must have given up new privileges. `on_gpu`: what NVIDIA's driver
    may use when it starts stays, copies of the process among it. `alone`: it may start no threads. Returns whether it
    worked."""
    machine = platform.machine()
    if machine not in _ARCHITECTURES:
        return False
    code = program(*_ARCHITECTURES[machine], on_gpu=on_gpu, alone=alone)
    libc = ctypes.CDLL(None, use_errno=True)
    filled = _Program(len(code) // 8, code)
    return bool(libc.syscall(_SECCOMP[machine], _SET_MODE_FILTER, _TSYNC, ctypes.byref(filled)) == 0)


def program(column: int, architecture: int, *, on_gpu: bool = False, alone: bool = False) -> bytes:
    """The filter as BPF instructions: (code, jump if true, jump if false, k), 8 bytes each."""
    out = [(_LOAD, 0, 0, _ARCH), (_EQUAL, 1, 0, architecture), (_RETURN, 0, 0, _EPERM), (_LOAD, 0, 0, _NUMBER)]
    if column == 0:  # the same calls have a second set of numbers
        out += [(_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _EPERM)]
    for numbers in _REFUSED.values():
        number = numbers[column]
        if number is not None:
            out += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _EPERM)]
    if not on_gpu:
        for number in (_MEMFD_CREATE[column], _SOCKETPAIR[column]):
            out += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _EPERM)]
    for numbers in _OF_ITSELF.values():
        out += [
            (_EQUAL, 0, 6, numbers[column]),
            (_LOAD, 0, 0, _FIRST_LOW), (_EQUAL, 0, 3, 0),
            (_LOAD, 0, 0, _FIRST_HIGH), (_EQUAL, 0, 1, 0),
            (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _EPERM),
        ]  # fmt: skip
    out += [] if on_gpu else _no_copies(column)
    out += _no_threads(column) if alone else []
    family = _AF_UNIX if on_gpu else 0  # AF_UNSPEC: no socket has it
    out += [
        (_EQUAL, 0, 4, _SOCKET[column]),
        (_LOAD, 0, 0, _FIRST_LOW), (_EQUAL, 0, 1, family), (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _EPERM),
    ]  # fmt: skip
    for argument, opens in _OPENS.items():
        number = opens[column]
        if number is not None:
            flags = _FIRST_LOW + 8 * argument
            out += [
                (_EQUAL, 0, 4, number),
                (_LOAD, 0, 0, flags), (_ANY_BIT, 0, 1, _O_TMPFILE), (_RETURN, 0, 0, _EPERM), (_RETURN, 0, 0, _ALLOW),
            ]  # fmt: skip
    out.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in out)


_Instruction = tuple[int, int, int, int]


def _no_copies(column: int) -> list[_Instruction]:
    """Refuses a process that has its memory for itself. Leaves the number of the call loaded."""
    fork = _FORK[column]
    out = [(_EQUAL, 0, 1, fork), (_RETURN, 0, 0, _EPERM)] if fork is not None else []
    return [
        *out,
        (_EQUAL, 0, 1, _CLONE3[column]), (_RETURN, 0, 0, _ENOSYS),  # its flags lie in memory: clone is tried next
        (_EQUAL, 0, 4, _CLONE[column]),
        (_LOAD, 0, 0, _FIRST_LOW), (_ANY_BIT, 1, 0, _CLONE_VM), (_RETURN, 0, 0, _EPERM), (_LOAD, 0, 0, _NUMBER),
    ]  # fmt: skip


def _no_threads(column: int) -> list[_Instruction]:
    """Refuses whatever would run beside this process in the same memory. Leaves the number of the call loaded."""
    return [
        (_EQUAL, 0, 1, _CLONE3[column]), (_RETURN, 0, 0, _ENOSYS),
        (_EQUAL, 0, 6, _CLONE[column]),
        (_LOAD, 0, 0, _FIRST_LOW), (_ANY_BIT, 2, 0, _CLONE_THREAD),
        (_ANY_BIT, 0, 2, _CLONE_VM), (_ANY_BIT, 1, 0, _CLONE_VFORK),
        (_RETURN, 0, 0, _EPERM), (_LOAD, 0, 0, _NUMBER),
    ]  # fmt: skip
