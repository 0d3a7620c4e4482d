"""Both softmax kernels over hundreds of row lengths: right in every row, and as fast as a copy.

`python bench/softmax_lengths.py --help` explains it; the bench itself is in onekernel.bench.softmax.lengths.
"""

import sys

from onekernel.bench.command import run
from onekernel.bench.softmax.lengths import main

sys.exit(run(main))
