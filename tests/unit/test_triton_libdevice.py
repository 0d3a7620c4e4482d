"""libdevice in the interpreter: NVIDIA's symbols, computed by what NumPy and torch call otherwise."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from onekernel.triton.libdevice import known

X = np.array([-2.5, -0.5, 0.25, 0.5, 1.5])
TORCHS = {
    "__nv_expf": torch.exp, "__nv_exp": torch.exp, "__nv_fast_expf": torch.exp, "__nv_tanhf": torch.tanh,
    "__nv_erff": torch.erf, "__nv_erf": torch.erf, "__nv_normcdff": torch.special.ndtr, "__nv_rintf": torch.round,
    "__nv_expm1f": torch.expm1, "__nv_fast_exp10f": lambda x: 10.0**x, "__nv_floorf": torch.floor,
    "__nv_asinhf": torch.asinh, "__nv_finitef": torch.isfinite, "__nv_saturatef": lambda x: x.clamp(0, 1),
}  # fmt: skip


@pytest.mark.parametrize("symbol", TORCHS)
def test_symbols_of_one_number(symbol: str) -> None:
    want = TORCHS[symbol](torch.from_numpy(X)).numpy()
    assert np.allclose(known(symbol)(X), want, rtol=1e-12)


@pytest.mark.parametrize(
    ("symbol", "want"),
    [("__nv_powf", 8.0), ("__nv_fast_fdividef", 2.0 / 3.0), ("__nv_fdiv_rn", 2.0 / 3.0), ("__nv_dadd_rn", 5.0),
     ("__nv_fmodf", 2.0), ("__nv_fdimf", 0.0), ("__nv_hypot", 13.0**0.5), ("__nv_fmul_rn", 6.0)],
)  # fmt: skip
def test_symbols_of_two_numbers(symbol: str, want: float) -> None:
    assert float(known(symbol)(np.float64(2.0), np.float64(3.0))) == pytest.approx(want)


def test_halves_are_rounded_away_from_zero_by_round_alone() -> None:
    assert known("__nv_roundf")(X).tolist() == [-3.0, -1.0, 0.0, 1.0, 2.0]
    assert known("__nv_rint")(X).tolist() == [-2.0, -0.0, 0.0, 0.0, 2.0]


@pytest.mark.parametrize("symbol", ["__nv_j0f", "__nv_byte_perm", "__nv_fadd_ru", "__nv_tgammaf", "__nv_clz", "f", ""])
def test_a_symbol_that_is_not_here_is_no_other(symbol: str) -> None:
    assert known(symbol) is None
