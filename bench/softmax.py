"""Row softmax against a copy, shape by shape.

`python bench/softmax.py --help` explains it; the bench itself is in audits.bench.softmax.run.
"""

from onekernel.bench import script

script("audits.bench.softmax.run")
