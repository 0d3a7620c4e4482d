"""The graders on a GPU: every solution, and the corpora of right, wrong and hostile submissions.

`python -m audits.grading --help` explains it; the bench itself is in audits.grading.run.
"""

import sys

from audits.command import run
from audits.grading.run import main

sys.exit(run(main))
