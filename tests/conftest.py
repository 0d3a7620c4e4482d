"""What every test shares: the device of the graders' tests, the marks, no limit that a busy machine would break."""

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from importlib.metadata import entry_points

import pytest

from onekernel import messages
from support.patience import HUNG_SECONDS
from support.sample import left_out

# Containers often forbid Python to keep byte code. Here each worker, and each of some hundred processes that tests
# start, would compile the same modules again: five seconds of processor time for each worker's collection alone.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Where the package is found through `PYTHONPATH=src` and is not installed, each process that a test starts in a folder
# of its own finds it too, and pytest has its options.
if paths := os.environ.get("PYTHONPATH"):
    os.environ["PYTHONPATH"] = os.pathsep.join(os.path.abspath(path) for path in paths.split(os.pathsep) if path)
if not any(e.value == "onekernel.pytest_plugin" for e in entry_points(group="pytest11")):
    pytest_plugins = ["onekernel.pytest_plugin"]

with contextlib.suppress(ImportError):  # a GPU machine may run the GPU's own tests without hypothesis
    from hypothesis import HealthCheck, settings

    # Wall-clock time decides nothing on a shared machine.
    settings.register_profile("onekernel", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("onekernel")


@pytest.fixture
def device(request: pytest.FixtureRequest) -> str:
    """The simulator, or the GPU with `pytest --device cuda`."""
    chosen = request.config.getoption("--device", default="simulator")
    return "cuda" if chosen == "cuda" else "simulator"


@pytest.fixture(autouse=True, scope="session")
def patience() -> Iterator[None]:
    """A submission is stopped by the processor time that it takes; by the clock only where it hangs."""
    with pytest.MonkeyPatch.context() as patch:
        # A second for each file, and counts by machine code, on machines with nvcc alone. What asks for it sets it on.
        patch.setenv("ONEKERNEL_NVCC", os.environ.get("ONEKERNEL_TEST_NVCC", "off"))
        for name in ("BUILD_SECONDS", "IMPORT_SECONDS", "CALL_SECONDS"):
            patch.setattr(f"onekernel.sandbox.supervisor.{name}", HUNG_SECONDS)
        for kind in ("port", "probe"):
            patch.setattr(f"onekernel.checks.{kind}.judge.SECONDS", HUNG_SECONDS)
        yield


@pytest.fixture(autouse=True)
def own_language() -> Iterator[None]:
    """A test that chooses a language, by --lang too, chooses it for itself: the next one reads what it did not ask."""
    before = messages._chosen
    yield
    messages._chosen = before


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--corpora", action="store_true", help="all of the corpora, of which the suite takes a sample")
    parser.addoption("--turn", type=int, metavar="N", help="the sample of day N; the first lines name today's")


def pytest_report_header(config: pytest.Config) -> str:
    turn = config.getoption("--turn")
    return f"samples: --turn {turn} (pytest --corpora runs all)" if _sampled(config) else "samples: none, all is run"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves what is not in the sample of today to --corpora."""
    if _sampled(config):
        left = left_out(items, config.getoption("--turn"))
        config.hook.pytest_deselected(items=[item for item in items if item in left])
        items[:] = [item for item in items if item not in left]


def _sampled(config: pytest.Config) -> bool:
    """What is asked for by its name is run on any day."""
    by_name = config.getoption("-k") or any("::" in word for word in config.args)
    return not config.getoption("--corpora") and not by_name


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--turn") is None:  # workers take it from the process that starts them, at midnight too
        config.option.turn = int(time.time() // 86400)
    config.addinivalue_line("markers", "sample: of a long list; support.sample says which are run, --corpora runs all")
    config.addinivalue_line("markers", "slow: takes seconds, or is one of a corpus of which some are fast")
    config.addinivalue_line("markers", "gpu: needs an NVIDIA GPU; skipped with a reason elsewhere")
