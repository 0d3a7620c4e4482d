"""A small GPT in NumPy: the model, its weights, an arithmetic with the same bytes everywhere, the judges of a port.

model.py         the forward pass, on NumPy or CuPy: read this first; config.py: its shape
arithmetic.py    the same operators built so that their bytes do not depend on the library
kernels.py       the same operators on a learner's kernels: `onekernel gpt --with-my-kernels`
weights.py       the trained weights, checked against their hash; weights.npz
train.py         how they were made, from corpus.txt; training.json
port_request.py  what a check asks of a port
port_check.py    compares the arrays that a learner's torch port computed with NumPy's (in the trusted process)
debugger.py      names the first tensor that differs, and why; causes: the mistakes that it knows
storage.py       the questions of storage_probe and their answers
"""
