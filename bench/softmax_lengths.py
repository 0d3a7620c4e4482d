"""Both softmax kernels over hundreds of row lengths: right in every row, and as fast as a copy.

`python bench/softmax_lengths.py --help` explains it; the bench itself is in audits.bench.softmax.lengths.
"""

from onekernel.bench import script

script("audits.bench.softmax.lengths")
