"""GEMM beside NVIDIA's library: the course's kernels and the rungs of the ladder, in more than forty cells.

`python bench/gemm.py --help` explains it; the bench itself is in audits.bench.gemm.run.
"""

from onekernel.bench import script

script("audits.bench.gemm.run")
