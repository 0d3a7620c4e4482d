"""Chapter 04: storage and views, dispatch, the graph of autograd, what model.cuda() moves."""

from __future__ import annotations

from collections.abc import Callable

from audits.book.drawings.canvas import Canvas


def views(c: Canvas, t: Callable[[str], str]) -> None:
    """One storage, three tensors that look at it."""
    c.text(12, 18, t("storage"), 12.5, "start", bold=True)
    for k in range(12):
        c.box(12 + 30.5 * k, 28, 29, 30, "orange" if 4 <= k < 8 else "blue", str(k), 12, mono=True)
    rows = [("x", "(3, 4)", "(4, 1)", 0), ("x[1]", "(4,)", "(1,)", 4), ("x.T", "(4, 3)", "(1, 4)", 0)]
    for n, head in enumerate(("tensor", "shape", "stride", "offset")):
        c.text((20, 118, 212, 306)[n], 92, t(head), 12, "start", faint=True)
    for k, (name, shape, stride, offset) in enumerate(rows):
        y = 102 + 38 * k
        c.box(12, y, 366, 30, ("blue", "orange", "green")[k])
        for n, text in enumerate((name, shape, stride, str(offset))):
            c.text((20, 118, 212, 306)[n], y + 20, text, 13, "start", mono=True)
    c.text(12, 238, t("under"), 12, "start")


def dispatch(c: Canvas, t: Callable[[str], str]) -> None:
    """A call goes through layers; each takes its key off, the last is the device's kernel."""
    c.box(95, 10, 200, 32, "grey", "torch.matmul(a, b)", 12.5, mono=True)
    c.text(92, 66, t("keys"), 12, "start")
    layers = [("Autograd", "purple", "autograd"), ("ADInplaceOrView", "orange", "views"),
              ("CPU | CUDA | Meta", "blue", "device")]  # fmt: skip
    for k, (name, colour, note) in enumerate(layers):
        y = 78 + 62 * k
        c.arrow(80, y - 2 if k else 46, 80, y + 12, "grey")
        c.box(12, y + 16, 150, 34, colour, name, 12, mono=True)
        c.text(174, y + 30, t(note), 12, "start")
        c.text(174, y + 46, t(f"{note}-does"), 11.5, "start", faint=True)
    c.arrow(80, 254, 80, 272, "grey")
    for k, kind in enumerate(("float32", "float64", "bfloat16")):
        c.box(12 + 124 * k, 276, 118, 30, "green", kind, 12.5, mono=True)
    c.text(12, 326, t("type"), 12, "start")


def autograd(c: Canvas, t: Callable[[str], str]) -> None:
    """loss = b * b + exp(a) * b, with three ways back to b."""
    nodes = {"add": (195, 50, "+", "grey"), "square": (100, 110, "b × b", "orange"),
             "product": (290, 110, "e^a × b", "orange"), "exp": (330, 172, "e^a", "orange"),
             "b": (150, 240, "b", "blue"), "a": (330, 240, "a", "blue")}  # fmt: skip
    ways = [("add", "square", "1", 0), ("add", "product", "1", 0), ("square", "b", "b", -16), ("square", "b", "b", 16),
            ("product", "b", "e^a", 0), ("product", "exp", "b", 0), ("exp", "a", "e^a", 0)]  # fmt: skip
    for start, end, name, shift in ways:
        x1, y1 = nodes[start][:2]
        x2, y2 = nodes[end][:2]
        c.arrow(x1 + shift, y1 + 16, x2 + shift, y2 - 18, "purple")
        side = "end" if shift < 0 or (x1 > x2 + 90 and y1 < 60) else "start"
        c.text((x1 + x2) / 2 + shift + (8 if side == "start" else -8), (y1 + y2) / 2 + 4, name, 12, side, mono=True)
    for x, y, name, colour in nodes.values():
        wide = 82 if len(name) > 4 else 60
        c.box(x - wide / 2, y - 16, wide, 32, colour, name, 13, mono=True)
    c.text(12, 24, "loss = b * b + exp(a) * b", 13, "start", mono=True)
    c.text(12, 282, t("sum"), 12, "start")
    c.text(12, 302, "db = b + b + e^a", 13, "start", mono=True)


def moved(c: Canvas, t: Callable[[str], str]) -> None:
    """Parameter, buffer, plain attribute and optimizer, before and after model.cuda()."""
    for side, (x, name) in enumerate(((12, "before"), (204, "after"))):
        c.text(x, 20, t(name), 12.5, "start", bold=True)
        c.box(x, 30, 84, 30, "purple", "weight", 12, mono=True)
        c.box(x, 74, 84, 30, "purple", "steps" if side == 0 else "steps′", 12, mono=True)
        c.box(x, 118, 84, 30, "grey", "forgotten", 12, mono=True)
        c.box(x, 162, 84, 30, "orange", "optimizer", 12, mono=True)
        for k in range(3):
            y = 30 + 44 * k
            there = side == 1 and k < 2
            c.arrow(x + 86, y + 15, x + 106, y + 15, "grey")
            c.box(x + 109, y, 64, 30, "green" if there else "blue", "GPU" if there else "CPU", 12)
        c.line(((x, 177), (x - 7, 177), (x - 7, 45), (x - 1, 45)), "orange", 1.6, arrow=True)
    for k, line in enumerate(("same", "new", "left")):
        c.text(12, 222 + 22 * k, t(line), 12, "start")


DRAWINGS: dict[str, tuple[float, Callable[[Canvas, Callable[[str], str]], None]]] = {
    "views": (252, views),
    "dispatch": (338, dispatch),
    "autograd": (314, autograd),
    "model-cuda": (282, moved),
}
