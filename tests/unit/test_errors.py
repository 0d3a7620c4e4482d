"""What ends as a sentence for the user: one exception, in either language, with the exit status of its command."""

from __future__ import annotations

import errno
import pickle

import pytest

from onekernel.backends.base import Unavailable
from onekernel.errors import UserError, of_os, told
from onekernel.messages import Message, set_language


def test_a_user_error_speaks_the_language_in_force_and_ends_with_its_own_status(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    error = UserError(Message.of("cli.bad-name", name="a/b"), exit_code=1)

    def refused() -> int:
        raise error

    for language, word in (("en", "name"), ("es", "nombre")):
        monkeypatch.setattr("onekernel.messages._chosen", None)
        set_language(language)
        assert told(refused) == 1
        assert word in capsys.readouterr().err
    assert told(lambda: 0) == 0


def test_it_passes_from_one_process_to_another() -> None:
    error = pickle.loads(pickle.dumps(Unavailable(Message("cuda.no-gpu", {"why": "-"}))))
    assert isinstance(error, Unavailable) and error.message.values == {"why": "-"} and error.exit_code == 2


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.ENOSPC, "No space left on device", "/x"), "lleno"),
        (OSError(errno.EROFS, "Read-only file system", "/x"), "solo lectura"),
        (OSError(errno.EIO, "Input/output error", "/x"), "Input/output error"),
    ],
)
def test_what_the_system_refuses_is_told_with_its_path(error: OSError, said: str) -> None:
    text = of_os(error).text("es")
    assert "/x" in text and said in text
