"""What every test shares: the device of the graders' tests, the GPU marker, no time limit on a property's example."""

import contextlib

import pytest

with contextlib.suppress(ImportError):  # a GPU machine may run the GPU's own tests without hypothesis
    from hypothesis import settings

    settings.register_profile("onekernel", deadline=None)  # wall-clock time decides nothing on a shared machine
    settings.load_profile("onekernel")


@pytest.fixture
def device(request: pytest.FixtureRequest) -> str:
    """The simulator, or the GPU with `pytest --device cuda`."""
    chosen = request.config.getoption("--device", default="simulator")
    return "cuda" if chosen == "cuda" else "simulator"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "gpu: needs an NVIDIA GPU; skipped with a reason elsewhere")
