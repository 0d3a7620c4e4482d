"""How long a test waits for a process before it calls it hung: only one that hangs takes as long, however busy the
machine is."""

HUNG_SECONDS = 900.0
