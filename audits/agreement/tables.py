"""The tables of docs/*/simulator.md that say how far the simulator's counts agree with ncu's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from audits.agreement.compare import EQUAL
from audits.words import in_numbers
from onekernel import counts
from onekernel.messages import LANGUAGES, Message


def tables(rows: list[dict[str, Any]], large: list[dict[str, Any]], known: list[dict[str, Any]]) -> dict[str, Any]:
    """The tables of docs/*/simulator.md."""
    agreement = []
    for row in rows:
        m = row["metrics"]
        cells = [row["kernel"], _sizes("", row["case"]["shape"])]
        for pair in ((counts.LOAD_REQUESTS, counts.STORE_REQUESTS), (counts.LOAD_SECTORS, counts.STORE_SECTORS),
                     (counts.SHARED_LOAD_WAVEFRONTS, counts.SHARED_STORE_WAVEFRONTS),
                     (counts.SHARED_LOAD_CONFLICTS, counts.SHARED_STORE_CONFLICTS)):  # fmt: skip
            cells.append(_pairs([m[name] for name in pair]))
        agreement.append(
            [*cells, _each("equal") if not row["different"] else ", ".join(row["reasons"])]
        )
    columns = [
        "kernel", _each("shape"),
        _each("requests"),
        _each("sectors"), _each("wavefronts"),
        _each("conflicts"), _each("agreement"),
    ]  # fmt: skip
    dram = [[_sizes(r["label"].split(" ")[0] + " ", r["case"]["shape"]), in_numbers("{:.1f} MB", r["compulsory"] / 1e6),
             in_numbers("{:.1f} MB", r["dram_read"] / 1e6), in_numbers("{:+.1f} %", 100 * r["difference"]),
             f"1/{r['case']['scale']}"] for r in large]  # fmt: skip
    return {
        "agreement": {"columns": columns, "rows": agreement},
        "dram": {
            "columns": ["kernel", _each("compulsory"),
                        _each("dram"),
                        _each("difference"),
                        _each("part")],
            "rows": dram,
        },
        "reasons": {
            "columns": [_each("why")],
            "rows": [[{lang: f"{r['id']}: {_reason(r, rows, lang)}" for lang in LANGUAGES}] for r in known],
        },
    }  # fmt: skip


def _reason(reason: dict[str, Any], rows: list[dict[str, Any]], lang: str) -> str:
    """A reason in words; where it is that runs differ, with what they gave."""
    text = Message(f"profile.agreement-reason-{reason['id'].lower()}").text(lang)
    if "varies" not in reason:
        return text
    metric = next(m for m, short in EQUAL.items() if short == reason["varies"])
    seen = [f"`{r['kernel']}` {', '.join(str(run[metric]) for run in r['runs'])}" for r in rows if len(r["runs"]) > 1]
    return f"{text} {Message.of('profile.agreement-runs', seen='; '.join(seen)).text(lang)}"


def _sizes(name: str, shape: Sequence[int]) -> str | dict[str, str]:
    return in_numbers(name + " x ".join("{:,}" for _ in shape), *shape)


def _pairs(found: Sequence[Sequence[int]]) -> str | dict[str, str]:
    """The simulator's count and ncu's, once where they are equal: loads / stores."""
    template = " / ".join("{:,}" if ours == theirs else "**{:,} : {:,}**" for ours, theirs in found)
    return in_numbers(template, *(n for ours, theirs in found for n in ([ours] if ours == theirs else [ours, theirs])))


def _each(key: str) -> dict[str, str]:
    return {lang: Message(f"profile.agreement-{key}").text(lang) for lang in LANGUAGES}
