"""The instructor's pytest: a check is a test, its points are properties, its verdict is the failure's text.

    pytest                     the graders' own tests; starters in kernels/ are shown as "yours to solve"
    pytest --learner NAME      grades learners/NAME
    pytest --submission=DIR    grades the files of one folder
    pytest --submissions=DIR   grades every folder in DIR, a student each

Write the "=": before plugins are loaded, pytest takes a folder that stands alone for a test path, and reads the
pytest.ini in it. A submission's configuration must not be read, so a run that did is refused; so is one that would
collect tests inside of a submission.

Outside of a course this plugin adds no option, collects nothing and imports nothing but pytest. What is graded runs in
processes of its own (`onekernel.grading`), never in this one.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from onekernel.pytest_run import Run

_RUN: pytest.StashKey[Run] = pytest.StashKey()


@contextlib.contextmanager
def _refusals() -> Iterator[None]:
    """A sentence for the user ends as pytest's own refusal of a command line."""
    from onekernel.errors import UserError

    try:
        yield
    except UserError as error:
        raise pytest.UsageError(str(error)) from None


def course_root(start: Path) -> Path | None:
    """The course that a folder lies in; None where it lies in none."""
    for folder in (start, *start.parents):
        if (folder / "solutions").is_dir() and any((folder / "labs").glob("*/lab.toml")):
            return folder
    return None


def pytest_addoption(parser: pytest.Parser) -> None:
    if course_root(Path.cwd()) is None:
        return
    from onekernel.arguments import DEVICES, device_of, placeholder
    from onekernel.messages import say

    group = parser.getgroup("onekernel", say("plugin.group"))
    group.addoption("--learner", metavar=placeholder("NAME"), help=say("plugin.opt-learner"))
    group.addoption("--submission", metavar=placeholder("DIR"), help=say("plugin.opt-submission"))
    group.addoption("--submissions", metavar=placeholder("DIR"), help=say("plugin.opt-submissions"))
    group.addoption("--device", choices=DEVICES, type=device_of, default="auto", help=say("cli.opt-device"))
    group.addoption("--require-sandbox", action="store_true", help=say("sandbox.opt-require"))
    group.addoption("--grading-seed", metavar="N", type=int, help=say("plugin.opt-grading-seed"))
    group.addoption("--gradescope", metavar=placeholder("FILE"), help=say("plugin.opt-gradescope"))
    group.addoption("--classroom", metavar=placeholder("FILE"), help=say("plugin.opt-classroom"))


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Refuses a configuration that is not the course's, and a path inside of a submission, before a conftest.py that
    they name is run."""
    root = course_root(Path.cwd())
    if root is None:
        return
    ini, options = early_config.inipath, early_config.known_args_namespace
    with _refusals():
        if ini is None or ini.parent != root:
            _refuse_to_grade(options, ini or early_config.rootpath)
        else:
            _refuse_to_collect(options, root)


def _refuse_to_grade(options: object, taken: Path) -> None:
    """Raises UserError where somebody is to be graded."""
    from onekernel.errors import UserError
    from onekernel.messages import Message
    from onekernel.pytest_run import WHOSE

    for whose in WHOSE:
        value = getattr(options, whose, None)
        if value:
            raise UserError(Message.of("plugin.another-configuration", taken=taken, whose=whose, value=value))


def _refuse_to_collect(options: Any, root: Path) -> None:
    """Raises UserError for a test path in a folder of submissions."""
    for path in getattr(options, "file_or_dir", None) or ():
        named = Path(str(path).partition("::")[0]).resolve()
        if any(named.is_relative_to(folder.resolve()) for folder in _closed(options, root)):
            from onekernel.errors import UserError
            from onekernel.messages import Message

            raise UserError(Message.of("plugin.inside-a-submission", path=path))


def _closed(options: object, root: Path) -> list[Path]:
    """The folders in which nothing is collected, whatever lies there."""
    given = (getattr(options, whose, None) for whose in ("submission", "submissions"))
    return [root / "learners", *(Path(folder).absolute() for folder in given if folder)]


def pytest_configure(config: pytest.Config) -> None:
    root = course_root(config.rootpath)
    if root is None or config.rootpath != root:
        if course_root(Path.cwd()) is not None:
            with _refusals():
                _refuse_to_grade(config.option, config.rootpath)
        return
    from onekernel.messages import say
    from onekernel.pytest_run import Run

    _count_as_known(say("grading.status-untouched"))
    with _refusals():
        run = config.stash[_RUN] = Run(config, root)
    if run.students and config.args_source is not pytest.Config.ArgsSource.ARGS:
        config.args[:] = [str(root / "labs")]


def _count_as_known(category: str) -> None:
    """Lets the last line stay green: to pytest a category that it does not know is a warning. (No public way.)"""
    from _pytest import terminal

    known = getattr(terminal, "KNOWN_TYPES", None)
    if isinstance(known, tuple) and category not in known:
        terminal.KNOWN_TYPES = (*known, category)


def pytest_sessionstart(session: pytest.Session) -> None:
    run = session.config.stash.get(_RUN, None)
    if run is not None and run.students:
        with _refusals():
            run.prepare()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Hands the seed on to a process of xdist: all of them draw the same inputs."""
    run = node.config.stash.get(_RUN, None)
    if run is not None and run.students:
        from onekernel.pytest_run import SEED

        node.workerinput[SEED] = run.seed


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Gives the checks of an exercise to one process: the file is built and run once, whatever `-n`."""
    run = config.stash.get(_RUN, None)
    if run is None or not run.students or config.getoption("dist", "no") not in ("load", "worksteal"):
        return None
    from xdist.scheduler import LoadScopeScheduling

    return LoadScopeScheduling(config, log)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    run = config.stash.get(_RUN, None)
    return True if run is not None and collection_path in _closed(config.option, run.root) else None


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    run = parent.config.stash.get(_RUN, None)
    if run is None:
        return None
    from onekernel.pytest_run import LabFile, StarterFile

    if file_path.parent == run.root / "kernels" and file_path.suffix in (".cu", ".py", ".md") and not run.students:
        return StarterFile.from_parent(parent, path=file_path, root=run.root)
    if file_path.name == "lab.toml" and file_path.parent.parent == run.root / "labs" and run.students:
        return LabFile.from_parent(parent, path=file_path, run=run)
    return None


def pytest_report_teststatus(report: pytest.TestReport, config: pytest.Config) -> tuple[str, str, str] | None:
    if config.stash.get(_RUN, None) is None or not getattr(report, "skipped", False):
        return None
    from onekernel.messages import say
    from onekernel.pytest_run import YOURS

    if YOURS in getattr(report, "user_properties", ()):
        return say("grading.status-untouched"), "y", say("grading.status-untouched").upper()
    return None


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    if config.stash.get(_RUN, None) is not None:
        from onekernel.pytest_run import summary

        summary(terminalreporter)


def pytest_sessionfinish(session: pytest.Session) -> None:
    run = session.config.stash.get(_RUN, None)
    if run is not None and (run.results or run.stopped):
        from onekernel.pytest_run import export

        export(session, run)
