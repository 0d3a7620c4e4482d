"""Every sentence exists in English and Spanish with the same values, and every key that the code names exists."""

from __future__ import annotations

import json
import re
import string
from pathlib import Path

import pytest

from onekernel import messages
from onekernel.messages import Message

FOLDER = Path(messages.__file__).parent
SOURCES = sorted(FOLDER.parent.rglob("*.py"))
AREAS = sorted(p.stem for p in FOLDER.glob("*.toml"))
EVERY = [(area, key) for area in AREAS for key in messages.area(area)]
NAMED = re.compile(r"""(?:\bsay|\bMessage(?:\.of)?)\(\s*"([a-z_]+)\.([\w-]+)\"""")
TELLS = re.compile(r"""\btell\(\s*"([\w-]+)\"""")


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize(("area", "key"), EVERY, ids=lambda v: v)
def test_a_message_is_in_both_languages_with_the_same_values(area: str, key: str) -> None:
    entry = messages.area(area)[key]
    assert set(entry) == set(messages.LANGUAGES)
    assert fields(entry["en"]) == fields(entry["es"])
    for text in entry.values():  # a value inside of how another is written is not filled in
        assert not [name for _, name, how, _ in string.Formatter().parse(text) if name and "{" in (how or "")]
    assert all(text.strip() for text in entry.values())


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(FOLDER.parent)))
def test_every_message_that_a_module_names_exists(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    named = NAMED.findall(source)
    if "cli" in path.parts:
        named += [("cli", key) for key in TELLS.findall(source)]
    for area, key in named:
        assert key in messages.area(area), f"{area}.{key}"


def test_a_message_keeps_its_language_open(monkeypatch: pytest.MonkeyPatch) -> None:
    outer = Message("doctor.gpu-not-used", {"why": Message("doctor.no-answer")})
    assert Message.from_json(json.loads(json.dumps(outer.to_json()))) == outer
    assert outer.text("en") == "There is a GPU here, but it is not used: It gave no answer."
    assert outer.text("es").endswith("No dio ninguna respuesta.")
    monkeypatch.setattr(messages, "_chosen", None)
    for asked, spoken in (("es", "es"), ("es_ES.UTF-8", "es"), ("fr", "en"), ("", "en")):
        monkeypatch.setenv("ONEKERNEL_LANG", asked)
        assert messages.language() == spoken


def test_a_language_that_is_not_spoken_is_refused() -> None:
    with pytest.raises(ValueError, match="choose one of en, es"):
        messages.set_language("fr")
    with pytest.raises(KeyError):
        Message.from_json({"key": "cli.no-such-message", "values": {}})
    with pytest.raises(KeyError):
        Message.from_json({"key": "../../etc.passwd", "values": {}})
