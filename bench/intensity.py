"""Arithmetic intensity from end to end.

`python bench/intensity.py --help` explains it; the bench itself is in audits.bench.intensity.run.
"""

from onekernel.bench import script

script("audits.bench.intensity.run")
