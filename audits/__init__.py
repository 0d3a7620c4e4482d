"""What maintainers measure of the product itself: mutants, attacks, public programs, agreement with ncu, what grading
costs. `python -m audits.NAME --help` explains each, from the repository's root; none of it is in the wheel.

`bench` is what the scripts of bench/ run, `book` writes what the pages hold that is generated.
"""

from pathlib import Path

from onekernel import messages

messages.add("bench", Path(__file__).with_name("messages.toml"))
