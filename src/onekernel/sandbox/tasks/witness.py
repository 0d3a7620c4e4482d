"""What a port of MiniGPT computes by torch in a forward pass, and what it takes out of torch. Decides nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Set
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.overrides import TorchFunctionMode

from onekernel.minigpt.sketches import sketch
from onekernel.triton.host import MOVES, TAKEN_OUT, dispatch_mode

MOST = 20_000  # sketches: a pass makes some hundreds
FEW = 8  # numbers that may be looked at: a size, an assertion
_BETWEEN = (__file__, str(Path(torch.__file__).parent))  # the port and what is watched


class Witness:
    """Of one pass: the sketches of what operators made, of tensors of those sizes; and the line of `source` that took
    a tensor's numbers out of torch, with what it called."""

    def __init__(self, source: Path, sizes: Set[int]) -> None:
        self._source, self._sizes = str(source), sizes
        self._made: list[tuple[float, float, float, float]] = []
        self._taken: tuple[int, str] | None = None
        self._looked_at = 0

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watches what is computed meanwhile."""
        made, taken = self._saw_made, self._saw_taken
        mode: Any = dispatch_mode()

        class Operators(mode):  # type: ignore[misc]
            def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
                result = func(*args, **(kwargs or {}))
                if not func.is_view and func.overloadpacket.__name__ not in MOVES:
                    made(result)
                return result

        class Methods(TorchFunctionMode):
            def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
                name = getattr(func, "__name__", "")
                if name in (*TAKEN_OUT, "item", "__float__", "__int__"):
                    taken(name, args[0])
                return func(*args, **(kwargs or {}))

        with Operators(), Methods():
            yield

    def answer(self) -> dict[str, np.ndarray]:
        """What was seen, as arrays: "made", and "taken-out" as UTF-8 "LINE CALL"."""
        found = {"made": np.array(self._made, np.float64).reshape(-1, 4)}
        if self._taken:
            found["taken-out"] = np.frombuffer("{} Tensor.{}".format(*self._taken).encode(), np.uint8)
        return found

    def _saw_made(self, result: Any) -> None:
        for tensor in result if isinstance(result, list | tuple) else (result,):
            wanted = isinstance(tensor, torch.Tensor) and tensor.is_floating_point() and tensor.numel() in self._sizes
            if wanted and len(self._made) < MOST:
                self._made.append(sketch(tensor.detach().cpu().double().numpy()))

    def _saw_taken(self, call: str, tensor: Any) -> None:
        line = self._line()
        if line and isinstance(tensor, torch.Tensor) and tensor.is_floating_point():
            self._looked_at += tensor.numel()
            if self._looked_at > FEW and not self._taken:
                self._taken = line, call

    def _line(self) -> int:
        """The line of the port that calls torch; 0 where something else does: a kernel in the softmax's place."""
        frame = sys._getframe(2)
        while frame is not None and frame.f_code.co_filename.startswith(_BETWEEN):
            frame = frame.f_back  # type: ignore[assignment]
        return frame.f_lineno if frame is not None and frame.f_code.co_filename == self._source else 0
