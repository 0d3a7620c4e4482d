"""Every sentence exists in English and Spanish with the same values, and every key that the code names exists."""

from __future__ import annotations

import ast
import json
import re
import string
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

import pytest

import audits
from onekernel import messages
from onekernel.messages import Message

FOLDER = Path(messages.__file__).parent
SOURCES = sorted([*FOLDER.parent.rglob("*.py"), *Path(audits.__file__).parent.rglob("*.py")])
AREAS = sorted(p.stem for p in FOLDER.glob("*.toml"))
NAMED = re.compile(r"""(?:\bsay|\bMessage(?:\.of)?)\(\s*"([a-z_]+)\.([\w-]+)\"""")
TELLS = re.compile(r"""\btell\(\s*"([\w-]+)\"""")


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def fault(entry: Mapping[str, str]) -> str:
    if set(entry) != set(messages.LANGUAGES):
        return f"is in {sorted(entry)}"
    if fields(entry["en"]) != fields(entry["es"]):
        return f"has other values: {fields(entry['en']) ^ fields(entry['es'])}"
    if any(name and "{" in (how or "") for t in entry.values() for _, name, how, _ in string.Formatter().parse(t)):
        return "has a value inside of how another is written, which is not filled in"
    return "" if all(text.strip() for text in entry.values()) else "is empty"


@pytest.mark.parametrize("area", AREAS)
def test_each_message_is_in_both_languages_with_the_same_values(area: str) -> None:
    assert not {key: told for key, entry in messages.area(area).items() if (told := fault(entry))}


@pytest.mark.parametrize(
    "entry",
    [{"en": "A"}, {"en": "{a}", "es": "{b}"}, {"en": "{a:>{b}} {b}", "es": "{a:>{b}} {b}"}, {"en": "A", "es": " "}],
    ids=lambda entry: entry["en"],
)
def test_a_faulty_message_is_seen(entry: dict[str, str]) -> None:
    assert fault(entry)


NOT_COUNTED = {"sums", "calls", "copies", "names", "points", "times"}  # verbs behind a name, and "1 times" is a product


def every(lang: str) -> dict[str, str]:
    return {f"{area}.{key}": entry[lang] for area in AREAS for key, entry in messages.area(area).items()}


def inflected(texts: Iterable[str]) -> set[str]:
    """The plural nouns that some sentence also has as singular: "rows" of `{n:row|rows}`."""
    both = (how.split("|") for t in texts for *_, how, _ in string.Formatter().parse(t) if how and "|" in how)
    return {many.split()[0] for one, many in both if many.split()[0] != one.split()[0] and re.match(r"\w+s\b", many)}


def fixed_plurals(text: str, nouns: Collection[str]) -> list[str]:
    """What would read "1 rows": a value and, behind it, a noun in the plural alone."""
    return [found[0] for found in re.finditer(r"\{\w+(?::[^{}|]*)?\} (\w+)", text) if found[1] in nouns]


@pytest.mark.parametrize("lang", messages.LANGUAGES)
def test_a_noun_that_is_counted_has_its_singular_too(lang: str) -> None:
    nouns = inflected(every(lang).values()) - NOT_COUNTED
    assert len(nouns) > 40
    assert not {key: found for key, text in every(lang).items() if (found := fixed_plurals(text, nouns))}


def test_a_plural_that_is_fixed_is_seen() -> None:
    nouns = inflected(["{n} {n:row|rows}", "{n} {n:fila suma|filas suman}", "{n:is|are}"])
    assert nouns == {"rows", "filas"}
    assert fixed_plurals("{n:,} rows of {m} {m:column|columns}", nouns) == ["{n:,} rows"]
    assert not fixed_plurals("{n} {n:row|rows}, rows {a} to {b}", nouns)


def test_every_message_that_a_module_names_exists() -> None:
    absent = []
    for path in SOURCES:
        source = path.read_text(encoding="utf-8")
        named = NAMED.findall(source)
        if "cli" in path.parts:
            named += [("cli", key) for key in TELLS.findall(source)]
        absent += [f"{path}: {area}.{key}" for area, key in named if key not in messages.area(area)]
    assert not absent


def texts_of_the_code() -> set[str]:
    """Every text that code says or could make a key of: constants of Python, words in quotes elsewhere."""
    found = {n.value for path in SOURCES for n in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
             if isinstance(n, ast.Constant) and isinstance(n.value, str)}  # fmt: skip
    others = (p for kind in ("h", "cpp", "toml") for p in FOLDER.parent.rglob(f"*.{kind}") if p.parent != FOLDER)
    return found.union(*(re.findall(r"""["'\[]([\w.-]+)["'\]]""", p.read_text(encoding="utf-8")) for p in others))


def unasked(key: str, texts: Collection[str], heads: Collection[str]) -> bool:
    """Whether no text is the key "area.name", its name, its beginning or its two parts."""
    name = key.partition(".")[2]
    if key in texts or name in texts or any(name.startswith(h) or key.startswith(h) for h in heads):
        return False
    return not any(one[:n] in texts and one[n:] in texts for one in (key, name) for n in range(1, len(one)))


@pytest.mark.slow
def test_every_message_is_asked_for_by_some_code() -> None:
    texts = texts_of_the_code()
    heads = [text for text in texts if text.endswith(("-", "_"))]
    # The records of findings are asked for by a code and a form, the words of an interactive piece all at once.
    areas = [area for area in AREAS if area not in ("simulator", "play")]
    assert not [f"{a}.{key}" for a in areas for key in messages.area(a) if unasked(f"{a}.{key}", texts, heads)]


@pytest.mark.parametrize(
    ("key", "lost"),
    [("cli.gone", True), ("cli.there", False), ("cli.named", False), ("cli.opt-any", False), ("cli.all-gone", True),
     ("cli.all-parts", False)],
)  # fmt: skip
def test_a_message_that_nobody_asks_for_is_seen(key: str, lost: bool) -> None:
    assert unasked(key, {"cli.there", "named", "opt-", "all", "-parts"}, ["opt-"]) is lost


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


def test_a_verdict_on_values_reads_as_one_would_say_it() -> None:
    values = {"name": "y", "index": "3", "got": 1.0, "want": 2.0, "error": 1.0, "limit": 0.0, "count": 1, "total": 257}
    told = Message("grading.values", values)
    assert told.text("en") == "1 of 257 elements is wrong. The worst is y[3] = 1, expected 2: off by 1, allowed 0."
    assert told.text("es") == "1 de 257 elementos está mal. El peor es y[3] = 1; se esperaba 2: error 1, se admite 0."


def test_a_value_that_is_empty_leaves_one_space() -> None:
    values = {name: name for name in fields(messages.area("simulator")["race-read-write"]["en"])}
    for lang in messages.LANGUAGES:
        text = Message("simulator.race-read-write", {**values, "warp": ""}).text(lang)
        assert "  " not in text and text.endswith(" quoted")


@pytest.mark.parametrize("turn", [1, 2])
def test_a_language_that_a_test_chooses_is_its_own(turn: int) -> None:
    assert messages.language() != "es"
    messages.set_language("es")
