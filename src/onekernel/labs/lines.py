"""On which line of a lab.toml a key or a value stands."""

from __future__ import annotations

import re
from dataclasses import dataclass

# [table] or [[table]] alone on a line. An array may be continued on lines of its own, but those hold commas or quotes.
_HEADER = re.compile(r"\s*\[{1,2}\s*([\w.\- ]+?)\s*\]{1,2}\s*(?:#.*)?")
_KEY = re.compile(r"""\s*["']?(?P<key>[\w-]+)["']?\s*[.=]""")


@dataclass(frozen=True)
class Table:
    """A header, "" for the top of the file, and the lines up to the next one."""

    name: str
    line: int  # of the header, from 1; the first line for the top
    body: tuple[str, ...]


class Lines:
    """The lines of a lab.toml by table and key."""

    def __init__(self, text: str) -> None:
        lines = text.splitlines()
        starts = [(n, m[1].replace(" ", "")) for n, line in enumerate(lines, 1) if (m := _HEADER.fullmatch(line))]
        ends = [*(n for n, _ in starts), len(lines) + 1]
        top = Table("", 0, tuple(lines[: ends[0] - 1]))
        self.tables = [top] + [
            Table(name, n, tuple(lines[n : end - 1])) for (n, name), end in zip(starts, ends[1:], strict=True)
        ]

    def at(self, table: str, nth: int, key: str | None, wrong: object = None) -> int:
        """The line of `key` in the nth table of that name; within the key's value, the first line with `wrong`.

        The header's line for a key that is not there, the file's first line for a table that is not.
        """
        found = [t for t in self.tables if t.name == table]
        if nth >= len(found):
            return 1
        here = found[nth]
        spans = [(n, m["key"]) for n, line in enumerate(here.body, here.line + 1) if (m := _KEY.match(line))]
        mine = next(((i, n) for i, (n, name) in enumerate(spans) if name == key), None)
        if mine is None:
            return max(here.line, 1)
        i, start = mine
        end = spans[i + 1][0] if i + 1 < len(spans) else here.line + 1 + len(here.body)
        for n in range(start, end):
            if wrong is not None and _holds(here.body[n - here.line - 1], wrong):
                return n
        return start


def _holds(line: str, wrong: object) -> bool:
    """Whether a value or a name stands in a line by itself, and not as a part of another one."""
    return re.search(rf"(?<![\w-]){re.escape(str(wrong))}(?![\w-])", line) is not None
