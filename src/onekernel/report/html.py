"""The house style of a page that needs nothing beside it: escaping, the frame, bars drawn as SVG.

Whatever a student wrote, a name, a file's name, a line of code, passes `esc` on its way here.
"""

from __future__ import annotations

import html
import re

from onekernel.messages import language, plain

STYLE = """
:root{--bg:#fff;--fg:#1c1e21;--dim:#5f6673;--line:#d9dde3;--card:#f6f7f9;--ok:#1a7f37;--part:#9a6700;--bad:#c0362c;
--open:#57606a;--mark:#2563a8}
@media (prefers-color-scheme:dark){:root{--bg:#15181c;--fg:#e6e8eb;--dim:#9aa3ae;--line:#343a42;--card:#1d2127;
--ok:#57c46f;--part:#e0b04a;--bad:#ff7b72;--open:#9aa3ae;--mark:#7db7f5}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:72rem;padding:1.5rem 1rem 3rem;background:var(--bg);color:var(--fg);
font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.6rem;margin:0 0 .3rem}h2{font-size:1.2rem;margin:2.2rem 0 .6rem;border-bottom:1px solid var(--line);
padding-bottom:.3rem}h3{font-size:1.05rem;margin:0}
p{margin:.4rem 0;max-width:46rem}.dim{color:var(--dim)}.big{font-size:1.25rem;font-weight:600}
.card{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.8rem 1rem;margin:.8rem 0}
.passed{color:var(--ok)}.partial{color:var(--part)}.failed{color:var(--bad)}.untouched,.not-assessed{color:var(--open)}
.row{display:flex;gap:.6rem;justify-content:space-between;align-items:baseline}.row>:last-child{white-space:nowrap}
code,pre{font-family:ui-monospace,monospace;font-size:.88em}
pre{overflow-x:auto;margin:.4rem 0;padding:.5rem .7rem;background:var(--bg);border:1px solid var(--line);
border-radius:6px}
.scroll{overflow-x:auto}
.scroll table{min-width:44rem}.scroll td{overflow-wrap:break-word}
table{border-collapse:collapse;font-size:.92rem;font-variant-numeric:tabular-nums}
th,td{padding:.3rem .6rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
td.w,th{white-space:nowrap}td.n,th.n{text-align:right;white-space:nowrap}th{font-weight:600}
.checks td:nth-child(2){width:99%}.checks{width:100%}
img{max-width:100%;background:#fff;border-radius:6px}figure{margin:.5rem 0;max-width:44rem}
.two{display:grid;grid-template-columns:1fr 1fr;gap:.8rem}@media (max-width:700px){.two{grid-template-columns:1fr}}
.two>div{min-width:0}summary{cursor:pointer}a{color:var(--mark)}
mark{background:color-mix(in srgb,var(--part) 28%,transparent);color:inherit}
svg{max-width:100%}
"""
MARKS = {"passed": "✓", "partial": "◐", "failed": "✗", "untouched": "○", "not-assessed": "–"}


def esc(text: object) -> str:
    """A text as it stands, in HTML and in its attributes, with nothing in it that steers a terminal or turns a line."""
    return html.escape(plain(str(text)), quote=True)


def prose(text: object) -> str:
    """As `esc`, with what stands between backticks, as in the terminal, set as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", esc(text))


def page(title: str, body: str) -> str:
    """A whole document. It loads nothing and runs no script, and says so to the browser."""
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    return (
        f'<!doctype html>\n<html lang="{language()}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="robots" content="noindex">\n'
        f"<title>{esc(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def mark(status: str, label: str) -> str:
    """A status by its sign and colour; `label` says it to whoever sees neither."""
    return f'<span class="{status}" role="img" aria-label="{esc(label)}" title="{esc(label)}">{MARKS[status]}</span>'


def bar(share: float, label: str, colour: str = "var(--mark)", *, at: float | None = None) -> str:
    """A bar of `share` of its width, with a mark `at` another share."""
    width = max(0.0, min(1.0, share)) * 300
    line = f'<path d="M{at * 300:.1f} 0v14" stroke="var(--fg)" stroke-width="2"/>' if at is not None else ""
    return (
        f'<svg viewBox="0 0 300 14" width="300" height="14" role="img" aria-label="{esc(label)}">'
        f'<rect width="300" height="14" rx="3" fill="var(--line)"/>'
        f'<rect width="{width:.1f}" height="14" rx="3" fill="{colour}"/>{line}</svg>'
    )
