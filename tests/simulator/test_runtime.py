"""The runtime's sources: each compiles alone, and a folder of them includes only what it may."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

import onekernel
from onekernel.simulator.compilation.parts import UNIT_OF_CARD, UNITS
from onekernel.simulator.paths import RUNTIME
from onekernel.simulator.read.records import FILE

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(onekernel.__file__).parent
SOURCES = sorted(p for p in RUNTIME.rglob("*.cpp"))
OWN_INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def name(path: Path) -> str:
    return path.relative_to(RUNTIME).as_posix()


@pytest.fixture(scope="module")
def newer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A C++ library that spells an attribute as libstdc++ 13 and later do, whichever is installed."""
    folder = tmp_path_factory.mktemp("libstdc++")
    (folder / "bits").mkdir()
    for header in ("bits/basic_string.h", "bits/basic_string.tcc", "bits/shared_ptr_base.h"):
        (folder / header).write_text(f"#include_next <{header}>\n__attribute__((__noinline__)) static void newer();\n")
    return folder


@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
@pytest.mark.parametrize("source", SOURCES, ids=name)
@pytest.mark.slow
@pytest.mark.sample(every=4)
def test_a_source_compiles_alone(source: Path, newer: Path) -> None:
    words = ["g++", "-std=gnu++17", "-fsyntax-only", "-isystem", str(newer), str(source)]
    done = subprocess.run(words, capture_output=True, text=True)
    assert not done.returncode, done.stderr


def test_the_units_hold_every_source_but_what_is_linked_by_itself() -> None:
    units = [f"{unit}.cpp" for unit in (*UNITS, UNIT_OF_CARD)]
    listed = [source for unit in units for source in OWN_INCLUDE.findall((RUNTIME / unit).read_text(encoding="utf-8"))]
    assert sorted([*listed, *units, "machine/thread_local.cpp", "executable.cpp"]) == [name(p) for p in SOURCES]


def test_what_a_learner_includes_needs_nothing_of_the_runtime_s_own() -> None:
    for header in (RUNTIME / "api").rglob("*"):
        if header.is_file():
            for included in OWN_INCLUDE.findall(header.read_text(encoding="utf-8")):
                assert (header.parent / included).resolve().is_relative_to(RUNTIME / "api"), (name(header), included)


def test_what_is_packed_holds_every_file_of_the_runtime_and_the_records() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    packed = {p for pattern in settings["package-data"]["onekernel"] for p in PACKAGE.glob(pattern)}
    assert {FILE, *(p for p in RUNTIME.rglob("*") if p.is_file())} <= packed
