"""Pictures of one launch in the simulator: a load's sectors, a shared access's banks, a block between its barriers, and
the bytes of each source line. `record` runs the kernel; `pictures` draws PNG and SVG, `terminal` draws text.
"""

from __future__ import annotations

from onekernel.trace.recording import Phase, Recording, Request, record

__all__ = ["Phase", "Recording", "Request", "record"]
