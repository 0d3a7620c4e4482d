"""How a grader has a launcher called, where it is not the call that anybody makes."""

REFUSED = "refused"
"""The device refuses every launch of a kernel. The launcher must return that error."""

LEFT = "left"
"""The simulator says what memory is still allocated when the launcher returns, that of earlier calls with it."""

SPARSE = "sparse"
"""Tensors of more elements than 32 bits count. On a GPU they are real; the simulator runs some blocks of a launch."""

RETURNED = "returned"
"""A Python function is called as people call it: without its output, for which it returns a new tensor, without
what has a default, and on a matrix where tensors of any shape are taken."""

IN_PLACE = "in-place"
"""A Python function is given its input as its output, too."""

TURNED = "turned"
"""The simulator runs the blocks of a launch from the last to the first: nothing promises an order."""

FAR = "far"
"""In Triton's interpreter, rows lie so far apart that the third begins beyond 2^31 elements."""

INTERPRETED = "triton-interpreted"
"""The backend of a Triton file whose accesses are counted: its interpreter, on a machine with a GPU too."""

AS_WRITTEN = "as-written"
"""The accesses of the kernel as it is written are counted, where those of its machine code could be, too."""

LONG = "long"
"""The simulator looks for wrong accesses and values alone, in a fifth of the time: races show on shorter inputs."""
