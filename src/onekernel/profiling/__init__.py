"""ncu on one launch of an exercise: its metrics as JSON in the course's schema, and their reading in Markdown.

`run(slug, source, shape, out_dir)` is all that a caller needs.
"""

from __future__ import annotations

from onekernel.profiling.capture import run, write_readings
from onekernel.profiling.profile import Profile, load

__all__ = ["Profile", "load", "run", "write_readings"]
