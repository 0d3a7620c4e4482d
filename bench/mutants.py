"""Wrong kernels made from right ones: which of them the graders find out.

`python bench/mutants.py --help` explains it; the bench itself is in onekernel.bench.mutants.run.
"""

import sys

from onekernel.bench.command import run
from onekernel.bench.mutants.run import main

if __name__ == "__main__":  # the processes of --jobs import this file
    sys.exit(run(main))
