"""A module imports only from modules below it; the order is the house's floor plan (docs/en/architecture.md)."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import onekernel
from audits.book.floors import FLOORS
from onekernel.sandbox.hiding import ANSWERS

PACKAGE = Path(onekernel.__file__).parent
FLOOR = {name: number for number, names in enumerate(FLOORS) for name in names}
ROOMS = (  # of the simulator
    {"paths"},
    {"arch", "cccl", "sparse"},
    {"facts"},  # the one reading of a file
    {"doubts", "refusals", "machine_code"},
    {"rewrite"},
    {"ptx"},
    {"read"},
    {"compilation"},
    {"program"},
)
MODULES = sorted(p for p in PACKAGE.rglob("*.py") if p != PACKAGE / "__init__.py")


def area(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def names_imported(path: Path) -> set[str]:
    """What a module imports, at its top or inside a function: each module's name, and those of what it takes of it."""
    names: set[str] = set()
    here = ["onekernel", *path.relative_to(PACKAGE).parts[:-1]]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {n.name for n in node.names}
        elif isinstance(node, ast.ImportFrom):
            package = here[: len(here) - node.level + 1] if node.level else []
            base = ".".join([*package, *([node.module] if node.module else [])])
            names |= {base, *(f"{base}.{n.name}" for n in node.names)}
    return names


def imported(path: Path) -> set[str]:
    """The areas of the package that a module imports."""
    inside = (name.split(".")[1:] for name in names_imported(path) if name.startswith("onekernel."))
    return {parts[0] for parts in inside if parts != ["__version__"]}


def modules_imported(path: Path) -> set[Path]:
    """The files of the package that a module imports, their packages included."""
    found = set()
    for name in names_imported(path):
        parts = name.split(".")
        if parts[0] == "onekernel":
            for n in range(1, len(parts) + 1):
                stem = PACKAGE.joinpath(*parts[1:n])
                found |= {p for p in (stem / "__init__.py", stem.with_suffix(".py")) if p.is_file()}
    return found


def untrusted_side() -> set[Path]:
    """What runs in the untrusted process: the worker, what it is copied from, its tasks, and all that they import."""
    reached: set[Path] = set()
    sandbox = PACKAGE / "sandbox"
    pending = {sandbox / "worker.py", sandbox / "fork_server.py", *(sandbox / "tasks").glob("*.py")}
    while pending:
        reached |= pending
        pending = {other for path in pending for other in modules_imported(path)} - reached
    return reached


def test_the_untrusted_side_imports_no_oracle_no_answer_and_no_verdict() -> None:
    files = (p.relative_to(PACKAGE).with_suffix("") for p in untrusted_side())
    reached = {".".join(p.parts).removesuffix(".__init__") for p in files}
    assert {"sandbox.worker", "sandbox.tasks.port", "simulator.program", "minigpt.weights"} <= reached
    found = {name for name in reached for secret in ANSWERS if name == secret or name.startswith(f"{secret}.")}
    assert not found, f"the untrusted process imports {sorted(found)}"


def test_every_area_has_its_floor() -> None:
    assert {area(p) for p in MODULES} == set(FLOOR)


def test_imports_only_go_down() -> None:
    up = [
        f"{path.relative_to(PACKAGE)}: {mine} must not import {other}"
        for path in MODULES
        for mine in [area(path)]
        for other in imported(path) - {mine}
        if FLOOR[other] >= FLOOR[mine]
    ]
    assert not up


def test_imports_only_go_down_in_the_simulator() -> None:
    floor = {name: number for number, names in enumerate(ROOMS) for name in names}
    home = PACKAGE / "simulator"
    up = []
    for path in (p for p in home.rglob("*.py") if p != home / "__init__.py" and "runtime" not in p.parts):
        mine = path.relative_to(home).parts[0].removesuffix(".py")
        others = {p.relative_to(home).parts[0].removesuffix(".py") for p in modules_imported(path) if home in p.parents}
        up += [f"{path.relative_to(home)}: {mine} must not import {o}" for o in others - {mine, "__init__"}
               if floor[o] >= floor[mine]]  # fmt: skip
    assert not up


def test_no_door_of_the_simulator_hides_one_of_its_rooms() -> None:
    """Python gives a package its modules as attributes, by their names: another meaning there depends on who imports
    first."""
    hidden = []
    for door in (PACKAGE / "simulator").rglob("__init__.py"):
        rooms = {p.stem for p in door.parent.glob("*.py")}
        for node in ast.parse(door.read_text(encoding="utf-8")).body:
            bound = {node.name} if isinstance(node, ast.FunctionDef | ast.ClassDef) else set[str]()
            if isinstance(node, ast.ImportFrom) and node.module != f"onekernel.simulator.{door.parent.name}":
                bound = {a.asname or a.name for a in node.names}
            hidden += [f"{door.parent.name}: {name}" for name in bound & rooms]
    assert not hidden


@pytest.mark.parametrize("folder", ["kernels", "solutions"])
def test_what_learners_write_never_imports_the_machinery(folder: str) -> None:
    for path in (PACKAGE.parents[1] / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [n.name for n in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not [n for n in names if n.split(".")[0] == "onekernel"], path


@pytest.mark.parametrize(
    "module",
    ["onekernel.cli.parser", "onekernel.cli.check", "onekernel.cli.learn", "onekernel.cli.doctor",
     "onekernel.pytest_plugin", "onekernel.grading.grader"],
)  # fmt: skip
def test_what_takes_long_is_not_imported_before_it_must_be(module: str) -> None:
    heavy = ("torch", "triton", "matplotlib", "onekernel.simulator.program")
    code = f"import sys, {module}; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_plugin_imports_nothing_of_ours_by_itself() -> None:
    code = (
        "import sys, onekernel.pytest_plugin; print([m for m in sys.modules if m.startswith(('onekernel.', 'numpy'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['onekernel.pytest_plugin']"


def test_help_needs_the_words_alone() -> None:
    heavy = "[m for m in ('rich', 'numpy') if m in sys.modules]"
    code = f"import sys; from onekernel.cli import main; main(['--help']); print({heavy})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
