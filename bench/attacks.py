"""Every attack of tests/hostile, graded as a submission: what it earned, how long it took, as root and as a user.

`python bench/attacks.py --help` explains it; the bench itself is in onekernel.bench.attacks.run.
"""

import sys

from onekernel.bench.attacks.run import main
from onekernel.bench.command import run

if __name__ == "__main__":  # the processes of --jobs import this file
    sys.exit(run(main))
