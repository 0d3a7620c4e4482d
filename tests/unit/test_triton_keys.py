"""No key of a file's class is beside a name that is looked up while memory is open."""

from __future__ import annotations

import contextlib
import sys
import types
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
tl = pytest.importorskip("triton.language")
interpreter = pytest.importorskip("triton.runtime.interpreter")
from onekernel.triton import keys, memory, origins  # noqa: E402

origins.remember()


class Name(str):
    pass


class Asked:
    """A key that is asked whether it is a name, with the `called` that it was."""

    called = 0

    def __hash__(self) -> int:
        return hash("name")

    def __eq__(self, other: object) -> bool:
        Asked.called += 1
        return False


@pytest.fixture
def groups() -> Iterator[keys.Groups]:
    before = {**vars(memory)}
    yield keys.looked_up()
    vars(memory).clear()
    vars(memory).update(before)


@pytest.mark.parametrize("key", [Name("name"), Asked(), (1, Name("name"))], ids=["text", "object", "tuple"])
def test_a_key_of_another_class_is_found_without_being_asked(groups: keys.Groups, key: Any) -> None:
    assert keys.plain(groups)
    vars(memory)[key] = 1
    before = Asked.called
    assert not keys.plain(groups) and Asked.called == before


def test_keys_of_pythons_own_are_none_of_a_files(groups: keys.Groups) -> None:
    vars(memory)["a"] = vars(memory)[3] = vars(memory)[("a", (int, None))] = 1  # type: ignore[index]
    assert keys.plain(groups)


def test_where_kernels_look_is_looked_at(groups: keys.Groups) -> None:
    looked_at = {id(held) for _, all_held in groups for held in all_held}
    for held in (vars(np), vars(tl), vars(sys), sys.modules, vars(memory), vars(interpreter.interpreter_builder)):
        assert id(held) in looked_at


def test_a_value_with_such_a_key_is_not_plain() -> None:
    module = types.ModuleType("module")
    tensor, number = torch.zeros(2), tl.constexpr(3)
    for value in (module, tensor, number):
        assert origins.is_plain(value)
        vars(value)[Name("name")] = 1
        assert not origins.is_plain(value)


def test_what_the_interpreter_makes_of_arguments_is_known() -> None:
    for value in (torch.zeros(2), 3, (torch.zeros(2), 1)):
        assert origins.is_converted(interpreter._implicit_cvt(value))
    with contextlib.suppress(ValueError):  # Triton 3.6 makes nothing of Python's True
        assert origins.is_converted(interpreter._implicit_cvt(True))
    made = interpreter._implicit_cvt(torch.zeros(2))
    made.handle.data = np.array([object()])
    assert not origins.is_converted(made)
    assert not origins.is_converted(object()) and not origins.is_converted(np.array([object()]))
