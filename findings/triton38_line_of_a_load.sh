#!/usr/bin/env bash
# Triton 3.8 writes a load with `mask` and `other` as one piece of inline PTX, and gives each line of that piece a line of
# the source of its own: the first is the load's, the next are those that follow it in the file, up to the instruction
# that loads. Where a thread loads four floats, that stands three lines below the load, here beyond the kernel. 3.7 gave
# the whole piece the load's line. Whoever looks for a line by this table, as profilers do, is led to code that loads
# nothing.
#
# Seen:   lines below the load: Triton 3.7.1: 0; 3.8.0: 3; 3.9.0: 3 (Python 3.11.7, Linux x86-64, 2026-11-30)
# Needs:  Python with pip, and 2 GB of room. No GPU: it compiles for sm_80.
# Result: 0 where it is so, 1 where it has changed, 77 where it cannot be tried.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/load.py" <<'PYTHON'
import re
import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    value = tl.load(x + at, mask=at < n, other=-1.0)
    tl.store(y + at, value)


load = next(n for n, line in enumerate(open(__file__), 1) if "tl.load(x" in line)
source = ASTSource(kernel, {"x": "*fp32", "y": "*fp32", "n": "i32", "BLOCK": "constexpr"}, {(3,): 512},
                   {(0,): [["tt.divisibility", 16]], (1,): [["tt.divisibility", 16]], (2,): [["tt.divisibility", 16]]})
ptx = triton.compile(source, target=GPUTarget("cuda", 80, 32), options={"num_warps": 4}).asm["ptx"]
line = None
for text in ptx.splitlines():
    if loc := re.match(r"\s*\.loc\s+\d+\s+(\d+)", text):
        line = int(loc[1])
    elif "ld.global" in text:
        print(triton.__version__, line - load)
        sys.exit()
PYTHON
said=""
for version in 3.7.1 3.8.0 3.9.0; do
    python3 -m venv "$folder/$version" || exit 77
    "$folder/$version/bin/pip" install -q "triton==$version" "setuptools<81" 2> /dev/null || exit 77
    said+=$(TRITON_CACHE_DIR="$folder/cache-$version" "$folder/$version/bin/python" "$folder/load.py")$'\n'
done
printf '%s' "$said"
[ "$said" = $'3.7.1 0\n3.8.0 3\n3.9.0 3\n' ]
