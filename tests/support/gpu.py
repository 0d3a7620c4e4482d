"""What a file of tests says that needs an NVIDIA GPU and what builds for it."""

from __future__ import annotations

import pytest

from onekernel import cuda
from onekernel.backends.base import Unavailable


def needs_cuda() -> pytest.MarkDecorator:
    """Their mark, for `pytestmark`. Without a GPU the file is skipped, with the reason, before it goes on."""
    try:
        cuda.require()
    except Unavailable as error:
        pytest.skip(error.message.text("en"), allow_module_level=True)
    return pytest.mark.gpu
