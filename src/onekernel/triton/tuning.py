"""Triton's autotuner in a check: no clock, the configurations in turn, a key that forgets nothing, and kernels that may
be run again.

The autotuner remembers a configuration under a key, and asks `early_config_prune` only when it meets a new key. Where
the pruning looks at something that is not in the key, a configuration that was chosen for one length runs for another
that it does not suit. Here the pruning is asked at every call, and what it says under one key must stay the same.

To time configurations, the autotuner runs the kernel many times. One that reads what it writes is run twice here, and
what it leaves must stay the same.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from onekernel.backends.base import Finding
from onekernel.counts import ATOMICS
from onekernel.messages import Message
from onekernel.triton import host
from onekernel.triton.memory import DROP, ClosedMemory, bytes_at
from onekernel.triton.watch import Region, Watch

CHAPTER = "03-04-autotune#key"
CHAPTER_OF_RUNS = "03-04-autotune"
MOST = 1 << 26  # bytes of a tensor that is compared


def tune_in_turn(first: int = 0) -> None:
    """Where answers are checked and nothing is timed: each new kind of call takes one of the configurations that fit
    it, the next in turn from the one numbered `first` on. So a check on a GPU compiles each kernel once instead of for
    every configuration, which takes minutes, and still tries them all; without a GPU there is no clock to ask. Once a
    process, before the file with the kernels is imported."""
    from triton.runtime.autotuner import Autotuner

    if getattr(Autotuner, "_onekernel_in_turn", False):
        return
    host.remember()  # on a GPU nobody else asks for it
    tuner: Any = Autotuner
    tuner._onekernel_in_turn = True
    made, prune, run = tuner.__init__, tuner.prune_configs, tuner.run

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        made(self, *args, **kwargs)
        self._do_bench = lambda kernel, quantiles: [0.0] * len(quantiles)
        self.cache = _Choices()

    def one(self: Any, *args: Any, **kwargs: Any) -> list[Any]:
        fitting = prune(self, *args, **kwargs)
        self._onekernel_timed = getattr(self, "_onekernel_timed", False) or len(fitting) > 1
        turn = self._onekernel_turn = getattr(self, "_onekernel_turn", first - 1) + 1
        return [fitting[turn % len(fitting)]]

    def watched(self: Any, *args: Any, **kwargs: Any) -> Any:
        self.cache.key = None
        if Watch.active is not None:  # at every call: the key of this one may be known from a call before
            different = len({str(config) for config in self.configs})
            Watch.active.configurations = max(Watch.active.configurations, different)
        named = _named(self, args, kwargs) if Watch.active is not None else []
        try:
            result = run(self, *args, **kwargs)
            if getattr(self, "_onekernel_timed", False) and Watch.active is not None:
                _refuse_other_results(self, lambda: _as_timed(self, run, args, kwargs), named, Watch.active)
            return result
        finally:
            if Watch.active is not None and self.early_config_prune and self.cache.key is not None:
                finding = _forgotten(self, args, kwargs, Watch.active)
                if finding:
                    Watch.active.blame(finding)

    tuner.__init__, tuner.prune_configs, tuner.run = init, one, watched


class _Choices(dict[tuple[Any, ...], Any]):
    """The autotuner's memory: the configuration of each key. It knows the key that it was asked for last, and what the
    pruning kept at the first call with each key, with the sizes of that call; and what was run twice with each."""

    def __init__(self) -> None:
        super().__init__()
        self.key: tuple[Any, ...] | None = None
        self.kept: dict[tuple[Any, ...], tuple[list[Any], tuple[int, int]]] = {}
        self.run_again: set[tuple[Any, tuple[str, ...]]] = set()

    def __contains__(self, key: object) -> bool:
        assert isinstance(key, tuple)
        self.key = key
        return super().__contains__(key)


def _forgotten(tuner: Any, args: tuple[Any, ...], kwargs: dict[str, Any], watch: Watch) -> Finding | None:
    """What is wrong with the key, if the pruning keeps other configurations for this call than for the first with it.
    Either call may be the first: what is kept for only one of them can be chosen there, and run for the other."""
    arguments = dict(zip(tuner.arg_names, args, strict=False))
    kept, sizes = list(tuner.early_config_prune(tuner.configs, arguments, **kwargs)), watch.sizes
    before, sizes_before = tuner.cache.kept.setdefault(tuner.cache.key, (kept, sizes))
    chosen_for, runs_for = sizes_before, sizes
    only = [config for config in before if config not in kept]
    if not only:
        chosen_for, runs_for = sizes, sizes_before
        only = [config for config in kept if config not in before]
    if not only:
        return None
    line = tuner.base_fn.__code__.co_firstlineno
    values = {
        "line": line,
        "kernel": tuner.base_fn.__name__,
        "key": ", ".join(tuner.keys) or "-",
        "config": str(only[0]).partition(", num_ctas")[0],
        "rows": chosen_for[0],
        "cols": chosen_for[1],
        "other_rows": runs_for[0],
        "other_cols": runs_for[1],
    }
    message = Message("triton.autotune-key", values)
    return Finding("autotune-key", message, watch.file, line, chapter=CHAPTER)


def _refuse_other_results(tuner: Any, again: Callable[[], Any], named: list[_Named], watch: Watch) -> None:
    """Blames a kernel that gives something else when it is run again, as the autotuner runs it: with what it restores
    or sets to 0. Any call may be the first with its key: the one in which the kernel is timed."""
    inputs = [r for r in watch.regions if not r.writable]
    emptied = next((r for t in named if t.reset for r in inputs if r.start <= t.start < r.end), None)
    if emptied is not None:
        line = tuner.base_fn.__code__.co_firstlineno
        values = {"line": line, "kernel": tuner.base_fn.__name__, "name": emptied.name}
        message = Message("triton.autotune-input", values)
        watch.blame(Finding("autotune-input", message, watch.file, line, chapter=CHAPTER_OF_RUNS))
        return
    if watch.samples or watch.in_place:  # in place it is so with every kernel, and no exercise asks to see to it
        return
    if tuner.user_defined_post_hook or ClosedMemory.active is None:  # it may put back what the kernel has added to
        return
    read_again = [r for r in watch.regions if r.stored and (r.loaded or watch.metric(ATOMICS))]
    read_again = [r for r in read_again if r.end - r.start <= MOST]
    tried = (tuner.cache.key, tuple(r.name for r in read_again))
    if not read_again or tried in tuner.cache.run_again:
        return
    tuner.cache.run_again.add(tried)
    kernels, findings = list(watch.kernels), list(watch.findings)
    before = _contents(read_again)
    with ClosedMemory.active.opened():
        left = [tensor.memory.copy() for tensor in named]
        for tensor in named:
            tensor.elements[...] = 0 if tensor.reset else tensor.held
    again()
    with ClosedMemory.active.opened():
        after = [bytes_at(r.start, r.end - r.start) for r in read_again]
        changed = [r for r, a, b in zip(read_again, before, after, strict=True) if not np.array_equal(a, b)]
        for memory, content in zip((*after, *(t.memory for t in named)), (*before, *left), strict=True):
            memory[:] = content
    watch.kernels[:], watch.findings[:] = kernels, findings
    sys.audit(DROP, len(kernels))
    if changed:
        line = tuner.base_fn.__code__.co_firstlineno
        values = {"line": line, "kernel": tuner.base_fn.__name__, "name": changed[0].name}
        reset = any(t.reset and changed[0].start <= t.start < changed[0].end for t in named)
        message = Message(f"triton.autotune-{'reset' if reset else 'runs'}", values)
        watch.blame(Finding("autotune-runs", message, watch.file, line, chapter=CHAPTER_OF_RUNS))


def _as_timed(tuner: Any, run: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Another run as the autotuner times it: behind the decorator's hook. A configuration's runs at each launch."""
    if tuner.user_defined_pre_hook:
        given = dict(zip(tuner.arg_names, args, strict=False)) | kwargs | tuner.best_config.all_kwargs()
        tuner.pre_hook(given, reset_only=True)
    return run(tuner, *args, **kwargs)


class _Named:
    """A tensor that the autotuner restores after each timing, or sets to 0 before: its memory, and what it held."""

    def __init__(self, tensor: Any, reset: bool) -> None:
        size, self.reset, self.start = tensor.element_size(), reset, tensor.data_ptr()
        extents = [(n - 1) * step for n, step in zip(tensor.shape, tensor.stride(), strict=True)]
        self.memory = bytes_at(self.start, (1 + sum(extents)) * size)
        whole = self.memory.view(f"u{size}")
        self.elements = np.lib.stride_tricks.as_strided(whole, tensor.shape, [step * size for step in tensor.stride()])
        self.held = self.elements.copy()


def _named(tuner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[_Named]:
    """The tensors that the decorator names, as they are before the launch; of a GPU's memory none, whose kernels are
    timed there."""
    if not (tuner.reset_to_zero or tuner.restore_value) or ClosedMemory.active is None:
        return []
    given = dict(zip(tuner.arg_names, args, strict=False)) | kwargs
    names = [*((n, False) for n in tuner.restore_value), *((n, True) for n in tuner.reset_to_zero)]
    # Of torch's own class alone: what another one is asked for would be computed with memory open.
    tensors = [(given[n], reset) for n, reset in names if host.is_torchs(given.get(n))]
    tensors = [(tensor, reset) for tensor, reset in tensors if tensor.device.type == "cpu"]
    with ClosedMemory.active.opened():
        return [_Named(t, r) for t, r in tensors if t.numel() and t.numel() * t.element_size() <= MOST]


def _contents(regions: list[Region]) -> list[np.ndarray]:
    assert ClosedMemory.active is not None
    with ClosedMemory.active.opened():
        return [bytes_at(r.start, r.end - r.start).copy() for r in regions]
