"""Each claim of the instructor's guide is held by a test: claims.toml says by which."""

from __future__ import annotations

import ast
import tomllib
from functools import cache

from support.course import ROOT

TESTS = ROOT / "tests"
CLAIMS = tomllib.loads((TESTS / "docs" / "claims.toml").read_text(encoding="utf-8"))["claim"]


@cache
def names_in(file: str) -> frozenset[str]:
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    return frozenset(n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name.startswith("test_"))


def test_each_claim_stands_in_the_guide_once_and_the_test_that_holds_it_is_there() -> None:
    guide = " ".join((ROOT / "docs" / "en" / "instructor.md").read_text(encoding="utf-8").split())
    gone = [claim["says"] for claim in CLAIMS if " ".join(claim["says"].split()) not in guide]
    assert not gone, "the guide says this no longer: word it as the guide does, and see whether its test still holds it"
    without = [c for c in CLAIMS if c["test"].partition("::")[2] not in names_in(c["test"].partition("::")[0])]
    assert not without, "no such test"
    assert len({claim["says"] for claim in CLAIMS}) == len(CLAIMS)
