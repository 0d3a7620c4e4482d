"""Whole CUDA programs of public repositories on the simulator: how many run, and what stops the others."""
