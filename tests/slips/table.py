"""Writes README.md beside this file: what each slip is told, of all of them, or only of those that are named and of
those that it lacks. Stops at one that passes, or that is told something else than slips.toml says."""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.slips import write_table

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        write_table(Path(folder), sys.argv[1:])
