"""Where builds are kept, and which of them go when they are too many."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from onekernel.backends import cache


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"ONEKERNEL_CACHE": "{tmp}/mine", "XDG_CACHE_HOME": "{tmp}/xdg"}, "mine/cuda"),
        ({"XDG_CACHE_HOME": "{tmp}/xdg"}, "xdg/onekernel/cuda"),
        ({}, "home/.cache/onekernel/cuda"),
        ({"ONEKERNEL_CACHE": "~/own"}, "home/own/cuda"),
    ],
)
def test_the_place_is_what_was_asked_for_else_the_systems(
    environment: dict[str, str], expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ONEKERNEL_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name, value in environment.items():
        monkeypatch.setenv(name, value.format(tmp=tmp_path))
    assert cache.cache_folder("cuda") == tmp_path / expected
    assert (tmp_path / expected).is_dir()
    assert cache.cache_folder() == (tmp_path / expected).parent


def test_a_place_that_cannot_be_made_gives_way_to_a_temporary_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONEKERNEL_CACHE", "/proc/nowhere")
    folder = cache.cache_folder("simulator")
    assert folder.is_dir() and "nowhere" not in str(folder)


def test_what_was_not_used_for_longest_goes_first_and_what_is_in_use_stays(tmp_path: Path) -> None:
    now = time.time()
    for name, hours in (("new", 0.1), ("old", 5), ("oldest", 9), ("older", 7)):
        (tmp_path / f"{name}.so").write_bytes(bytes(1000))
        os.utime(tmp_path / f"{name}.so", (now, now - 3600 * hours))
    (tmp_path / "runtime.o").write_bytes(bytes(9000))
    cache.prune(tmp_path, 3000)
    assert {p.stem for p in tmp_path.glob("*.so")} == {"new", "old", "older"}
    assert cache.used(tmp_path / "older.so") and not cache.used(tmp_path / "oldest.so")
    cache.prune(tmp_path, 2000)
    assert {p.stem for p in tmp_path.glob("*.so")} == {"new", "older"}
    cache.prune(tmp_path, 0)
    assert {p.stem for p in tmp_path.glob("*.so")} == {"new", "older"}
    assert (tmp_path / "runtime.o").exists()


def test_who_comes_while_a_build_is_made_waits_for_it(tmp_path: Path) -> None:
    build, made = tmp_path / "runtime.o", []

    def make() -> None:
        with cache.alone(build):
            if not cache.used(build):
                made.append(build)
                build.write_text("built")

    makers = [threading.Thread(target=make) for _ in range(8)]
    for maker in makers:
        maker.start()
    for maker in makers:
        maker.join()
    assert made == [build]
