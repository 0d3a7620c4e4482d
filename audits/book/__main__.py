"""What the pages hold that is generated, written anew or compared.

`python -m audits.book --help` explains it; what it does is in audits.book.run.
"""

import sys

from audits.book.run import main
from audits.command import run

sys.exit(run(main))
