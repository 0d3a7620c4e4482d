"""The graders on a GPU: every solution, and the corpora of right, wrong and hostile submissions.

`python bench/grading.py --help` explains it; the bench itself is in onekernel.bench.grading.run.
"""

import sys

from onekernel.bench.command import run
from onekernel.bench.grading.run import main

sys.exit(run(main))
