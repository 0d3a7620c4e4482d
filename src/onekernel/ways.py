"""How a grader has a launcher called, where it is not the call that anybody makes."""

REFUSED = "refused"
"""The device refuses every launch of a kernel. The launcher must return that error."""
