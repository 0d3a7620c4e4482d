"""What is not taken, by name and line, as the text alone shows: what the simulator has not, and what nvcc refuses."""
