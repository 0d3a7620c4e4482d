"""Wrong submissions written as learners write them: which are refused, and whether their mistake is named.

`python -m audits.wrong_files --help` explains it; the bench itself is in audits.wrong_files.run.
"""

import sys

from audits.command import run
from audits.wrong_files.run import main

if __name__ == "__main__":  # the processes of --jobs import this file
    sys.exit(run(main))
