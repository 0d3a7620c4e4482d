"""What this machine can do, and whether what it says can be believed.

`settle` turns "auto" into a device that can be trusted, in two steps, `found` and `trust`; `health` tests a backend
with the course's own solution, `facts` lists what is installed and names the mend of what is not.
"""

from __future__ import annotations

from onekernel.doctor.device import choose, found, settle, trust
from onekernel.doctor.machine import Fact, facts
from onekernel.doctor.selftest import BACKENDS, Health, health

__all__ = ["BACKENDS", "Fact", "Health", "choose", "facts", "found", "health", "settle", "trust"]
