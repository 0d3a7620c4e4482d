"""A Python file becomes a module, once or anew, and leaves nothing behind."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from onekernel.loading import load_module


def test_a_file_is_loaded_anew_or_once(tmp_path: Path) -> None:
    one, other = tmp_path / "a" / "k.py", tmp_path / "b" / "k.py"
    for path in (one, other):
        path.parent.mkdir()
        path.write_text("from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\nmade = [__file__]\n")
    first = load_module(one, once=True)
    assert load_module(one, once=True) is first and load_module(one) is not first
    assert load_module(other, once=True).made == [str(other)]
    assert [p.name for p in tmp_path.rglob("*") if p.is_file()] == ["k.py", "k.py"]


def test_what_a_file_raises_comes_through_and_it_is_no_module(tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text("raise KeyError('mine')\n")
    before, written = set(sys.modules), sys.dont_write_bytecode
    with pytest.raises(KeyError, match="mine"):
        load_module(path)
    assert set(sys.modules) - before == set() and sys.dont_write_bytecode is written
    with pytest.raises(ImportError):
        load_module(tmp_path / "no.suffix")
