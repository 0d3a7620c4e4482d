"""What the runtime tells of a call, and the shared object of its code: sentences at lines, counts by ncu's names."""
