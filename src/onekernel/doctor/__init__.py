"""What this machine can do, and whether what it says can be believed.

`choose` turns "auto" into a device, `health` tests a backend with the course's own solution, `machine` lists what is
installed and names the mend of what is not.
"""

from __future__ import annotations

from onekernel.doctor.device import choose
from onekernel.doctor.machine import Fact, facts
from onekernel.doctor.selftest import BACKENDS, Health, health

__all__ = ["BACKENDS", "Fact", "Health", "choose", "facts", "health"]
