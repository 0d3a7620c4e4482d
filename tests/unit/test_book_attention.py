"""The picture of attention shows what online softmax computes: after the last tile, the weights of softmax."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from audits.book.attention import SCORES, TILE, steps


@given(st.lists(st.floats(-30, 30), min_size=1, max_size=20), st.integers(1, 7))
def test_after_each_tile_the_sums_are_those_of_softmax_so_far(scores, tile):
    for number, step in enumerate(steps(scores, tile), start=1):
        seen = np.array(scores[: number * tile])
        want = np.exp(seen - seen.max())
        assert step.largest == seen.max()
        np.testing.assert_allclose(step.weights, want, rtol=1e-12, atol=1e-300)
        np.testing.assert_allclose(step.total, want.sum(), rtol=1e-12)


def test_the_drawn_scores_show_a_tile_that_rescales_and_one_that_does_not():
    assert [step.rescale < 1 for step in steps(SCORES, TILE)] == [True, True, False]
