"""What the scripts of bench/ measure on a card: the kernels of the course beside PyTorch's and a copy, under roofs."""
