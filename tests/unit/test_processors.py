"""How many processors a process may use: in a container with a share of a machine, no more than that."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from onekernel.backends.processors import COMPILING, TOLD, compiling, processors, shared_among
from onekernel.sandbox import lanes, supervisor


@pytest.fixture(autouse=True)
def eight(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TOLD, raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(8)))


def of(folder: Path, own: str, files: dict[str, str]) -> int:
    for name, text in files.items():
        (folder / "groups" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "groups" / name).write_text(text)
    (folder / "own").write_text(own)
    return processors(folder / "groups", folder / "own")


@pytest.mark.parametrize(
    ("own", "files", "wanted"),
    [
        ("0::/\n", {"cpu.max": "200000 100000\n"}, 2),  # a container
        ("0::/\n", {"cpu.max": "150000 100000\n"}, 2),
        ("0::/\n", {"cpu.max": "50000 100000\n"}, 1),
        ("0::/\n", {"cpu.max": "max 100000\n"}, 8),
        ("0::/\n", {"cpu.max": "1600000 100000\n"}, 8),  # more than it may run on
        ("0::/a/b\n", {"a/b/cpu.max": "max 100000\n", "a/cpu.max": "300000 100000\n"}, 3),
        ("0::/docker/1f\n", {"cpu.max": "400000 100000\n"}, 4),  # the path is the host's, the files are its own
        ("4:cpu,cpuacct:/a\n0::/\n", {"cpu,cpuacct/a/cpu.cfs_quota_us": "200000\n",
                                      "cpu,cpuacct/a/cpu.cfs_period_us": "100000\n"}, 2),
        ("4:cpu,cpuacct:/\n", {"cpu,cpuacct/cpu.cfs_quota_us": "-1\n", "cpu,cpuacct/cpu.cfs_period_us": "100000\n"}, 8),
        ("9:name=systemd:/\n8:pids:/x\n", {"pids/x/cpu.max": "100000 100000\n"}, 8),
        ("0::/\n", {"cpu.max": "\n"}, 8),
        ("nonsense\n", {}, 8),
    ],
)  # fmt: skip
def test_a_share_is_the_least_of_those_above_it(
    own: str, files: dict[str, str], wanted: int, tmp_path: Path
) -> None:
    assert of(tmp_path, own, files) == wanted


def test_without_control_groups_there_is_no_share(tmp_path: Path) -> None:
    assert processors(tmp_path, tmp_path / "none") == 8


@pytest.mark.parametrize(("told", "wanted"), [("3", 3), ("64", 8), ("0", 1), ("", 2), ("all", 2)])
def test_who_may_not_read_it_is_told(told: str, wanted: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOLD, told)
    assert of(tmp_path, "0::/\n", {"cpu.max": "200000 100000\n"}) == wanted


def test_processes_side_by_side_share_the_processors_for_matrices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MKL_NUM_THREADS", "3")
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    for jobs, each in ((1, "8"), (3, "2"), (9, "1")):
        with shared_among(jobs):
            assert os.environ["OPENBLAS_NUM_THREADS"] == each
            assert os.environ["MKL_NUM_THREADS"] == "3", "what the user has chosen"
        assert "OPENBLAS_NUM_THREADS" not in os.environ


def test_a_compiler_has_the_processors_of_the_grader_that_starts_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for jobs, each in ((1, "8"), (3, "2"), (9, "1")):
        monkeypatch.setattr(lanes, "_beside", jobs)
        assert supervisor._environment(Path("/job"))[COMPILING] == each
        monkeypatch.setenv(COMPILING, each)
        assert compiling() == int(each)
    monkeypatch.delenv(COMPILING)
    assert compiling() == 1, "where nobody says"
