"""Rewritten source to a shared object: which compiler, with which flags, kept where; what it complained of."""
