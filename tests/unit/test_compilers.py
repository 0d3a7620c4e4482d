"""What the bench of compilers makes of two compilers' counts, and its record, in which no kernel differs unsaid."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from audits import records
from audits.compilers import run
from audits.compilers.run import EQUAL, OF_GCC, SAID, SILENT, ended
from onekernel.errors import UserError

ROOT = Path(__file__).parents[2]
RECORDED = records.read(records.results(ROOT) / "cpu" / "compilers.json")


def counted(shared: int, uncertain: list[str], found: list[str] | None = None) -> dict[str, Any]:
    metrics = {"requests_global": 8, "wavefronts_shared": shared}
    return {"k.cu": {"found": found or [], "launches": [{"kernel": "k", "metrics": metrics, "uncertain": uncertain}]}}


@pytest.mark.parametrize(("base", "other", "end"), [
    (counted(4, []), counted(4, []), EQUAL),
    (counted(4, []), counted(5, ["shared"]), SAID),
    (counted(4, ["shared"]), counted(5, []), OF_GCC),
    (counted(4, ["global"]), counted(5, ["global"]), SILENT),
    (counted(4, []), counted(4, [], ["race-shared"]), SILENT),
    (counted(4, []), {}, SILENT),
])  # fmt: skip
def test_a_difference_is_said_or_silent(
    base: dict[str, Any], other: dict[str, Any], end: str
) -> None:
    assert ended(base, other) == {"k.cu": end}


def test_the_record_has_no_silent_difference() -> None:
    assert not [kernel for ends in RECORDED["ends"].values() for kernel, end in ends.items() if end == SILENT]
    assert all(len(ends) > 100 for ends in RECORDED["ends"].values())


def test_a_compiler_that_builds_no_runtime_stops_the_bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "g++-broken"
    broken.write_text('#!/bin/sh\ncase "$*" in *version*) exec g++ "$@";; esac\necho no room >&2; exit 1\n')
    broken.chmod(0o755)
    monkeypatch.setenv("ONEKERNEL_CACHE", str(tmp_path / "cache"))
    with pytest.raises(UserError, match=r"g\+\+-broken counted nothing: .*runtime"):
        run._counted(str(broken))
