"""The reproducible operators: exact where they claim it, close to the truth, the same bytes on NumPy and torch."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from onekernel.minigpt.arithmetic import Reproducible

NUMPY, TORCH = Reproducible(np), Reproducible(torch)
rng = np.random.default_rng(5)
EVERY_EXPONENT = rng.integers(0, 0x7FF0000000000000, 200_000).view(np.float64)  # subnormal numbers to the largest
SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 5e-324, 2.0**-1022, 1.7976931348623157e308])


def same_bytes(name: str, *arrays: np.ndarray) -> np.ndarray:
    """The operator's result on NumPy, after a look that torch's has the same bytes."""
    with np.errstate(all="ignore"):
        ours = getattr(NUMPY, name)(*arrays)
    theirs = getattr(TORCH, name)(*(torch.from_numpy(a) for a in arrays)).contiguous().numpy()
    both_nan = np.isnan(ours) & np.isnan(theirs)  # a NaN's sign is left open
    assert np.where(both_nan, 0.0, ours).tobytes() == np.where(both_nan, 0.0, theirs).tobytes()
    return ours


def beside_squares() -> np.ndarray:
    """Squares of numbers and of midpoints between two, with their neighbours: where a root is hardest to round."""
    y = 1.0 + rng.integers(0, 2**52, 50_000) * 2.0**-52
    short = 1.0 + rng.integers(0, 2**26, 50_000) * 2.0**-26  # the square is exact
    squares = np.concatenate([y * y, short * short, y * (y + 2.0**-52), (y + 2.0**-53) ** 2, 4.0 - y * 2.0**-45])
    return np.concatenate([np.nextafter(squares, 0.0), squares, np.nextafter(squares, 8.0)])


@pytest.mark.parametrize(
    "x",
    [EVERY_EXPONENT, beside_squares(), beside_squares() * 2.0, np.arange(200_000) * 5e-324],
    ids=["every exponent", "beside squares", "odd exponents", "subnormal"],
)
@pytest.mark.slow
def test_sqrt_is_correctly_rounded(x):
    """Hardware's square root is (IEEE 754, 5.4.1), and NumPy uses it."""
    assert same_bytes("sqrt", x).tobytes() == np.sqrt(x).tobytes()


@given(st.floats(min_value=5e-324, allow_infinity=False))
@settings(max_examples=300, deadline=None)
def test_sqrt_against_exact_fractions(x):
    """Independent of any machine's square root: the true root lies between the midpoints around the result."""
    y = float(NUMPY.sqrt(np.array([x]))[0])
    below, above = (Fraction(y) + Fraction(math.nextafter(y, to)) for to in (0.0, math.inf))
    assert (below / 2) ** 2 <= Fraction(x) <= (above / 2) ** 2


def test_special_values():
    with np.errstate(all="ignore"):
        roots = np.sqrt(SPECIAL)
    np.testing.assert_array_equal(same_bytes("sqrt", SPECIAL), roots)
    assert math.copysign(1.0, NUMPY.sqrt(np.array([-0.0]))[0]) == -1.0
    tanh = same_bytes("tanh", SPECIAL)
    np.testing.assert_array_equal(tanh[:7], [0.0, -0.0, 1.0, -1.0, np.nan, tanh[5], -tanh[5]])
    assert math.copysign(1.0, tanh[1]) == -1.0 and tanh[7] == 5e-324
    exp = same_bytes("exp", np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -708.5, 709.7, 709.8, 5e-324]))
    np.testing.assert_array_equal(exp, [1.0, 1.0, np.inf, 0.0, np.nan, 0.0, exp[6], np.inf, 1.0])
    assert 1.6e308 < exp[6] < 1.7e308


@pytest.mark.parametrize(("name", "limit"), [("exp", 1.0), ("tanh", 3.0)])
def test_close_to_the_truth(name, limit):
    """In ULP of the true value, computed by Python's decimal arithmetic with 60 digits."""
    from decimal import Decimal, localcontext

    x = np.concatenate([rng.uniform(-700, 700, 300), rng.uniform(-1, 1, 700), 10.0 ** rng.uniform(-12, 0, 300)])
    got = same_bytes(name, x)
    with localcontext() as context:
        context.prec = 60
        for value, found in zip(x.tolist(), got.tolist(), strict=True):
            e = Decimal(value).exp()
            if name == "tanh":
                squared = (2 * Decimal(value)).exp()
                e = (squared - 1) / (squared + 1)
            assert abs(Decimal(found) - e) <= Decimal(limit) * Decimal(math.ulp(float(e))), (value, found)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 96, 97, 384])
def test_a_sum_is_the_halving_tree(n):
    """The documented order, written down once more in plain Python."""
    terms = rng.standard_normal(n) * 10.0 ** rng.uniform(-8, 8, n)
    values = terms.tolist()
    while len(values) > 1:
        half = (len(values) + 1) // 2
        values = [a + b for a, b in zip(values[:half], values[half:], strict=False)] + values[len(values) - half : half]
    assert same_bytes("sum", terms).tolist() == values
    before = terms.copy()
    assert same_bytes("mean", terms).tolist() == [values[0] / n]
    assert terms.tobytes() == before.tobytes()  # the tree works in memory of its own


@pytest.mark.parametrize(
    ("a", "b"),
    [((5, 7), (7, 3)), ((2, 5, 7), (7, 3)), ((2, 4, 5, 7), (2, 4, 7, 3)), ((1, 1), (1, 1)), ((3, 1, 2), (2, 1))],
)
def test_matmul_is_the_same_tree_of_products(a, b):
    x, y = rng.standard_normal(a), rng.standard_normal(b)
    product = same_bytes("matmul", x, y)
    np.testing.assert_allclose(product, x @ y, rtol=1e-13, atol=1e-13)
    columns = np.moveaxis(np.broadcast_to(y, (*x.shape[:-2], *y.shape[-2:])), -1, -2)
    for index in np.ndindex(product.shape):
        terms = x[index[:-1]] * columns[(*index[:-2], index[-1])]
        assert float(NUMPY.sum(terms)[0]) == product[index]


@pytest.mark.slow
def test_matmul_bytes_do_not_depend_on_the_batch_or_on_memory_layout():
    x, y = rng.standard_normal((300, 200)), rng.standard_normal((200, 150))  # more than one chunk
    whole = same_bytes("matmul", x, y)
    assert NUMPY.matmul(x[7:8], y).tobytes() == whole[7].tobytes()
    assert NUMPY.matmul(np.asfortranarray(x), np.asfortranarray(y)).tobytes() == whole.tobytes()
    assert TORCH.matmul(torch.from_numpy(x), torch.from_numpy(y.T.copy()).T).numpy().tobytes() == whole.tobytes()


def test_softmax_rows():
    x = rng.standard_normal((4, 3, 17)) * 30
    x[0, 0, 3:] = -np.inf
    y = same_bytes("softmax", x)
    np.testing.assert_allclose(y.sum(axis=-1), 1.0, rtol=1e-14)
    np.testing.assert_allclose(y, np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True), rtol=1e-13)
    assert not y[0, 0, 3:].any()


def test_what_cannot_be_reproduced_is_refused():
    with pytest.raises(TypeError, match="float64, not float32"):
        NUMPY.softmax(np.zeros(3, np.float32))
    with pytest.raises(TypeError, match="float64"):
        TORCH.matmul(torch.zeros(2, 2), torch.zeros(2, 2))
    if torch.set_flush_denormal(True):
        try:
            with pytest.raises(ArithmeticError, match="subnormal"):
                Reproducible(torch)
        finally:
            torch.set_flush_denormal(False)


@pytest.mark.gpu
@pytest.mark.parametrize("name", ["exp", "tanh", "sqrt", "softmax", "mean"])
def test_cuda_gives_the_same_bytes(name):
    if not torch.cuda.is_available():
        pytest.skip("needs a GPU that torch sees")
    x = np.abs(rng.standard_normal((64, 96))) * 5
    theirs = getattr(TORCH, name)(torch.from_numpy(x).cuda()).cpu().numpy()
    assert getattr(NUMPY, name)(x).tobytes() == theirs.tobytes()
