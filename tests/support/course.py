"""The course of this repository, read once in a process."""

from pathlib import Path

from onekernel.course import find_root
from onekernel.labs.reader import load

ROOT = find_root(Path(__file__).parent)
COURSE = load(ROOT)
