"""Wrong kernels made from right ones: which of them the graders find out.

`python -m audits.mutants --help` explains it; the bench itself is in audits.mutants.run.
"""

import sys

from audits.command import run
from audits.mutants.run import main

if __name__ == "__main__":  # the processes of --jobs import this file
    sys.exit(run(main))
