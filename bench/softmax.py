"""Row softmax against a copy, shape by shape.

`python bench/softmax.py --help` explains it; the bench itself is in onekernel.bench.softmax.run.
"""

import sys

from onekernel.bench.command import run
from onekernel.bench.softmax.run import main

sys.exit(run(main))
