"""Row softmax under the roofs of a card.

`python bench/roofline.py --help` explains it; the bench itself is in onekernel.bench.roofline.run.
"""

import sys

from onekernel.bench.command import run
from onekernel.bench.roofline.run import main

sys.exit(run(main))
