"""What a few lines of PyTorch launched, and what they wait for: `onekernel explain`.

`record` runs a file under torch.profiler, `chrome` reads the trace, `owners` joins kernels with the operators that
launched them, `shares` gives each moment to one of five bottlenecks, `words` and `picture` tell it.
"""
