"""Every attack of tests/hostile, graded as a submission: what it earned, how long it took, as root and as a user.

`python -m audits.attacks --help` explains it; the bench itself is in audits.attacks.run.
"""

import sys

from audits.attacks.run import main
from audits.command import run

if __name__ == "__main__":  # the processes of --jobs import this file
    sys.exit(run(main))
