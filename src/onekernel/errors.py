"""What ends as a sentence for the user: one exception, caught once by each front door."""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable

from onekernel.messages import Message

USAGE = 2  # the exit status of a command that cannot be carried out
_FULL = (errno.ENOSPC, errno.EDQUOT)
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
