"""Help in Spanish has Spanish placeholders, and sentences of the pages do not begin with a word of two readings."""

from __future__ import annotations

import re

import pytest

from onekernel import messages
from onekernel.cli import parser

VALUES = {key.removeprefix("value-"): said for key, said in messages.area("cli").items() if key.startswith("value-")}


def helps() -> dict[str, str]:
    top, commands = parser.build()
    return {name: part.format_help() for name, part in {"": top, **commands}.items()}


@pytest.mark.parametrize("lang", messages.LANGUAGES)
def test_what_stands_for_a_value_is_in_the_language_of_the_help(lang: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "_chosen", lang)
    other = {said[x] for said in VALUES.values() for x in messages.LANGUAGES if x != lang}
    found = {name: other & set(re.findall(r"[A-Z]{3,}", text)) for name, text in helps().items()}
    assert {name: words for name, words in found.items() if words} == {}


def test_a_command_that_does_not_exist_is_answered_in_spanish(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(messages, "_chosen", "es")
    with pytest.raises(SystemExit):
        parser.parse(["chek"])
    assert "check" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        parser.parse(["hint"])
    assert "EJERCICIO" in capsys.readouterr().err
