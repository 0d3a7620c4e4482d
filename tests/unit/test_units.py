"""Numbers: written as each language writes them, and read as either writes them, or refused."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onekernel.errors import UserError
from onekernel.messages import LANGUAGES
from onekernel.numerals import SCALED, UNITS, Quantity, number
from onekernel.units import LONGEST, parse

languages = st.sampled_from(LANGUAGES)


@pytest.mark.parametrize(
    ("value", "spec", "spanish"),
    [
        (404193, ",.0f", "404.193"),
        (3648225, ",", "3.648.225"),
        (1024, ",", "1024"),
        (-1024, ",", "-1024"),
        (62.6, ".1f", "62,6"),
        (1234567.5, ",.1f", "1.234.567,5"),
        (7, ",", "7"),
        (1.5e-12, ".1e", "1,5e-12"),
        (-0.25, ".2f", "-0,25"),
        (float("nan"), ".1f", "nan"),
    ],
)
def test_a_number_has_the_separators_of_its_language(value: float, spec: str, spanish: str) -> None:
    assert number(value, spec, "es") == spanish
    assert number(value, spec, "en") == format(value, spec)


@pytest.mark.parametrize(
    ("value", "unit", "english"),
    [
        (100663296, "B", "100.7 MB"),
        (1234000, "B", "1.23 MB"),
        (0.1666, "FLOP/byte", "0.1666 FLOP/byte"),
        (0, "B", "0 B"),
        (12e-6, "s", "12 us"),
        (513, "", "513"),
        (0.99999, "B", "1 B"),
        (999_999, "FLOP", "1 MFLOP"),
    ],
)
def test_a_quantity_has_a_prefix_and_no_more_digits_than_it_needs(value: float, unit: str, english: str) -> None:
    assert Quantity(value, unit).text("en") == english
    assert Quantity(value, unit).text("es") == english.replace(".", ",")


@given(st.floats(-1e17, 1e17, allow_subnormal=False), st.sampled_from(UNITS), languages)
def test_a_quantity_that_we_print_is_read_back(value: float, unit: str, lang: str) -> None:
    for spec, near in (("", 5.1e-3), (".7g", 5.1e-7)):
        shown = Quantity(value, unit).text(lang, spec)
        read = parse(shown)
        assert read.unit == unit and read.value == pytest.approx(value, rel=near, abs=1e-300)
        assert read.text(lang, spec) == shown


@given(st.integers(-(10**15), 10**15), languages)
def test_a_count_that_we_print_is_read_back_or_both_readings_are_offered(value: int, lang: str) -> None:
    shown = number(value, ",", lang)
    try:
        assert parse(shown) == Quantity(value, "")
    except UserError as refused:
        assert 1000 <= abs(value) < 10**6 and refused.message.key == "units.ambiguous"
        assert refused.message.values["thousands"] == str(value)


@given(st.floats(-1e12, 1e12).map(lambda x: round(x, 2)), languages)
def test_a_number_with_decimals_is_read_back(value: float, lang: str) -> None:
    assert parse(number(value, ",.2f", lang)).value == value


@given(st.text(alphabet="0123456789.,_+-eE MB", max_size=24))
def test_a_text_means_the_same_with_commas_for_points(text: str) -> None:
    """No reading depends on who typed it: what is understood in one notation is understood alike in the other."""

    def read(of: str) -> object:
        try:
            return parse(of)
        except UserError as refused:
            return refused.message.key

    assert read(text) == read(text.translate(str.maketrans(",.", ".,")))


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("33,7 MB", 33.7e6, "B"),
        ("33.7 MB", 33.7e6, "B"),
        ("1.234.567", 1234567, ""),
        ("1,234,567", 1234567, ""),
        ("1.234,5 kB", 1234500, "B"),
        ("1,234.5 kB", 1234500, "B"),
        ("0,167 FLOP/byte", 0.167, "FLOP/byte"),
        ("1234,567", 1234.567, ""),
        ("1,234e7", 1.234e7, ""),
        ("33_554_432 bytes", 33554432, "B"),
        (" 128 KiB ", 131072, "B"),
        (",5", 0.5, ""),
        ("-2 us", -2e-6, "s"),
        ("4 096", 4096, ""),
        ("4'096", 4096, ""),
        ("4\u202f096\u00a0B", 4096, "B"),
        ("1 234 567,5 kB", 1234567500, "B"),
        ("-4 096", -4096, ""),
        ("2**12", 4096, ""),
        ("2^12 B", 4096, "B"),
        ("2 ** 2 KiB", 4096, "B"),
        ("4.096e3", 4096, ""),
        ("4 Ki", 4096, ""),
        ("16 M", 16e6, ""),
        ("4,096 B", 4096, "B"),
        ("4.096 bytes", 4096, "B"),
    ],
)
def test_both_notations_are_understood(text: str, value: float, unit: str) -> None:
    read = parse(text)
    assert read.value == pytest.approx(value) and read.unit == unit


@pytest.mark.parametrize(
    ("text", "decimal", "thousands"),
    [
        ("33,700", "33,7", "33700"),
        ("33.700 MB", "33.7 MB", "33700 MB"),
        ("-4,194 MB", "-4,1940 MB", "-4194 MB"),
        ("5,000", "5", "5000"),
    ],
)
def test_what_has_two_readings_is_refused_with_both(text: str, decimal: str, thousands: str) -> None:
    with pytest.raises(UserError) as refused:
        parse(text)
    for lang in LANGUAGES:
        said = refused.value.message.text(lang)
        assert repr(thousands) in said and repr(decimal) in said
        assert {"en": ("comma", "point"), "es": ("coma", "punto")}[lang]["." in text] in said
    assert parse(thousands).value == pytest.approx(1000 * parse(decimal).value)


@pytest.mark.parametrize(
    "text", ["1,2,3", "1.2.3", "12,34.5", "1,234.567.8", ".", "_", "1e999", "many", "", "--1", "١٢", "**2"]
)
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="is not a number with a unit"):
        parse(text)


@pytest.mark.parametrize(
    ("text", "said"), [("many", "no es un número con unidad"), ("3 parsec", "no se conoce la unidad")]
)
def test_a_text_that_is_no_quantity_is_told_in_spanish_too(text: str, said: str) -> None:
    with pytest.raises(UserError) as refused:
        parse(text)
    assert said in refused.value.message.text("es")
    assert text.split()[-1] in refused.value.message.text("en")


@pytest.mark.parametrize(
    "text", [" " * 10_000, "1" + " " * 10_000 + "x", "1," * 5_000, "9" * 10_000, "1" * LONGEST + "!"]
)
def test_a_long_text_is_refused_at_once(text: str) -> None:
    began = time.process_time()
    with pytest.raises(UserError) as refused:
        parse(text)
    assert time.process_time() - began < 0.5 and len(refused.value.message.text("en")) < 300


def test_every_unit_that_is_written_is_one_that_is_read() -> None:
    assert {parse(f"1 {unit}").unit for unit in UNITS} == set(UNITS) > set(SCALED)


@pytest.mark.parametrize("text", ["1/6", "1 / 6 FLOP/byte", "2 * 10", "2*2**24 FLOP", "3 x 4 B", "2 - 1"])
def test_a_calculation_is_told_to_be_one(text: str) -> None:
    with pytest.raises(UserError, match="write its result"):
        parse(text)


@pytest.mark.parametrize(("text", "value"), [("33,700", 33700), ("4.096", 4096), ("4.5", 4.5), ("0.125", 0.125)])
def test_where_a_whole_number_is_wanted_a_mark_before_three_digits_groups(text: str, value: float) -> None:
    assert parse(text, whole=True).value == value


@pytest.mark.parametrize("text", ["2**3**4", "2**0.5", "9999**99", "2^12^2", "2**12 * 2"])
def test_of_powers_only_a_whole_one_is_read(text: str) -> None:
    with pytest.raises(UserError):
        parse(text)
