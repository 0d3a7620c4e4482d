"""Right submissions written as nobody of the project would write them: that each passes, whatever the seed.

`python -m audits.right_files --help` explains it; the bench itself is in audits.right_files.run.
"""

import sys

from audits.command import run
from audits.right_files.run import main

if __name__ == "__main__":  # the processes of --jobs import this file
    sys.exit(run(main))
