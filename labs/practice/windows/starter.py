"""All windows of k neighbours of a vector, as the rows of a matrix that nobody stored."""


def windows(x, k):
    """x of shape (n,), contiguous -> shape (n - k + 1, k): row i is x[i : i + k]. A view."""
    n = x.shape[0]
    return x[None, :k]  # TODO: x.as_strided: how far from row to row, how far from column to column?
