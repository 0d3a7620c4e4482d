"""Inline PTX: the asm statements of a preprocessed file become C++ that the simulator runs and watches."""
