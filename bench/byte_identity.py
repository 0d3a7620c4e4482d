"""Which results have the same bytes on NumPy, torch and CuPy.

`python bench/byte_identity.py --help` explains it; the bench itself is in onekernel.bench.identity.compare.
"""

import sys

from onekernel.bench.command import run
from onekernel.bench.identity.compare import main

sys.exit(run(main))
