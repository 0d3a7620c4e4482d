"""Below the tests: the starters that are still to be solved, the points of each student, files for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from onekernel import learners
from onekernel.errors import TRY_AGAIN, status_of, why
from onekernel.grading.verdicts import UNTOUCHED, Scorecard, place
from onekernel.messages import say, written
from onekernel.pytest_run.run import Run
from onekernel.report import classroom, gradescope
from onekernel.sandbox import confinement


def summary(terminalreporter: Any) -> None:
    """Writes what is yours to solve, and the points."""
    yours = say("grading.status-untouched")
    starters = [r.nodeid.split("::")[-1] for r in terminalreporter.stats.get(yours, ()) if "kernels/" in r.nodeid]
    if starters:
        terminalreporter.section(yours, sep="-", cyan=True)
        terminalreporter.line(", ".join(starters))
        terminalreporter.line(say("plugin.begin"))
    points = _points(terminalreporter)
    if points:
        terminalreporter.section(say("plugin.points"), sep="-", cyan=True)
        for student, (earned, assessed, rest, places) in points.items():
            where = f" ({', '.join(sorted(map(place, places)))})" if places else ""
            more = "  " + say("plugin.points-rest", rest=rest) if rest else ""
            terminalreporter.line(f"{student}: {written(earned, 'g')} / {written(assessed, 'g')}{where}{more}")
        if told := confinement.told(_open_walls(terminalreporter)):
            terminalreporter.line(str(told), yellow=True)


def _open_walls(terminalreporter: Any) -> list[str]:
    """The walls of the sandbox that did not stand around something that was graded; from the reports, as the points."""
    told = (dict(getattr(r, "user_properties", ())) for reports in terminalreporter.stats.values() for r in reports)
    found = {wall for properties in told for wall in properties.get("open_walls", "").split()}
    return [wall for wall in confinement.WALLS if wall in found]


def _points(terminalreporter: Any) -> dict[str, tuple[float, float, float, frozenset[str]]]:
    """Student -> points earned, assessed and not assessed, and what ran their files; from the reports, so that -n gives
    the same."""
    found: dict[str, tuple[float, float, float, frozenset[str]]] = {}
    for report in (r for reports in terminalreporter.stats.values() for r in reports):
        told = dict(getattr(report, "user_properties", ()))
        if "points" not in told or getattr(report, "when", "") != "call":
            continue
        earned, assessed, rest, places = found.get(told["learner"], (0.0, 0.0, 0.0, frozenset()))
        here, points = told["status"] != "not-assessed", float(told["points"])
        places |= {told["device"]} - {"-"} if told["status"] != UNTOUCHED else frozenset()
        found[told["learner"]] = (
            earned + float(told["earned"]), assessed + points * here, rest + points * (not here), places
        )  # fmt: skip
    return found


def export(session: pytest.Session, run: Run) -> None:
    """Writes the files that were asked for; one that cannot be written is told, and makes the run a failed one."""
    if run.stopped:  # half a result would be uploaded as the whole
        session.exitstatus = TRY_AGAIN
        return
    card = Scorecard.of(next(iter(run.results.values())))
    for option, system in (("gradescope", gradescope), ("classroom", classroom)):
        target = session.config.getoption(f"--{option}", None)
        if target:
            try:
                learners.write_json(Path(target), system.results(card, run.course))
            except OSError as error:
                reporter: Any = session.config.pluginmanager.get_plugin("terminalreporter")
                told = say("plugin.not-written", option=option, target=target, why=why(error))
                reporter.write_line("\n" + told, red=True)
                machines = status_of(error) == TRY_AGAIN
                session.exitstatus = TRY_AGAIN if machines else pytest.ExitCode.USAGE_ERROR
