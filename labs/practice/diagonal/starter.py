"""The diagonal of a square matrix as a view: one rule, no number moved."""


def diagonal(x):
    """x of shape (n, n), contiguous -> its diagonal, of shape (n,), on the same storage."""
    n = x.shape[0]
    return x[0]  # TODO: x.as_strided(shape, strides) takes the rule as you write it
