"""Where control goes in a kernel's machine code: successors, and which branches decide whether an instruction runs."""

from __future__ import annotations

from functools import cached_property

from onekernel.simulator.machine_code.instructions import Function, Instruction, Unreadable

_ENDS = ("EXIT", "KILL", "BPT")


class Flow:
    """Successors of each instruction by index. A call goes on behind it: what it calls is reached from nowhere, and its
    own instructions are decided by its own branches. The end of the kernel is the index behind the last."""

    def __init__(self, function: Function) -> None:
        self.code = function.instructions
        self.end = len(self.code)
        self.labels = function.labels
        calls = [i for i, one in enumerate(self.code) if one.name == "CALL" and one.label]
        if any(self.code[i].operands for i in calls):
            raise Unreadable("CALL")  # by a pointer: its label is only what a register's value is counted from
        self._jumps = {i for i in calls if not self._returns(i)}
        self.successors = [self._after(i, one) for i, one in enumerate(self.code)]
        self.calls = [i for i in calls if i not in self._jumps]

    def target(self, one: Instruction) -> int:
        """The index that a branch or a call goes to. Raises Unreadable for one that is only known when it runs."""
        if one.label not in self.labels:
            raise Unreadable(f"{one.name} {one.label}")
        return self.labels[one.label]

    def jumps(self, i: int) -> bool:
        """Whether the call at `i` is a jump: what it goes to never returns."""
        return i in self._jumps

    def _returns(self, call: int) -> bool:
        seen, work = set(), [self.target(self.code[call])]
        while work:
            i = work.pop()
            if i in seen or i >= self.end:
                continue
            seen.add(i)
            one = self.code[i]
            if one.name == "RET":
                return True
            if one.name == "BRA" and one.label in self.labels:
                work.append(self.labels[one.label])
            if one.guard or one.operands or one.name not in (*_ENDS, "BRA"):
                work.append(i + 1)
        return False

    def _after(self, i: int, one: Instruction) -> tuple[int, ...]:
        follows = (i + 1,)
        if one.name in _ENDS or one.name == "RET" or (one.name == "CALL" and not one.label):
            return (self.end, i + 1) if one.guard else (self.end,)
        if one.name == "BRA":
            if "DIV" in one.modifiers or "CONV" in one.modifiers:
                return follows  # the slow way comes back, and does what the fast one does
            target = (self.target(one),)
            return target if unconditional(one) else (*target, i + 1)
        if i in self._jumps:
            return (self.target(one), i + 1) if one.guard else (self.target(one),)
        if one.name in ("BRX", "JMP", "JMX"):
            raise Unreadable(one.name)
        return follows

    @cached_property
    def deciders(self) -> list[set[int]]:
        """For each instruction the branches that decide whether it runs (control dependence). Source: Ferrante,
        Ottenstein and Warren, "The Program Dependence Graph", 1987."""
        out: list[set[int]] = [set() for _ in range(self.end + 1)]
        for i, after in enumerate(self.successors):
            if len(after) < 2:
                continue
            stop = self.post_dominator[i]
            for at in after:
                while at not in (stop, -1, self.end):
                    out[at].add(i)
                    at = self.post_dominator[at]
        return out

    @cached_property
    def post_dominator(self) -> list[int]:
        """Of each instruction the next that every way to the end passes; -1 where no way leads there. Source: Cooper,
        Harvey and Kennedy, "A Simple, Fast Dominance Algorithm", 2001."""
        before: list[list[int]] = [[] for _ in range(self.end + 1)]
        for i, after in enumerate(self.successors):
            for at in after:
                before[at].append(i)
        order, number = self._backwards(before)
        nearest = [-1] * (self.end + 1)
        nearest[self.end] = self.end
        changed = True
        while changed:
            changed = False
            for i in order[1:]:
                new = -1
                for at in self.successors[i]:
                    if nearest[at] < 0:
                        continue
                    new = at if new < 0 else _meet(new, at, nearest, number)
                if new != nearest[i]:
                    nearest[i], changed = new, True
        return nearest

    def _backwards(self, before: list[list[int]]) -> tuple[list[int], list[int]]:
        """The instructions from the end, each behind what follows it as far as loops allow, and their numbers."""
        number, order = [-1] * (self.end + 1), []
        seen = [False] * (self.end + 1)
        stack: list[tuple[int, int]] = [(self.end, 0)]
        seen[self.end] = True
        while stack:
            node, child = stack.pop()
            if child < len(before[node]):
                stack.append((node, child + 1))
                following = before[node][child]
                if not seen[following]:
                    seen[following] = True
                    stack.append((following, 0))
            else:
                order.append(node)
        order.reverse()
        for n, node in enumerate(order):
            number[node] = n
        return order, number


def unconditional(one: Instruction) -> bool:
    """Whether a branch is always taken."""
    return one.guard is None and not one.operands


def _meet(a: int, b: int, nearest: list[int], number: list[int]) -> int:
    while a != b:
        while number[a] > number[b]:
            a = nearest[a]
        while number[b] > number[a]:
            b = nearest[b]
    return a
