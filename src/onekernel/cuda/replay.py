"""One launcher call in a small process, for compute-sanitizer: `python -m onekernel.cuda.replay JOB.json`.

Needs the CUDA runtime alone, not torch: under the sanitizer every import counts.
"""

from __future__ import annotations

import ctypes
import json
import sys
from pathlib import Path


def main(job: Path) -> int:
    """Makes the buffers, says where each lies, calls the launcher, waits. Returns the cudaError_t."""
    described = json.loads(job.read_text(encoding="utf-8"))
    library = ctypes.CDLL(described["library"])
    values: list[ctypes.c_int64 | ctypes.c_float] = []
    for arg in described["args"]:
        if isinstance(arg, int):
            values.append(ctypes.c_int64(arg))
            continue
        if isinstance(arg, float):
            values.append(ctypes.c_float(arg))
            continue
        data = Path(arg["data"]).read_bytes()
        pointer = ctypes.c_void_p()
        # The allocation ends where the tensor ends; `skew` bytes before it keep the tensor's alignment.
        status: int = library.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(arg["skew"] + max(arg["bytes"], 1)))
        if status:
            return status
        start = (pointer.value or 0) + arg["skew"]
        library.cudaMemcpy(ctypes.c_void_p(start), data, ctypes.c_size_t(len(data)), 1)  # cudaMemcpyHostToDevice
        print(f"onekernel-buffer {arg['name']} {start:#x} {arg['bytes']} {arg['itemsize']}", flush=True)
        values.append(ctypes.c_int64(start))
    function = getattr(library, described["function"])
    function.restype = ctypes.c_int
    return int(function(*values, ctypes.c_void_p(None)) or library.cudaDeviceSynchronize())


if __name__ == "__main__":
    sys.exit(1 if main(Path(sys.argv[1])) else 0)
