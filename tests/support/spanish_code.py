"""What the Spanish pages say inside of code that both languages show: comments, and strings that a block prints."""

from __future__ import annotations

import re

PAIRS = (
    (r"# a product with VEC: divisible by VEC, and the compiler knows",
     "# un producto con VEC: divisible entre VEC, y el compilador lo sabe"),
    (r"# one question per lane: VEC neighbours share the answer",
     "# una pregunta por carril: VEC vecinos comparten la respuesta"),
    (r"# all tie: the first one that is kept", "# todas empatan: la primera que se conserva"),
    (r"(\S+) of (\S+) loads are 16 bytes wide", r"\1 de \2 lecturas son de 16 bytes"),
    (r"elements per thread  ", "elementos por hilo   "),
    (r"elements per thread", "elementos por hilo"),
    (r"registers ->", "registros ->"),
    (r"programs per multiprocessor", "programas por multiprocesador"),
    (r"% of its warps", "% de sus warps"),
    (r"rows of 4 and 16 ones sum to (.*?); of 16 and 4, to ", r"filas de 4 y 16 unos suman \1; de 16 y 4, "),
    (r"row sum ", "suma de la fila "),
    (r'(f" |AccumulateGrad )of ', r"\1de "),
)  # fmt: skip


def spanish(text: str) -> str:
    """An English block of code, or what it prints, as the Spanish page has it."""
    for english, there in PAIRS:
        text = re.sub(english, there, text)
    return text
