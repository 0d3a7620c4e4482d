"""The command line, `onekernel`. A command's module is imported when the command runs, torch when it must be."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from onekernel.arguments import choose_language
from onekernel.errors import TRY_AGAIN, USAGE, UserError, of_os, status_of
from onekernel.messages import say

DONE, INTERRUPTED = 0, 130
_NO_THREAD = "can't start new thread"  # what Python says where there is no room for its stack


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command. Returns 0 where all that was assessed passed, 1 where something failed, 2 where the command
    could not be carried out, 75 where this machine cannot do it now, 130 after Ctrl-C."""
    words = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    choose_language(words)
    if sys.platform != "linux":
        return _refuse(say("cli.not-linux", platform=sys.platform))
    if argv is None:  # the command itself
        from onekernel.sandbox.process import end_on_signals

        end_on_signals()
    try:
        from onekernel.cli.parser import parse

        handler, args = parse(words)
        return handler(args)
    except SystemExit as end:  # argparse, after help or a complaint
        return int(end.code or 0)
    except KeyboardInterrupt:
        return _refuse("\n" + say("cli.interrupted"), INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # whoever read our output has gone
        return DONE
    except OSError as error:
        return _refuse(str(of_os(error)), status_of(error))
    except UserError as error:
        return _refuse(str(error), error.exit_code)
    except MemoryError:
        return _refuse(say("cli.no-memory"), TRY_AGAIN)
    except RuntimeError as error:
        if str(error) != _NO_THREAD:
            raise
        return _refuse(say("cli.no-memory"), TRY_AGAIN)


def _refuse(text: str, code: int = USAGE) -> int:
    print(text, file=sys.stderr)
    return code
