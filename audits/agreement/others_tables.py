"""The tables of docs/*/simulator.md that compare other people's kernels with ncu, and why a count may differ there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from audits.words import in_numbers
from onekernel import counts
from onekernel.messages import LANGUAGES, Message

_PAIRS = (
    (counts.LOAD_REQUESTS, counts.STORE_REQUESTS), (counts.LOAD_SECTORS, counts.STORE_SECTORS),
    (counts.SHARED_LOAD_WAVEFRONTS, counts.SHARED_STORE_WAVEFRONTS),
    (counts.SHARED_LOAD_CONFLICTS, counts.SHARED_STORE_CONFLICTS),
)  # fmt: skip
_ADDRESSES = (*_PAIRS[0], *_PAIRS[1])
_SHARED = ((_PAIRS[2][0], _PAIRS[3][0]), (_PAIRS[2][1], _PAIRS[3][1]))
# How much of ncu's wavefronts a reason may explain, of loads and of stores. Of those seen, B is a ninth of the loads at
# most, in the smallest kernel; of `sgemm2DBlocktiling`'s stores it was 12 to 22 hundredths in four runs.
WITHIN = (1 / 8, 1 / 4)


def reason_of(row: Mapping[str, Any]) -> str:
    """Why a row's counts differ, by letter; "" where they do not, or nothing explains it.

    B: conflicts that addresses do not explain. Then requests and sectors are equal, and ncu has as many wavefronts more
    as it has conflicts more. D: lanes race for one place: the machine code compares and swaps in shared memory, and
    only what is loaded there differs. Neither explains more than `WITHIN` of ncu's wavefronts of loads, and of stores.
    """
    both, different = row["metrics"], row["different"]
    if not different:
        return ""
    if any(both[m][0] != both[m][1] for m in _ADDRESSES):
        return ""
    for (waves, lost), within in zip(_SHARED, WITHIN, strict=True):
        if any(abs(both[m][1] - both[m][0]) > within * both[waves][1] for m in (waves, lost)):
            return ""
    if row["contends"]:
        return "D" if set(different) <= set(_SHARED[0]) else ""
    more = [[both[m][1] - both[m][0] for m in pair] for pair in _SHARED]
    return "B" if all(waves == conflicts >= 0 for waves, conflicts in more) else ""


def tables(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """One row a kernel, and one a repository."""
    return {"agreement": _agreement(rows), "repositories": _repositories(rows), "reasons": _reasons()}


def _agreement(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    made = []
    for row in rows:
        cells: list[Any] = [row["kernel"], f"{_shape(row['grid'])} : {_shape(row['block'])}"]
        cells += [_both([row["metrics"][m] for m in pair]) for pair in _PAIRS]
        made.append([*cells, _each("equal") if not row["different"] else row["reason"] or "-"])
    names = ("launch", "requests", "sectors", "wavefronts", "conflicts", "agreement")
    return {"columns": ["kernel", *(_each(name) for name in names)], "rows": made}


def _repositories(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    found: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        found[row["repository"]].append(row)
    made = [[name, *_numbers(some)] for name, some in found.items()]
    names = ("repository", "launches-compared", "equal", "explained", "unexplained-column")
    return {"columns": [_each(name) for name in names], "rows": [*made, [_each("together"), *_numbers(rows)]]}


def _numbers(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Launches; equal in all metrics; different with a reason, and without."""
    equal = sum(not r["different"] for r in rows)
    explained = sum(bool(r["reason"]) for r in rows)
    return [str(n) for n in (len(rows), equal, explained, len(rows) - equal - explained)]


def _reasons() -> dict[str, Any]:
    messages = {letter: Message(f"profile.agreement-reason-{letter.lower()}") for letter in "BD"}
    said = [{lang: f"{letter}: {m.text(lang)}" for lang in LANGUAGES} for letter, m in messages.items()]
    return {"columns": [_each("why")], "rows": [[one] for one in said]}


def _shape(numbers: Sequence[int]) -> str:
    while len(numbers) > 1 and numbers[-1] == 1:
        numbers = numbers[:-1]
    return " x ".join(str(n) for n in numbers)


def _both(found: Sequence[Sequence[int]]) -> Any:
    template = " / ".join("{:,}" if ours == theirs else "**{:,} : {:,}**" for ours, theirs in found)
    return in_numbers(template, *(n for ours, theirs in found for n in ([ours] if ours == theirs else [ours, theirs])))


def _each(key: str) -> dict[str, str]:
    return {lang: Message(f"profile.agreement-{key}").text(lang) for lang in LANGUAGES}
