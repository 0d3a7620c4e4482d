"""Row softmax under the roofs of a card.

`python bench/roofline.py --help` explains it; the bench itself is in audits.bench.roofline.run.
"""

from onekernel.bench import script

script("audits.bench.roofline.run")
