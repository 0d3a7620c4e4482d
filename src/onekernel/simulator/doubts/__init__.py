"""What NVIDIA's compiler may make of the accesses of a file, which are counted as they are written."""
