"""What ends as a sentence for the user: one exception, caught once by each front door."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Callable, Iterator

from onekernel.messages import Message

USAGE = 2  # the exit status of a command that cannot be carried out
TRY_AGAIN = 75  # and of one that this machine cannot carry out now: EX_TEMPFAIL of sysexits.h
_FULL = (errno.ENOSPC, errno.EDQUOT)
# What a machine lacks for a while, or has lost: no other command helps, and nobody's files are to blame.
_OF_THE_MACHINE = (*_FULL, errno.EIO, errno.ESTALE, errno.ENOMEM, errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.EFBIG,
                   errno.ENOBUFS)  # fmt: skip
_SAID = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP)


class UserError(Exception):
    """What was asked cannot be carried out: `message` says why and what to do instead; a command ends with `exit_code`.

    A subclass exists only where somebody catches that kind alone; it adds no words and no arguments.
    """

    def __init__(self, message: Message, exit_code: int = USAGE) -> None:
        super().__init__(message, exit_code)
        self.message, self.exit_code = message, exit_code

    def __str__(self) -> str:
        return self.message.text()


def told(main: Callable[[], int]) -> int:
    """The exit status of `main`, which for a UserError is its own, its sentence on standard error."""
    try:
        return main()
    except UserError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    except OSError as error:
        print(of_os(error), file=sys.stderr)
        return status_of(error)


def status_of(error: OSError) -> int:
    """The exit status of a command that the operating system refused something."""
    return TRY_AGAIN if error.errno in _OF_THE_MACHINE else USAGE


@contextlib.contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Within it, an OSError that names no path, as that of a write does, names this one."""
    try:
        yield
    except OSError as error:
        if error.filename is not None or error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error


def of_os(error: OSError) -> Message:
    """What the operating system refused, with the path, in the language in force."""
    path = error.filename or "-"
    if error.errno in _FULL:
        return Message.of("cli.full-disk", path=path)
    return Message.of("cli.os-error", path=path, why=why(error))


def why(error: OSError) -> Message | str:
    """The operating system's reason alone; the common ones in both languages."""
    if error.errno in _SAID:
        return Message(f"cli.errno-{errno.errorcode[error.errno]}")
    return error.strerror or str(error)
