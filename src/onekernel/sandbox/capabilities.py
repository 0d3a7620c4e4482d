"""What root gives up before it reads a submission: every capability, for good. Linux documentation, capabilities(7).

Root without them is a user like any other: permissions count, device files cannot be made, and memory and environment
of processes that are closed to a look stay closed. Numbers: include/uapi/linux/capability.h, prctl.h, securebits.h.
"""

from __future__ import annotations

import contextlib
import ctypes
import os

_PR_CAPBSET_DROP, _PR_SET_SECUREBITS, _PR_SET_NO_NEW_PRIVS = 24, 28, 38
_PR_CAP_AMBIENT, _CLEAR_ALL = 47, 4
_SECUREBITS = 0b11 | 0b11 << 2 | 0b11 << 6  # NOROOT, NO_SETUID_FIXUP, NO_CAP_AMBIENT_RAISE, each of them locked
_VERSION_3 = 0x20080522
_MOST = 64


class _Head(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


class _Data(ctypes.Structure):
    _fields_ = [("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32)]


def drop() -> bool:
    """Leaves this thread, and all that it starts, without capabilities. Returns whether it has none."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    libc.prctl(_PR_SET_SECUREBITS, _SECUREBITS, 0, 0, 0)
    for number in range(_MOST):
        libc.prctl(_PR_CAPBSET_DROP, number, 0, 0, 0)
    libc.prctl(_PR_CAP_AMBIENT, _CLEAR_ALL, 0, 0, 0)
    if os.geteuid() == 0 and len(os.getgroups()) > 1:
        with contextlib.suppress(OSError):  # in a user namespace; the groups of root alone open little
            os.setgroups([])
    libc.capset(ctypes.byref(_Head(_VERSION_3, 0)), (_Data * 2)())
    return held() == 0


def held() -> int:
    """The capabilities of this thread that count, a bit each."""
    data = (_Data * 2)()
    if ctypes.CDLL(None, use_errno=True).capget(ctypes.byref(_Head(_VERSION_3, 0)), data):
        return -1
    return sum((data[i].effective | data[i].permitted) << 32 * i for i in range(2))
