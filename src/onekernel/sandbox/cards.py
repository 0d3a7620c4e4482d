"""The simulated cards of a benchmark, in a process apart: what is true of one never lies in the memory in which a
submission runs, so that no way to look behind the device finds anything.

The worker makes that process before it is closed. It alone reads the job's file of worlds, which is gone before a line
of the submission runs, and from then on it answers what a device is asked, one card after the other, none twice.

    a line to it      [METHOD, ARGUMENT, ...]; tensors, events and functions are numbers
    a line from it    {"is": ANSWER} or {"raises": [TYPE, TEXT]}
"""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from onekernel.backends import forks
from onekernel.sandbox.simulated_gpu import ITEMSIZE, SimulatedGPU, World

NAME = "cards"
MOST = 100_000  # tensors and events of a card, a thousand times what a benchmark needs
LINE = 1000  # bytes of what is asked
_PR_SET_DUMPABLE = 4
_RAISED: dict[str, type[Exception]] = {"RuntimeError": RuntimeError, "ValueError": ValueError}
Ask = Callable[[list[Any]], Any]


class Cards:
    """Answers for the devices of those worlds."""

    def __init__(self, worlds: Sequence[Mapping[str, Any]]) -> None:
        self._worlds = list(worlds)
        self._begun = -1
        self._device: SimulatedGPU
        self._things: list[Any] = []

    def answer(self, asked: list[Any]) -> Any:
        """What a device says. Raises RuntimeError and ValueError as it does, others for what is no question."""
        method, *args = asked
        if method == "card":
            return self._begin(*args)
        if method in ("clock", "synchronize"):
            return getattr(self._device, method)()
        if method in ("event", "randn", "zeros", "ones", "empty"):
            return self._keep(getattr(self._device, method)(*args))
        if method == "fill":
            return self._device.fill(self._things[args[0]])
        if method == "record":
            return self._things[args[0]].record()
        if method == "elapsed":
            return self._things[args[0]].elapsed(self._things[args[1]])
        if method == "call":
            function, x, out = args
            given = None if out is None else self._things[out]
            made = self._functions[function](self._things[x], given)
            return out if made is given else self._keep(made)
        raise LookupError(method)

    def _begin(self, number: int) -> int:
        """The bytes of the L2 of a card, from here on the one that is asked."""
        if number <= self._begun:
            raise ValueError("no card is asked twice")
        self._begun, self._things = number, []
        self._device = SimulatedGPU(World.from_json(self._worlds[number]))
        self._functions = self._device.functions()
        return self._device.l2_bytes

    def _keep(self, thing: Any) -> int:
        if len(self._things) == MOST:
            raise RuntimeError("more tensors and events than the device has room for")
        self._things.append(thing)
        return len(self._things) - 1


def apart(path: Path) -> Ask:
    """Makes the process that answers for the worlds in the file `path`, and gives what asks it."""
    child, answers, ask = forks.beside()
    if not child:
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
        _serve(path, answers, ask)
    requests, told = os.fdopen(ask, "w"), os.fdopen(answers)
    told.readline()  # it has read the file, which is gone

    def asked(question: list[Any]) -> Any:
        print(json.dumps(question), file=requests, flush=True)
        answer = json.loads(told.readline())
        if "raises" in answer:
            kind, text = answer["raises"]
            raise _RAISED.get(kind, RuntimeError)(text)
        return answer["is"]

    return asked


def _serve(path: Path, asking: int, answering: int) -> NoReturn:
    try:
        cards = Cards(json.loads(path.read_text(encoding="utf-8")))
        path.unlink()
        with os.fdopen(asking) as requests, os.fdopen(answering, "w") as answers:
            print(file=answers, flush=True)
            while line := requests.readline(LINE):
                try:
                    answer: dict[str, Any] = {"is": cards.answer(json.loads(line))}
                except Exception as error:
                    answer = {"raises": [type(error).__name__, str(error)]}
                print(json.dumps(answer), file=answers, flush=True)
    finally:
        os._exit(0)


class Tensor:
    """`numel` float32 elements on a card."""

    def __init__(self, number: int, numel: int) -> None:
        self._number = number
        self.numel = numel

    @property
    def nbytes(self) -> int:
        return self.numel * ITEMSIZE


class Event:
    """A point in a card's stream. `record` puts it there; `elapsed` gives the seconds from it to a later one."""

    def __init__(self, ask: Ask, number: int) -> None:
        self._ask, self._number = ask, number

    def record(self) -> None:
        self._ask(["record", self._number])

    def elapsed(self, later: Event) -> float:
        """Raises RuntimeError for an event that was not recorded, or that the GPU has not reached."""
        return float(self._ask(["elapsed", self._number, later._number]))


class Device:
    """Card number `number` as a benchmark sees it: `Device` in the exercise says what each method does."""

    def __init__(self, ask: Ask, number: int) -> None:
        self._ask = ask
        self.l2_bytes = int(ask(["card", number]))

    def clock(self) -> float:
        return float(self._ask(["clock"]))

    def synchronize(self) -> None:
        self._ask(["synchronize"])

    def event(self) -> Event:
        return Event(self._ask, self._ask(["event"]))

    def randn(self, n: int) -> Tensor:
        return self._made("randn", n)

    def zeros(self, n: int) -> Tensor:
        return self._made("zeros", n)

    def ones(self, n: int) -> Tensor:
        return self._made("ones", n)

    def empty(self, n: int) -> Tensor:
        return self._made("empty", n)

    def fill(self, tensor: Tensor) -> None:
        self._ask(["fill", tensor._number])

    def functions(self) -> tuple[Callable[..., Tensor], Callable[..., Tensor]]:
        """The two functions to measure."""
        return self._function(0), self._function(1)

    def _made(self, how: str, n: int) -> Tensor:
        return Tensor(self._ask([how, int(n)]), int(n))

    def _function(self, number: int) -> Callable[..., Tensor]:
        def call(x: Tensor, out: Tensor | None = None) -> Tensor:
            made = self._ask(["call", number, x._number, None if out is None else out._number])
            return Tensor(made, x.numel) if out is None else out

        return call
