"""From addresses to lines: addr2line is started once for a library, and one that does not stay is asked anew."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from onekernel.simulator.compilation.compiler import compiler
from onekernel.simulator.read import lines

TEXT = "int twice(int x) {\n    return 2 * x;\n}\n\nint thrice(int x) {\n    return 3 * x;\n}\n"

needs_tool = pytest.mark.skipif(not shutil.which("addr2line"), reason="no addr2line")


@pytest.fixture
def built(tmp_path: Path) -> tuple[Path, Path, list[int]]:
    source, library = tmp_path / "two.cpp", tmp_path / "two.so"
    source.write_text(TEXT, encoding="utf-8")
    subprocess.run([compiler().path, "-g", "-O0", "-shared", "-fPIC", "-o", library, source], check=True)
    named = subprocess.run(["nm", "-C", library], capture_output=True, text=True, check=True).stdout.splitlines()
    at = {name: int(line.split()[0], 16) for line in named for name in ("twice", "thrice") if f" {name}(" in line}
    return source, library, [at["twice"] + 1, at["thrice"] + 1]


@needs_tool
def test_one_process_answers_for_a_library(
    built: tuple[Path, Path, list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    source, library, addresses = built
    started = []
    popen = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda argv, **how: started.append(argv) or popen(argv, **how))
    asked = lines.Lines(library, [source])
    places = [asked.place(a) for a in addresses]
    assert [p and (Path(p.file).name, p.line) for p in places] == [("two.cpp", 1), ("two.cpp", 5)]
    assert asked.place(1) is None
    assert len(started) == 1


@needs_tool
def test_one_that_does_not_stay_is_asked_anew(
    built: tuple[Path, Path, list[int]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, library, addresses = built
    (tmp_path / "bin").mkdir()
    tool = tmp_path / "bin" / "addr2line"
    tool.write_text(f'#!/bin/sh\n[ $# -gt 6 ] || exit 1\nexec {shutil.which("addr2line")} "$@"\n', encoding="utf-8")
    tool.chmod(0o755)
    monkeypatch.setattr(lines, "_tool", lambda: str(tool))
    asked = lines.Lines(library, [source])
    assert [p.line for a in addresses if (p := asked.place(a))] == [1, 5]
