"""The device that graders' tests run on: the simulator, or the GPU with `pytest --device cuda`."""

import pytest


@pytest.fixture
def device(request: pytest.FixtureRequest) -> str:
    chosen = request.config.getoption("--device", default="simulator")
    return "cuda" if chosen == "cuda" else "simulator"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "gpu: needs an NVIDIA GPU; skipped with a reason elsewhere")
