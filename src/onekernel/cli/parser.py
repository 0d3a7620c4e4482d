"""Commands and options. Their words are in messages/cli.toml: `cmd-NAME`, `arg-NAME` and `opt-NAME`."""

from __future__ import annotations

import argparse
import datetime
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from onekernel import __version__
from onekernel.arguments import COMMAND, DEVICES, Parser, device_of, placeholder
from onekernel.author import SORTS
from onekernel.messages import say

_WITH_ARGUMENTS = ("run", "trace")
Handler = Callable[[argparse.Namespace], int]


def parse(words: Sequence[str]) -> tuple[Handler, argparse.Namespace]:
    """The handler of a command line and its arguments. Raises SystemExit after help or a complaint."""
    parser, _ = build()
    cut = words.index("--") if "--" in words and words[0] in _WITH_ARGUMENTS else len(words)
    args = parser.parse_args(words[:cut])
    args.rest = list(words[cut + 1 :])  # a program's own arguments
    if args.handler is None:
        parser.print_help()
        raise SystemExit(2)
    module, _, function = args.handler.partition(":")
    return getattr(import_module(f"onekernel.cli.{module}"), function), args


def build() -> tuple[argparse.ArgumentParser, dict[str, argparse.ArgumentParser]]:
    """The parser, and the parser of each command by its words ("check", "author stamp")."""
    top = Parser(prog="onekernel", description=say("cli.about"), epilog=say("cli.epilog"))
    top.add_argument("--version", action="version", version=f"onekernel {__version__}", help=say("cli.opt-version"))
    top.set_defaults(handler=None)
    shown = placeholder(COMMAND)
    commands = top.add_subparsers(title=say("cli.commands"), dest="command", metavar=shown, parser_class=Parser)
    found: dict[str, argparse.ArgumentParser] = {}

    def command(name: str, handler: str, *configure: Callable[[argparse.ArgumentParser], None]) -> None:
        text = say(f"cli.cmd-{name}")
        found[name] = commands.add_parser(name, prog=f"onekernel {name}", help=text, description=text)
        found[name].set_defaults(handler=handler)
        for add in configure:
            add(found[name])

    command("start", "learn:start", _argument("name", "NAME"))
    command("status", "learn:status", _part, _learner)
    command("check", "check:run", _check)
    command("grade", "grade:grade", _grade)
    command("hint", "learn:hint", _exercise, _flag("again"), _learner)
    command("predict", "predict:run", _exercise, _set, _learner)
    command("log", "log:run", _log, _flag("baseline"), _shape, _device, _learner)
    command("diff", "learn:diff", _exercise, _learner)
    command("reset", "learn:reset", _exercise, _learner)
    command("solution", "learn:solution", _exercise, _flag("spoil"), _flag("record"), _learner)
    command("doctor", "doctor:run")
    command("compile", "tools:compile_file", _exercise, _whose, _shape, _compile)
    command("profile", "tools:profile", _exercise, _whose, _shape)
    command("show", "show:run", _exercise, _show, _whose, _shape)
    command("trace", "trace:run", _trace, _whose, _shape, _program)
    command("run", "run:run", _run, _program)
    command("explain", "explain:run", _explain)
    command("bench", "tools:bench", _benched, _flag("dry-run"))
    command("gpt", "gpt:run", _gpt, _whose, _device)
    command("docs", "docs:run", _docs)
    command("author", "author:generate")
    _author(found)
    return top, found


def _author(found: dict[str, argparse.ArgumentParser]) -> None:
    parts = found["author"].add_subparsers(required=True, dest="part", metavar=placeholder("PART"), parser_class=Parser)

    def part(name: str, handler: str) -> argparse.ArgumentParser:
        text = say(f"cli.cmd-author-{name}")
        made = found[f"author {name}"] = parts.add_parser(
            name, prog=f"onekernel author {name}", help=text, description=text
        )
        made.set_defaults(handler=f"author:{handler}")
        return made

    for name in ("starters", "stamp"):
        part(name, "generate").add_argument("--check", action="store_true", help=say("cli.opt-author-check"))
    new = part("new", "begin")
    new.add_argument("sort", metavar="SORT", choices=SORTS, help=say("cli.arg-author-sort"))
    new.add_argument("lab", metavar="LAB", nargs="?", help=say("cli.arg-author-lab"))
    new.add_argument("name", metavar="NAME", help=say("cli.arg-author-name"))
    part("verify", "tell_missing").add_argument("name", metavar="NAME", help=say("cli.arg-author-name"))


def _argument(dest: str, metavar: str) -> Callable[[argparse.ArgumentParser], None]:
    return lambda parser: _add(parser, dest, metavar=metavar, help=say(f"cli.arg-{dest}"))


def _add(parser: argparse.ArgumentParser, *names: str, **options: Any) -> None:
    parser.add_argument(*names, **options)


def _flag(name: str) -> Callable[[argparse.ArgumentParser], None]:
    return lambda parser: _add(parser, f"--{name}", action="store_true", help=say(f"cli.opt-{name}"))


def _part(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("part", metavar="LAB|EXERCISE", nargs="*", help=say("cli.arg-status"))


def _exercise(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("exercise", metavar="EXERCISE", help=say("cli.arg-exercise"))


def _log(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("log", metavar="LOG", nargs="?", help=say("cli.arg-log"))


def _benched(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("exercise", metavar="EXERCISE", help=say("cli.arg-benched"))


def _learner(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--learner", metavar="NAME", help=say("cli.opt-learner"))


def _set(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--set", metavar="ID=VALUE", action="append", default=[], help=say("cli.opt-set"))
    parser.set_defaults(interactive=sys.stdin is not None and sys.stdin.isatty())


def _whose(parser: argparse.ArgumentParser) -> None:
    whose = parser.add_mutually_exclusive_group()
    whose.add_argument("--solutions", action="store_const", const="--solutions", help=say("cli.opt-solutions"))
    whose.add_argument("--record", action="store_const", const="--record", dest="solutions", help=say("cli.opt-record"))
    whose.add_argument("--learner", metavar=placeholder("NAME"), help=say("cli.opt-learner"))


def _shape(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--shape", metavar="R,C", help=say("cli.opt-shape"))
    dtypes = ("float32", "float16", "bfloat16")
    parser.add_argument("--dtype", choices=dtypes, default="float32", help=say("cli.opt-dtype"))


def _show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--value", metavar="NAME", required=True, help=say("cli.opt-value"))
    parser.add_argument("--block", metavar="B", type=_count, default=0, help=say("cli.opt-block"))
    parser.add_argument("--thread", metavar="T", type=_count, default=0, help=say("cli.opt-thread"))


def _compile(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--arch", metavar="SM,SM", default="sm_80,sm_90", help=say("cli.opt-arch"))
    parser.add_argument("--kernel", metavar="NAME", help=say("cli.opt-kernel"))
    parser.add_argument("--out", metavar="DIR", help=say("cli.opt-out"))


def _trace(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("traced", metavar="EXERCISE|FILE", help=say("cli.arg-traced"))
    parser.add_argument("--line", metavar="N", type=_count, help=say("cli.opt-line"))
    parser.add_argument("--warp", metavar="N", type=_count, default=0, help=say("cli.opt-warp"))
    parser.add_argument("--against", metavar="EXERCISE|FILE", help=say("cli.opt-against"))
    parser.add_argument("--out", metavar="DIR", help=say("cli.opt-trace-out"))
    _flag("terminal")(parser)


def _run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="+", help=say("cli.arg-files"))
    how = parser.add_mutually_exclusive_group()
    for mode in ("check", "fast", "count", "count-only"):
        how.add_argument(f"--{mode}", dest="mode", action="store_const", const=mode, help=say(f"cli.opt-run-{mode}"))
    reports = ("text", "html", "json")
    parser.add_argument("--report", choices=reports, default="text", help=say("cli.opt-report"))
    parser.add_argument("-o", metavar="FILE", help=say("cli.opt-report-out"))
    parser.add_argument("--limit", metavar="S", type=_positive, default=60.0, help=say("cli.opt-limit"))
    parser.add_argument("--baseline", metavar="REPORT", help=say("cli.opt-run-baseline"))


def _program(parser: argparse.ArgumentParser) -> None:
    """How a program is compiled, with nvcc's own options."""
    parser.add_argument("-I", metavar="DIR", action="append", default=[], help=say("cli.opt-include"))
    parser.add_argument("-D", metavar="NAME[=V]", action="append", default=[], help=say("cli.opt-define"))
    parser.add_argument("-l", metavar="NAME", action="append", default=[], help=say("cli.opt-library"))
    standards = ("c++11", "c++14", "c++17", "c++20", "c++23")
    parser.add_argument("-std", "--std", choices=standards, default="", help=say("cli.opt-std"))
    parser.add_argument("-arch", "--arch", choices=("sm_80", "sm_90", "sm_90a"), help=say("cli.opt-run-arch"))


def _explain(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("explained", metavar="FILE", help=say("cli.arg-explained"))
    parser.add_argument("--seconds", metavar="S", type=_positive, default=120.0, help=say("cli.opt-seconds"))
    parser.add_argument("--save", metavar="TRACE", help=say("cli.opt-save"))
    parser.add_argument("--out", metavar="DIR", help=say("cli.opt-explain-out"))


def _gpt(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("prompt", nargs="?", metavar="TEXT", default="A warp is", help=say("cli.arg-prompt"))
    parser.add_argument("--length", metavar="N", type=_count, help=say("cli.opt-length"))
    parser.add_argument("--temperature", metavar="T", type=_warmth, default=0.0, help=say("cli.opt-temperature"))
    parser.add_argument("--seed", metavar="N", type=_count, default=0, help=say("cli.opt-draw-seed"))
    _flag("with-my-kernels")(parser)
    parser.add_argument("--use", metavar="EXERCISE", action="append", default=[], help=say("cli.opt-use"))


def _docs(parser: argparse.ArgumentParser) -> None:
    _flag("build")(parser)
    parser.add_argument("--port", metavar="N", type=_count, default=8000, help=say("cli.opt-port"))
    parser.add_argument("--out", metavar="DIR", help=say("cli.opt-docs-out"))
    parser.add_argument("--url", metavar="URL", default="", help=say("cli.opt-docs-url"))


def _check(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="LAB|EXERCISE", nargs="*", help=say("cli.arg-target"))
    _whose(parser)
    _device(parser)
    parser.add_argument("--seed", metavar="N", type=_count, help=say("cli.opt-seed"))
    parser.add_argument("--json", metavar="FILE", help=say("cli.opt-json"))
    parser.add_argument("--watch", action="store_true", help=say("cli.opt-watch"))
    _flag("first")(parser)
    parser.add_argument("--require-sandbox", action="store_true", help=say("sandbox.opt-require"))


def _grade(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", help=say("cli.arg-folder"))
    parser.add_argument("target", metavar="LAB|EXERCISE", nargs="*", help=say("cli.arg-graded"))
    parser.add_argument("--out", metavar="DIR", help=say("cli.opt-grade-out"))
    parser.add_argument("--jobs", metavar="N", type=_count, default=1, help=say("cli.opt-jobs"))
    _device(parser)
    parser.add_argument("--seed", metavar="N", type=_count, help=say("cli.opt-grade-seed"))
    parser.add_argument("--cluster", choices=("slurm", "local"), help=say("cli.opt-cluster"))
    parser.add_argument("--slurm", metavar="NAME=VALUE", action="append", default=[], help=say("cli.opt-slurm"))
    parser.add_argument("--require-sandbox", action="store_true", help=say("sandbox.opt-require"))
    parser.add_argument("--gradescope-image", action="store_true", help=say("cli.opt-gradescope-image"))
    visible = ("visible", "hidden", "after_due_date", "after_published")
    parser.add_argument("--visibility", choices=visible, default="visible", help=say("cli.opt-visibility"))
    parser.add_argument("--due", metavar="DATE", type=_date, help=say("cli.opt-due"))


def _device(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--device", choices=DEVICES, type=device_of, default="auto", help=say("cli.opt-device"))


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise ValueError(text)
    return value


def _warmth(text: str) -> float:
    return 0.0 if text == "0" else _positive(text)


def _date(text: str) -> datetime.datetime:
    """A day or a time of ISO 8601, of this machine's zone where it names none; a day lasts until its end."""
    found = datetime.datetime.fromisoformat(text)
    return (found + datetime.timedelta(days=1) if len(text) == 10 else found).astimezone()


def _count(text: str) -> int:
    value = int(text)
    if value < 0:
        raise ValueError(text)
    return value
