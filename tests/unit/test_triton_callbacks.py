"""What a file hangs on the process is not called while memory is open, and objects of its classes are not taken in."""

from __future__ import annotations

import enum
import os
import signal
import subprocess
import sys
import types
import warnings
from collections import namedtuple
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

torch = pytest.importorskip("torch")
tl = pytest.importorskip("triton.language")
from onekernel.triton import origins  # noqa: E402
from onekernel.triton.memory import ClosedMemory  # noqa: E402
from onekernel.triton.origins import each_in, is_plain, is_plain_class  # noqa: E402

origins.remember()

Hang = Callable[[Callable[..., Any]], object]


def _warned(called: Callable[..., Any]) -> None:
    warnings.simplefilter("always")
    warnings.showwarning = called
    np.seterr(all="warn")


HOOKS: dict[str, tuple[Hang, Callable[[], object]]] = {
    "NumPy's errors": (
        lambda called: (np.seterr(all="call"), np.seterrcall(called)),
        lambda: np.float32(1) / np.zeros(2, np.float32),
    ),
    "warnings": (_warned, lambda: np.float32(1) / np.zeros(2, np.float32)),
    "how an array is printed": (
        lambda called: np.set_printoptions(formatter={"all": lambda value: called() or "?"}),
        lambda: str(np.zeros(2)),
    ),
    "a signal": (
        lambda called: signal.signal(signal.SIGCHLD, called),
        lambda: os.waitpid(os.spawnlp(os.P_NOWAIT, "true", "true"), 0),
    ),
}


@pytest.fixture
def restored() -> Iterator[None]:
    """The process as it was, behind what takes its handlers and filters away."""
    handlers = {s: signal.getsignal(s) for s in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}}
    with warnings.catch_warnings(), np.errstate(), np.printoptions():
        yield
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("name", HOOKS)
def test_what_a_file_has_hung_up_is_not_called_while_memory_is_open(name: str, restored: None) -> None:
    hang, ring = HOOKS[name]
    called: list[object] = []
    hang(lambda *_, **__: called.append(name))
    ring()
    assert called, "it is called without the watch"
    called.clear()
    with ClosedMemory([torch.zeros(3)]) as memory, memory.opened():
        ring()
    assert not called


Pair = namedtuple("Pair", "one other")


class Typed(NamedTuple):
    one: int
    other: str = "x"


# From Python 3.14 on its annotations are computed whenever somebody asks for them: by code of the file's.
TYPED_IS_PLAIN = sys.version_info < (3, 14)


class Changed(NamedTuple):
    one: int

    def __eq__(self, other: object) -> bool:
        return True


class Replaced(NamedTuple):
    one: int


Replaced.__new__ = staticmethod(lambda kind, one: tuple.__new__(kind, (one,)))  # type: ignore[assignment,method-assign]


class Below(Pair):
    pass


class Text(str):
    pass


class Tuple(tuple):
    pass


class Which(enum.Enum):
    A = 1


class Element(type(tl.float32)):  # type: ignore[misc]
    pass


class After(int):
    __module__ = "torch"


class Module(types.ModuleType):
    pass


class Tensor(torch.Tensor):
    pass


def named_for_numpy() -> object:
    """An object of a class that says, and shows, that it is one of NumPy's numbers."""
    kind = type("float31", (np.float32,), {"__module__": "numpy"})
    return kind(1)


@pytest.mark.parametrize("value", [
    None, True, 3, 2.5, "x", b"x", (1, ("x", 2)), [1, None], {"x": 1}, Pair(1, 2),
    Typed(1) if TYPED_IS_PLAIN else (), tl.float32, tl.int32, tl.pointer_type(tl.float32), tl.constexpr(3),
    tl.constexpr("x"), torch.float16, np.float32(2),
    torch.zeros(2), (torch.zeros(2), 1), slice(1, 2), tl.tuple([1, 2]), np, len,
], ids=lambda value: type(value).__name__)  # fmt: skip
def test_numbers_texts_types_and_tuples_of_them_are_plain(value: object) -> None:
    assert is_plain(value)


@pytest.mark.parametrize("value", [
    object(), Text("x"), Tuple((1, 2)), (1, Text("x")), [Text("x")], {"x": Text("x")}, {Text("x"): 1}, Changed(1),
    Replaced(1), Below(1, 2), Pair(1, Text("x")), Which.A, Element("fp32"), tl.constexpr(Text("x")), After(1),
    np.zeros(2), np.array([object()]), [torch.zeros(2)], {"x": torch.zeros(2)}, slice(Text("x"), 1), Module("x"),
    tl.constexpr(tl.constexpr(Text("x"))), torch.zeros(2).as_subclass(Tensor), named_for_numpy(),
])  # fmt: skip
def test_what_has_code_of_its_own_is_not(value: object) -> None:
    assert not is_plain(value)


def test_a_function_is_found_in_whatever_holds_it() -> None:
    for held in ((1, (print, 2)), [print], {"x": print}, slice(print, 1), Pair(print, 1), tl.constexpr(print)):
        assert print in each_in(held)


@pytest.mark.parametrize(("kind", "plain"), [
    (int, True), (tuple, True), (torch.Tensor, True), (tl.constexpr, True), (Pair, True), (Typed, TYPED_IS_PLAIN),
    (Text, False), (Below, False), (Changed, False), (type("Made", (), {}), False),
    (type, False), (np.vectorize, False),
])  # fmt: skip
def test_a_class_that_a_kernel_names_is_one_that_kernels_work_with(kind: type, plain: bool) -> None:
    assert is_plain_class(kind) is plain


def test_what_is_put_into_tritons_modules_later_is_not_tritons(monkeypatch: pytest.MonkeyPatch) -> None:
    added = type("Added", (), {"__module__": "triton.language.core"})
    monkeypatch.setattr(tl.core, "Added", added, raising=False)
    assert origins.is_tritons(tl.core.constexpr) and not origins.is_tritons(added)
    assert origins.had(tl.core, "constexpr") and not origins.had(tl.core, "Added")
    assert origins.leads_out("builtins") and not origins.leads_out("math")


CALLS = """
import ctypes, sys, tempfile
from functools import partial
from pathlib import Path
from types import CellType, CodeType, FunctionType, SimpleNamespace

import numpy as np

from onekernel.backends.base import Buffer
from onekernel.sandbox import inputs
from onekernel.triton import callbacks

call = partial(sys.audit, "ctypes.call_function")  # what Python 3.14 tells of each call
ctypes.CDLL = lambda *given, **named: SimpleNamespace(mprotect=partial(call))
with tempfile.NamedTemporaryFile() as file:
    file.write(bytes(range(100)))
    file.flush()
    held = inputs.ClosedInputs(Path(file.name))
given = [Buffer("x", held.part(0, 100), 0, 100, False, 4)]
held.close([given])
callbacks.close(True)
print(bytes(held.take(given)[0].memory[:3]))

code = next(c for c in inputs._guard.__code__.co_consts if isinstance(c, CodeType) and c.co_name == "hook")
frame = SimpleNamespace(f_code=1, f_back=2)
its = dict(inputs=held, look=lambda above: frame, take=1, owner=2, base=0, page=4096, calls=iter([[(0, 1)]]),
           rights=(1, 0), pages=np.zeros(1), mprotect=call)
again = FunctionType(code, vars(inputs), "again", (), tuple(CellType(its[name]) for name in code.co_freevars))
for attempt in (call, lambda: again("onekernel.take", (held, [])), partial(sys.audit, "ctypes.dlsym", 0, "mprotect")):
    try:
        attempt()
    except PermissionError as error:
        print(error)
"""


def test_the_sandboxs_own_call_by_ctypes_goes_on_and_no_other() -> None:
    """Nor that of a function that is made of its code."""
    done = subprocess.run([sys.executable, "-c", CALLS], capture_output=True, text=True, check=True)
    refused = [line.partition(":")[0] for line in done.stdout.splitlines()]
    assert refused == [str(bytes([0, 1, 2])), "ctypes.call_function", "ctypes.call_function", "ctypes.dlsym"]
