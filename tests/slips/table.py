"""Writes README.md beside this file: what each slip is told, of all of them, or only of those that are named and of
those that it lacks. Fails where one passes, or is told something else than slips.toml says."""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.slips import TABLE, write_table

if __name__ == "__main__":  # the processes of --jobs import this file
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="slips; left away, all")
    parser.add_argument("--jobs", type=int, default=1, help="slips graded side by side")
    parser.add_argument("--output", type=Path, default=TABLE, help="the table, where not beside this file")
    parser.add_argument("--device", choices=["simulator", "cuda"], default="simulator", help="where they are graded")
    given = parser.parse_args()
    write_table(given.output, given.names, given.jobs, given.device)
