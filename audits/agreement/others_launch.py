"""The program that ncu watches: each launch of a built file once, on fresh tensors.

`python -m audits.agreement.others_launch LIBRARY JOB.json`. It needs the CUDA runtime alone.
"""

from __future__ import annotations

import ctypes
import json
import sys
from pathlib import Path

from audits.agreement.others import Tensor


def run(library: ctypes.CDLL, function: str, tensors: list[Tensor]) -> int:
    """Calls a launcher; CUDA's error, 0 where there is none."""
    arguments = []
    for tensor in tensors:
        values, pointer = tensor.values(), ctypes.c_void_p()
        library.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(values.nbytes))
        library.cudaMemcpy(pointer, ctypes.c_void_p(values.ctypes.data), ctypes.c_size_t(values.nbytes), 1)
        arguments.append(pointer)
    launched = int(getattr(library, function)(*arguments, ctypes.c_void_p(None)))
    return launched or int(library.cudaDeviceSynchronize())


if __name__ == "__main__":
    built = ctypes.CDLL(sys.argv[1])
    for launch in json.loads(Path(sys.argv[2]).read_text(encoding="utf-8")):
        error = run(built, launch["function"], [Tensor(**t) for t in launch["tensors"]])
        if error:
            print(f"{launch['name']}: cudaError_t {error}", file=sys.stderr)
