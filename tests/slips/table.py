"""Writes README.md beside this file: what each slip is told. A test holds it to what is told."""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.slips import write_table

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        write_table(Path(folder))
