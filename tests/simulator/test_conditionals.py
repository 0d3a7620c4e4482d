"""What a compiler will not see is not refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from onekernel.simulator.compilation.compiler import compiler
from onekernel.simulator.compilation.preprocessor import seen_lines
from onekernel.simulator.facts.conditionals import HOST_VIEW, active
from onekernel.simulator.facts.tokens import text_of, tokenize
from onekernel.simulator.rewrite import rewrite

CASES = [
    ("#if __CUDA_ARCH__ >= 900\nasm\n#else\nplain\n#endif\n", {"plain"}),
    ("#if __CUDA_ARCH__ < 900\nplain\n#else\nasm\n#endif\n", {"plain"}),
    ("#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700\nplain\n#endif\n", {"plain"}),
    (
        "#if !defined(__CUDA_ARCH__)\nhost\n#elif __CUDA_ARCH__ >= 900\nasm\n"
        "#elif __CUDA_ARCH__ >= 800\nplain\n#else\nold\n#endif\n",
        {"plain"},
    ),
    ("#ifdef MINE\nleft\n#else\nright\n#endif\n", {"left", "right"}),
    ("#if MINE > 3\nleft\n#elif __CUDA_ARCH__ >= 900\nasm\n#else\nright\n#endif\n", {"left", "right"}),
    ("#ifdef __CUDACC__\nplain\n#endif\nafter\n", {"plain", "after"}),
    ("#ifndef __CUDACC__\nhost\n#if MINE\ninner\n#endif\n#endif\nafter\n", {"after"}),
    ("#ifdef __CUDA_ARCH_FEAT_SM90_ALL\nasm\n#else\nplain\n#endif\n", {"plain"}),
    ("#if defined(__CUDA_ARCH_FEAT_SM90_ALL) && __CUDA_ARCH__ >= 700\nasm\n#endif\nafter\n", {"after"}),
    ("#ifdef _WIN32\nleft\n#else\nplain\n#endif\n", {"plain"}),
    ("#if _WIN32 || defined(_MSC_VER) || defined ( WIN32 )\nleft\n#else\nplain\n#endif\n", {"plain"}),
    ("#if __import__('os')\nleft\n#endif\n", {"left"}),
]  # fmt: skip


@pytest.mark.parametrize(("source", "seen"), CASES)
def test_only_lines_that_may_be_compiled_are_kept(source: str, seen: set[str]) -> None:
    assert set(text_of(active(tokenize(source))).split()) == seen


def test_what_one_card_alone_has_is_seen_where_a_file_is_compiled_for_that_one() -> None:
    tokens = tokenize("#ifdef __CUDA_ARCH_FEAT_SM90_ALL\nwgmma\n#else\nplain\n#endif\n")
    assert text_of(active(tokens, "sm_90a")).split() == ["wgmma"]
    assert [text_of(active(tokens, arch)).split() for arch in ("sm_90", HOST_VIEW)] == [["plain"], ["plain"]]


def test_the_card_decides_which_branch_is_seen() -> None:
    tokens = tokenize("#if __CUDA_ARCH__ >= 900\nclusters\n#else\nplain\n#endif\n")
    assert text_of(active(tokens, "sm_90")).split() == ["clusters"]
    assert text_of(active(tokens)).split() == ["plain"]


@pytest.mark.parametrize(
    ("source", "seen"),
    [
        ("#ifdef __CUDA_ARCH__\ncard\n#else\nhost\n#endif\n", {"host"}),
        ("#if __CUDA_ARCH__ >= 700\ncard\n#endif\nafter\n", {"after"}),
        ("#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600\nboth\n#else\nold\n#endif\n", {"both"}),
        ("#if defined(__CUDA_ARCH__) && MINE\nunknown\n#else\nhost\n#endif\n", {"unknown", "host"}),
    ],
)
def test_on_the_host_there_is_no_card(source: str, seen: set[str]) -> None:
    assert set(text_of(active(tokenize(source), HOST_VIEW)).split()) == seen


def test_nothing_is_left_out_after_a_line_that_ends_in_two_carriage_returns(tmp_path: Path) -> None:
    path = tmp_path / "kernel.cu"
    lines = ["int main() {", "    int one = 1;\r", "", "    int two = 2;", "", "    return two - one;", "}", ""]
    path.write_bytes("\r\n".join(lines).encode())
    source = rewrite(path, program=True, seen=seen_lines(path, compiler(), "sm_80"))
    assert [line for line in lines if line.strip() not in source.text] == []
