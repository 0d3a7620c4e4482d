"""Four fused operators five ways.

`python bench/fusion.py --help` explains it; the bench itself is in audits.bench.fusion.run.
"""

from onekernel.bench import script

script("audits.bench.fusion.run")
