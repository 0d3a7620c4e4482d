"""What the drawings say."""

from __future__ import annotations

from audits.book import drawings


def told_in_drawings() -> list[tuple[str, str, list[str]]]:
    """(drawing, key, [English, Spanish]) of every text."""
    texts = [(name, key, pair) for module in drawings.MODULES for name, told in drawings.words(module).items()
             for key, pair in told.items()]  # fmt: skip
    assert {name for name, *_ in texts} == set(drawings.NAMES)
    return texts
