"""What this machine can do, and whether what it says can be believed.

`settle` turns "auto" into a device that can be trusted, `health` tests a backend with the course's own solution,
`facts` lists what is installed and names the mend of what is not.
"""

from __future__ import annotations

from onekernel.doctor.device import certain, choose, settle
from onekernel.doctor.machine import Fact, facts
from onekernel.doctor.selftest import BACKENDS, Health, health

__all__ = ["BACKENDS", "Fact", "Health", "certain", "choose", "facts", "health", "settle"]
