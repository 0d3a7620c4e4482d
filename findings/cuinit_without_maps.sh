#!/usr/bin/env bash
# NVIDIA's driver, as it starts, reads /proc/self/maps. A process that may not read that file, behind Landlock say, is
# told by cuInit that memory has run out: CUDA_ERROR_OUT_OF_MEMORY, 2, on a machine of which nothing is in use.
# Reading nothing of /proc but cpuinfo, meminfo, stat, devices, driver and sys is enough with that one file beside them.
#
# Seen:   driver 580.159.04, NVIDIA H200, Linux with Landlock, Python 3.12.3, 2026-11-29:
#             nothing closed 0, /proc closed 2, /proc closed but for the map 0
# Needs:  an NVIDIA GPU and its driver, Linux 5.19 or newer with Landlock, Python. Nothing is installed.
# Result: 0 where it is so, 1 where it has changed, 77 where it cannot be tried.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/starts.py" <<'PYTHON'
import ctypes
import os
import sys

READ_FILE, REFER = 1 << 2, 1 << 13
OPEN = ("cpuinfo", "meminfo", "stat", "devices", "driver", "sys")
CREATE, ADD, RESTRICT = 444, 445, 446
libc = ctypes.CDLL(None, use_errno=True)


class Rules(ctypes.Structure):
    _fields_ = [("files", ctypes.c_uint64)]


class Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32)]


def close_proc(*kept):
    """Leaves this process, of /proc, what OPEN and `kept` name, and everything outside of it."""
    rules = libc.syscall(CREATE, ctypes.byref(Rules(READ_FILE | REFER)), ctypes.c_size_t(8), 0)
    if rules < 0:
        sys.exit(77)
    there = [f"/{name}" for name in os.listdir("/") if name != "proc"]
    there += [f"/proc/{name}" for name in (*OPEN, *kept)]
    for path in there:
        parent = os.open(path, os.O_PATH)
        allowed = READ_FILE | REFER if os.path.isdir(path) else READ_FILE
        libc.syscall(ADD, rules, 1, ctypes.byref(Beneath(allowed, parent)), 0)
        os.close(parent)
    libc.prctl(38, 1, 0, 0, 0)
    if libc.syscall(RESTRICT, rules, 0):
        sys.exit(77)


how = sys.argv[1]
if how != "nothing":
    close_proc(*(["self/maps"] if how == "but-the-map" else []))
try:
    print(ctypes.CDLL("libcuda.so.1").cuInit(0))
except OSError:
    sys.exit(77)
PYTHON
told=""
for how in nothing all but-the-map; do
    told+="$(python3 "$folder/starts.py" "$how") " || exit 77
done
version=$(cut -d' ' -f1 /sys/module/nvidia/version 2>/dev/null || echo unknown)
echo "driver $version: cuInit returned $told(nothing closed, /proc closed, /proc closed but for the map)"
[ "$told" = "0 2 0 " ]
