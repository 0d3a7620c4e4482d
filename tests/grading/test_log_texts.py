"""Logs as they are handed in: short honest ones keep their points, and words without work earn none."""

from __future__ import annotations

from pathlib import Path

import pytest

from onekernel.checks.log.rounds import rounds
from onekernel.grading.grader import grade
from onekernel.grading.submission import Submission
from support.course import COURSE

ROUND = """## Round {n}: what I tried

**Prediction:** {p}

**Change:** {c}

**Measured:**
<!-- measured: {n:012x} 2026-11-20 -->
- 2 barriers a row
<!-- /measured -->

**Explanation:** {e}

"""
# What students write: the prediction, the change, the explanation.
HONEST = [
    ("18 barriers -> 2", "`block_sum` uses shuffles",
     "As predicted. The tree needed a barrier per level, now only the two after the warps remain."),
    ("30% faster", "float4 loads",
     "Only 12% faster. The loads were already coalesced so fewer requests did not change the bytes that move."),
    ("1 pass instead of 2", "online softmax, lines 30-41",
     "Wrong: the pass is gone, but each element now costs two exponentials, so nothing gained."),
    ("occupancy from 50% to 100%", "128 threads instead of 256",
     "I was wrong, the registers per thread stayed the same so just as many warps fit."),
    ("31 conflicts to 0", "padded the shared array by one",
     "Right. With the extra column neighbouring threads hit different banks, and the conflicts went away."),
    ("requests 1024 -> 256, bytes the same", "reads 4 floats at once",
     "requests fell by four like I said because each thread now reads four floats at once"),
    ("about 2x", "unrolled the loop in line 22 by 4",
     "Not 2x, only a bit. The compiler had unrolled it already, see the SASS: same number of loads."),
    ("5 % slower", "kept the row in registers (kItems = 8)",
     "it was slower since 8 values per thread spilled, and the spills go to local memory"),
    ("de 18 barreras a 2", "`block_sum` con shuffles",
     "Acerté. El árbol necesitaba una barrera por nivel y ahora solo quedan las dos de los warps."),
    ("un 30 % más rápido", "lecturas float4",
     "Solo un 12 %. Las lecturas ya estaban alineadas, así que los bytes que se mueven son los mismos."),
    ("1 pasada menos", "softmax online, líneas 30 a 41",
     "Fallé: quité la pasada pero ahora cada elemento cuesta dos exponenciales y no gané nada."),
    ("ocupación del 50 al 100 %", "128 hilos en vez de 256",
     "me equivoqué, los registros por hilo no cambiaron y por eso caben los mismos warps"),
    ("0 conflictos de banco", "una columna más en el array compartido",
     "con la columna de más, los hilos vecinos tocan bancos distintos y desaparecen los conflictos"),
    ("512 peticiones, la mitad", "leo dos floats por hilo (float2)",
     "Sí: cada hilo lee el doble en cada petición, así que hacen falta la mitad para la misma fila."),
    ("el doble de rápido (2x)", "desenrollé el bucle de la línea 22",
     "No cambió casi nada, el compilador ya lo desenrollaba: salen las mismas instrucciones de carga."),
    ("3 passes over x become 2", "the maximum and the sum in one loop (`online`)",
     "yes, one pass less. It is still bound by DRAM, that is why the time only fell a little"),
    ("two barriers per row, no more", "warp shuffle",
     "It worked: there is no barrier inside of a warp any more, only two per row are left."),
]  # fmt: skip
PREDICTION, CHANGE, WHY = HONEST[0]
# Fields that pass for work: the three of a round, and what it lacks.
NONSENSE = {
    "prediction without a number": (
        "the kernel gets a lot faster",
        CHANGE,
        WHY,
        "log-prediction",
    ),
    "number without unit": (
        "it becomes 7",
        CHANGE,
        WHY,
        "log-prediction",
    ),
    "list mark": (
        "1. the loads get better",
        CHANGE,
        WHY,
        "log-prediction",
    ),
    "step": (
        "Step 2: load less",
        CHANGE,
        WHY,
        "log-prediction",
    ),
    "version": (
        "v2 with CUDA 12 and more bandwidth",
        CHANGE,
        WHY,
        "log-prediction",
    ),
    "round": (
        "round 1, better cache",
        CHANGE,
        WHY,
        "log-prediction",
    ),
    "year": (
        "In 2026 everything loads at once",
        CHANGE,
        WHY,
        "log-prediction",
    ),
    "number far off": (
        "there are 2 of them here who think that it will probably load better",
        CHANGE,
        WHY,
        "log-prediction",
    ),
    "card": (
        "the RTX 4090 has more bandwidth",
        CHANGE,
        WHY,
        "log-prediction",
    ),
    "date": (
        "26.11.2026 I predict more bandwidth",
        CHANGE,
        WHY,
        "log-prediction",
    ),
    "counters listed": (
        "2x",
        CHANGE,
        "sector request barrier bank load store register warp cache latency shuffle vector cycle",
        "log-reason",
    ),
    "counters listed with and": (
        "2x",
        CHANGE,
        "sector and request and barrier and bank and load and store and register and warp and cache",
        "log-reason",
    ),
    "line not there": (
        "2x",
        CHANGE,
        "It was right, because of what I wrote in line 99999 of the file yesterday",
        "log-reason",
    ),
    "line nought": (
        "2x",
        CHANGE,
        "It was right, because of what I wrote in line 0 of the file yesterday",
        "log-reason",
    ),
    "code pasted": (
        "2x",
        CHANGE,
        "```\nfor (int i = threadIdx.x; i < cols; i += blockDim.x) { sum += expf(row[i] - m); float z = 0; }\n```",
        "log-explanation",
    ),
    "indented code": (
        "2x",
        CHANGE,
        "\n    for (int i = threadIdx.x; i < cols; i += blockDim.x) sum = sum + expf(row[i] - m);\n    float z = 0;\n",
        "log-reason",
    ),
    "template words": (
        "a number with its unit: 1 unit",
        "(your first change)",
        "Write the prediction, a number with its unit, before you measure, leave its marks alone please now",
        "log-prediction",
    ),
    "todo": (
        "TODO 1 load",
        "TODO `x` change",
        "TODO TODO TODO TODO TODO TODO TODO TODO TODO TODO TODO TODO load",
        "log-change",
    ),
    "lorem": (
        "2x",
        "`x` y",
        "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor `x`",
        "log-change",
    ),
    "html tag": (
        "2x",
        CHANGE,
        '<p class="load" id="a" title="b" data-c="d" lang="e" dir="f" hidden style="g" x="h" y="i" z="j"></p>',
        "log-explanation",
    ),
    "comment": (
        "2x",
        CHANGE,
        f"<!-- {WHY} -->",
        "log-explanation",
    ),
    "picture": (
        "2x",
        CHANGE,
        "![a picture of the loads of this kernel that I made with a tool yesterday](loads.png)",
        "log-explanation",
    ),
    "link": (
        "2x",
        CHANGE,
        "https://example.org/load/a/b/c/d see there for all that I could say of it now ok",
        "log-reason",
    ),
    "prediction explains": (
        "2x",
        CHANGE,
        "2x",
        "log-explanation",
    ),
    "same as prediction": (
        f"{WHY} 2x",
        CHANGE,
        f"{WHY} 2x",
        "log-same-words",
    ),
    "letters": (
        "2x",
        CHANGE,
        "a b c d e f g h i j k l m n load",
        "log-reason",
    ),
    "hash": (
        "2x",
        CHANGE,
        "aa bb cc dd ee ff gg hh ii jj kk ll `mm`",
        "log-reason",
    ),
    "nothing changed": (
        "2 barriers",
        "nothing",
        "it is as it was because nothing of it was changed by me in this round load",
        "log-change",
    ),
    "change is a number": (
        "2 barriers",
        "2 x",
        WHY,
        "log-change",
    ),
    "change is the word": (
        "2 barriers",
        "load load",
        WHY,
        "log-change",
    ),
    "chinese": (
        "2倍",
        "共享内存",
        "因为共享内存的访问更快所以这个内核现在更快了",
        "log-prediction",
    ),
    "zero width": (
        "2\u200bx",
        CHANGE,
        "a\u200bb " * 12 + "load",
        "log-prediction",
    ),
    "emoji": (
        "🚀 2x",
        "🚀 `go`",
        "🚀 🚀 🚀 🚀 🚀 🚀 🚀 🚀 🚀 🚀 🚀 🚀 load",
        "log-change",
    ),
    "filler": (
        "It will be significantly faster",
        "optimized memory",
        "This optimization leverages the power of the GPU to deliver much better overall performance across the board",
        "log-prediction",
    ),
    "german": (
        "2x",
        CHANGE,
        "Weil der Kernel jetzt weniger Register braucht und deshalb mehr Warps auf dem Multiprozessor Platz haben",
        "log-reason",
    ),
    "a list of counters in Spanish": (
        "2x",
        CHANGE,
        "sectores peticiones barreras bancos lecturas escrituras registros warps latencia vectores ciclos ocupación",
        "log-reason",
    ),
    "spanish template": (
        "una cantidad con su unidad",
        "(tu primer cambio)",
        "escribe la predicción antes de medir",
        "log-prediction",
    ),
}


@pytest.mark.parametrize(("prediction", "change", "explanation"), HONEST)
def test_a_short_honest_round_is_complete(prediction: str, change: str, explanation: str) -> None:
    (found,) = rounds(ROUND.format(n=1, p=prediction, c=change, e=explanation))
    assert found.missing([]) is None


@pytest.mark.parametrize("name", NONSENSE)
def test_words_that_pass_for_work_are_no_round(name: str) -> None:
    prediction, change, explanation, lack = NONSENSE[name]
    (found,) = rounds(ROUND.format(n=1, p=prediction, c=change, e=explanation))
    assert found.missing([]) == lack


def test_the_rounds_of_the_course_are_complete() -> None:
    for path in [*(COURSE.root / "solutions").glob("*_log.md"), *(COURSE.root / "learners" / "borja").glob("*_log.md")]:
        earlier = []
        for found in rounds(path.read_text(encoding="utf-8")):
            assert found.missing([], earlier) is None, path
            earlier.append(found)


def one(n: int, of: tuple[str, str, str] = HONEST[0]) -> str:
    return ROUND.format(n=n, p=of[0], c=of[1], e=of[2])


THREE = "".join(one(n + 1, of) for n, of in enumerate(HONEST[:3]))
TABLE = "| Round | Prediction | Change | Measured | Explanation |\n|---|---|---|---|---|\n"
# Whole files, and the points of six that they deserve.
FILES: dict[str, tuple[str | bytes, float]] = {
    "honest": (THREE, 6),
    "in Spanish": (THREE.replace("Round", "Ronda").replace("Prediction", "Predicción").replace("Change", "Cambio")
                   .replace("Measured", "Medido").replace("Explanation", "Explicación"), 6),
    "with carriage returns": (THREE.replace("\n", "\r\n"), 6),
    "the same text twelve times": ("".join(one(n) for n in range(1, 13)), 2),
    "the same words with other numbers": (
        "".join(one(n).replace("barrier per", f"barrier of {n} per") for n in range(1, 13)), 2),
    "the same kernel three times": (THREE.replace(f"{2:012x}", f"{1:012x}").replace(f"{3:012x}", f"{1:012x}"), 2),
    "a measurement without a number": (THREE.replace("2 barriers a row", "many"), 0),
    "a measurement without a day": (THREE.replace("2026-11-20", "yesterday"), 0),
    "an empty measurement": (THREE.replace("- 2 barriers a row\n", ""), 0),
    "a line beyond the kernel's": (
        one(1, (PREDICTION, CHANGE, "It was right, because of what I wrote in line 900 of the file yesterday")), 0),
    "a table in place of sections": (
        TABLE + "".join(f"| {n} | 2x | `x` | 2 barriers | {WHY} |\n" for n in range(3)), 0),
    "HTML in place of sections": (THREE.replace("## ", "<h2>").replace("**", "<b>"), 0),
    "all in a comment": (f"<!-- {THREE.replace('<!-- ', '').replace(' -->', '')} -->", 0),
    "nothing": ("", 0),
    "headings alone": ("".join(f"## Round {n}: x\n" for n in range(9)), 0),
    "no UTF-8": (b"\xff\xfe" + THREE.encode("utf-16-le"), 0),
    "a picture's bytes": (bytes(range(256)) * 100, 0),
    "zeros": (b"\0" * 5000, 0),
    "a megabyte and more": (THREE * 2000, 0),
    "cut in the third round": (THREE[: THREE.rindex("**Explanation")], 4),
    "cut in a measurement": (THREE[: THREE.rindex("<!-- /measured")], 4),
    "everything in one round": (THREE.replace("## Round 2", "Round 2").replace("## Round 3", "Round 3"), 2),
    "French headings": (THREE.replace("Prediction", "Prédiction").replace("Explanation", "Explication"), 0),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_a_log_earns_what_its_rounds_deserve(name: str, tmp_path: Path) -> None:
    text, points = FILES[name]
    path = tmp_path / "tuning_log.md"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    (tmp_path / "softmax_tuned.cu").write_text("// a line\n" * 200, encoding="utf-8")
    result = grade(Submission(COURSE, COURSE.exercises["tuning_log"], path, "simulator", 7, closed=(tmp_path,)))
    assert sum(v.earned for v in result.verdicts) == points
