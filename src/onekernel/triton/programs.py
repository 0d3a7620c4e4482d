"""What a program of a kernel asks of the builder, kept and asked again by the launch's other programs.

A program is Python, gone through line by line to find out which call of the builder is next; the calls themselves,
which do NumPy's work, take a fifth of the time. What a launch's programs are given is the same; what differs between
them are the numbers that they ask tensors for (`if`, the bounds of a loop). So the calls are kept as a tree: up to the
first number that is asked for, then a branch for each answer. Where an answer is new, the program is gone through in
Python, with what was made so far: nothing is stored twice.

But:    a program is left to Python that makes something past the builder, prints, takes too many steps, or asks for
        other numbers each time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from operator import itemgetter
from typing import Any

from onekernel.triton.memory import Watch
from onekernel.triton.recipes import Call, Node, Recipe, again
from onekernel.triton.type_rules import Rules

MOST_CALLS = 4096  # of a program
MOST_BYTES = 1 << 26  # of what a program makes: it is there until the program ends
FEWEST = 5  # programs of a launch: to note one takes as long as to run three
MOST_MISSED = 4  # programs that ask for numbers of their own, more than two for each that does not
# Of a builder's calls those whose result more than what they are given decides, or that do something.
_ACTS = "load store atomic gather scatter descriptor print assert assume program barrier".split()
_HOLE = object()  # in what a call is given: the place of a handle


def launched(function: Any) -> Any:
    """What runs the programs of a launch in the place of its kernel: the kernel itself, unless they are kept."""
    return function


def keep_programs(interpreter: Any, rules: Rules) -> None:
    """Has the interpreter say what programs ask tensors for, and what they reduce. Once a process; where a version of
    Triton has its parts by other names, every program is Python's."""
    global launched
    reduction = getattr(interpreter, "ReduceScanOpInterface", None)
    if not (hasattr(reduction, "apply") and hasattr(interpreter, "_patch_lang_tensor")):
        return
    patch, reduce = interpreter._patch_lang_tensor, reduction.apply

    def index(tensor: Any) -> int:
        return _index(tensor.handle) if rules.follower is None else rules.follower.ask(tensor.handle, _index)

    def truth(tensor: Any) -> bool:
        return _truth(tensor.handle) if rules.follower is None else bool(rules.follower.ask(tensor.handle, _truth))

    def shown(tensor: Any, how: Callable[[Any], str]) -> str:
        if rules.follower is not None:
            rules.follower.whole = False
        return how(tensor.handle.data)

    def represented(tensor: Any) -> str:
        return shown(tensor, repr)

    def written(tensor: Any) -> str:
        return shown(tensor, str)

    methods = (("__index__", index), ("__bool__", truth), ("__repr__", represented), ("__str__", written))

    def patched(tensor: Any, scope: Any) -> None:
        patch(tensor, scope)
        for name, method in methods:
            scope.set_attr(tensor, name, method)

    def reduced(operation: Any, given: Any) -> Any:
        if rules.follower is None or not all(type(t) is interpreter.tl.tensor for t in _several(given)):
            return reduce(operation, given)
        return rules.follower.reduce(partial(reduce, operation), given)

    def kept(function: Any) -> Any:
        return Launched(interpreter, rules, function)

    interpreter._patch_lang_tensor, reduction.apply, launched = patched, reduced, kept


def _index(handle: Any) -> int:
    return int(handle.data.item())


def _truth(handle: Any) -> bool:
    return bool(handle.data) if handle.data.size == 1 else True  # a tile is not asked


class Launched:
    """A launch's kernel, which is called for each program. What is kept ends with the launch: nobody can change it."""

    def __init__(self, interpreter: Any, rules: Rules, function: Any) -> None:
        self._interpreter, self._rules, self._function = interpreter, rules, function
        self._given: list[Any] = []
        self._root = Node()
        self._alone: bool | None = None  # whether programs are left to Python
        self._again = self._missed = 0

    def __call__(self, **args: Any) -> Any:
        if self._alone is None:
            grid = getattr(self._interpreter.interpreter_builder, "grid_dim", ())
            self._alone = math.prod(grid) < FEWEST
        if self._alone:
            return self._function(**args)
        if not self._root.known:
            self._given = [value.handle for value in args.values() if type(value) is self._interpreter.tl.tensor]
            return self._followed(args, [])
        made = [*self._given]
        if again(self._root, made, self._interpreter.TensorHandle):
            self._again += 1
            return None
        self._missed += 1
        return self._followed(args, made[len(self._given) :])

    def _followed(self, args: dict[str, Any], done: list[Any]) -> Any:
        """A program in Python, whose calls are noted; the results of the first are there."""
        follower = Follower(self._interpreter, self._rules, self._given, done)
        with self._rules.followed_by(follower):
            result = self._function(**args)
        self._alone = not follower.whole or self._missed > MOST_MISSED + 2 * self._again
        if follower.whole:
            follower.put_in(self._root)
        return result


class Follower:
    """Stands before the builder and notes what is made of what."""

    def __init__(self, interpreter: Any, rules: Rules, given: list[Any], done: list[Any]) -> None:
        self.whole = True  # it is known of all that was made what it was made of
        self._builder, self._rules = interpreter.interpreter_builder, rules
        self._handle, self._tensor = interpreter.TensorHandle, interpreter.tl.tensor
        handles = (getattr(interpreter, name, tuple) for name in ("BlockPointerHandle", "TensorDescHandle"))
        self._opaque = {interpreter.tl.tensor, tuple, *handles}
        self._given, self._done = len(given), done
        self._places = {id(handle): place for place, handle in enumerate(given)}
        self._constants: dict[int, Any] = {}
        self._kept = [*given]  # else another one might come to have the id of one that is gone
        self._calls = self._bytes = 0
        self._nodes: list[list[Call]] = [[]]
        self._asked: list[tuple[int, Callable[[Any], int], int]] = []

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._builder, name)
        if not callable(found):
            return found
        pure = name.startswith(("create_", "get_")) and not any(act in name for act in _ACTS)

        def noted(*args: Any, **named: Any) -> Any:
            if any(type(x) is self._handle or type(x) in self._opaque or type(x) is list for x in named.values()):
                self.whole = False  # another program has other ones
            return self._noted(partial(found, **named) if named else found, args, pure)

        vars(self)[name] = noted
        return noted

    def put_in(self, node: Node) -> None:
        """Puts the calls into the tree."""
        for calls, asked in zip(self._nodes, [*self._asked, None], strict=True):
            if not node.known:
                node.known, node.calls, node.asked = True, calls, asked and asked[:2]
            if asked is not None:
                node = node.answers.setdefault(asked[2], Node())

    def ask(self, handle: Any, how: Callable[[Any], int]) -> int:
        """A number of a tensor's; what follows depends on it."""
        answer = how(handle)
        if self.whole and id(handle) not in self._constants and handle.data.size == 1:
            self.whole = id(handle) in self._places
            if self.whole:
                self._asked.append((self._places[id(handle)], how, answer))
                self._nodes.append([])
        return answer

    def follow(self, recipe: Recipe, operands: Sequence[Any]) -> Any:
        """An operation of which is known what it asks of the builder."""
        if recipe.said is None:
            return operands[recipe.tensors[recipe.result]]
        handles = [*(operands[at].handle for at in recipe.tensors), *recipe.constants]
        self._constants |= {id(constant): constant for constant in recipe.constants}
        for step in recipe.steps:
            args = [*step.given]
            for at, place in step.places.items():
                args[at] = handles[place]
            handles.append(self._noted(step.method, args, True, step.numpy, step.dtypes))
        made = object.__new__(self._tensor)
        made.__dict__ = {**recipe.said, "handle": handles[recipe.result]}
        return made

    def reduce(self, reduce: Callable[[Any], Any], given: Any) -> Any:
        """A reduction or a scan of tensors, which is no call of the builder's."""
        tensors, one, tensor = _several(given), type(given) is not tuple, self._tensor
        kinds = [t.type for t in tensors]

        def made(*handles: Any) -> Any:
            parts = tuple([tensor(handle, kind) for handle, kind in zip(handles, kinds, strict=True)])
            return reduce(parts[0] if one else parts)

        with self._rules.followed_by(None):
            result = self._noted(made, [t.handle for t in tensors], False)
        for n, _ in enumerate(_several(result)):
            self._noted(partial(_handle_of, n), [result], False)
        return result

    def _noted(
        self, method: Callable[..., Any], args: Sequence[Any], pure: bool, numpy: Any = None, dtypes: Any = (None, None)
    ) -> Any:
        """The result of a call, which is noted unless it is always the same."""
        if not self.whole:
            return method(*args)
        used, fixed, made = [], pure, self._handle
        for at, x in enumerate(args):
            kind = type(x)
            if kind is made or (kind in self._opaque and id(x) in self._places):
                used.append(at)
                if id(x) not in self._constants:
                    fixed = False
                    self.whole = self.whole and id(x) in self._places
            elif (kind is list or kind is tuple) and next(self._leaves(x), None) is not None:
                return self._noted(partial(_filled_in, method, self._emptied(args)), [*self._leaves(args)], pure)
        if not self.whole:
            return method(*args)
        if fixed:
            result = method(*args)
            if type(result) is made:
                self._constants[id(result)] = result
            else:
                self.whole = not used and type(result) not in self._opaque
            return result
        places = tuple([(at, self._place(args[at])) for at in used])
        given = tuple([None if at in used else x for at, x in enumerate(args)])
        line = Watch.active.line() if Watch.active and not pure else None  # of what may fail, or be blamed
        call = (numpy if len(used) == len(args) else None, method, given, places, *dtypes, line)
        result = self._made(call, lambda: method(*args))
        if type(result) is tuple:
            for n, part in enumerate(result):
                if type(part) is self._handle:
                    self._noted(itemgetter(n), [result], False)
        return result

    def _made(self, call: Call, make: Callable[[], Any]) -> Any:
        """The result of a call, found or made, with a place of its own."""
        place = self._calls
        self._calls += 1
        result = self._done[place] if place < len(self._done) else make()
        self._nodes[-1].append(call)
        self._kept.append(result)
        if type(result) is self._handle or type(result) in self._opaque:
            self._places[id(result)] = self._given + place
        elif result is not None:
            self.whole = False
        self._bytes += result.data.nbytes if type(result) is self._handle else 0
        self.whole = self.whole and self._calls < MOST_CALLS and self._bytes < MOST_BYTES
        return result

    def _place(self, handle: Any) -> int:
        if id(handle) not in self._places:  # a constant
            self._made((None, None, handle, (), None, None, None), lambda: handle)
            self._places[id(handle)] = self._given + self._calls - 1
        return self._places[id(handle)]

    def _leaves(self, value: Any) -> Any:
        """The handles in a list of what a call is given, and what was made otherwise."""
        for part in value:
            if type(part) is self._handle or id(part) in self._places:
                yield part
            elif type(part) in (list, tuple):
                yield from self._leaves(part)

    def _emptied(self, value: Any) -> Any:
        """What a call is given, without the handles: what is kept keeps no program's numbers."""
        emptied = []
        for part in value:
            if type(part) is self._handle or id(part) in self._places:
                emptied.append(_HOLE)
            else:
                emptied.append(self._emptied(part) if type(part) in (list, tuple) else part)
        return tuple(emptied) if type(value) is tuple else emptied


def _filled_in(method: Callable[..., Any], emptied: Any, *handles: Any) -> Any:
    return method(*_filled(emptied, iter(handles)))


def _filled(emptied: Any, handles: Any) -> Any:
    filled = []
    for part in emptied:
        if part is _HOLE:
            filled.append(next(handles))
        else:
            filled.append(_filled(part, handles) if type(part) in (list, tuple) else part)
    return tuple(filled) if type(emptied) is tuple else filled


def _several(value: Any) -> Any:
    return value if type(value) is tuple else (value,)


def _handle_of(n: int, result: Any) -> Any:
    return _several(result)[n].handle
