"""Counts by machine code: what NVIDIA's compiler makes of a kernel, reduced to its accesses, for the runtime to run."""
