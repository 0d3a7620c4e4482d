"""Command lines in both languages: argparse, with its own words and complaints from messages/cli.toml."""

from __future__ import annotations

import argparse
import difflib
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from onekernel.messages import LANGUAGES, area, say, set_language

WITHOUT_GPU = ("simulator", "interpreter")  # what runs a .cu, and what runs Triton: either word asks for both
DEVICES = ("auto", "cuda", *WITHOUT_GPU)  # what --device may say
COMMAND = "COMMAND"  # the metavar of a command among commands: a wrong one is answered with the nearest
# argparse's own complaints (CPython, Lib/argparse.py) and the messages that replace them.
_COMPLAINTS = (
    (r"the following arguments are required: (?P<what>.+)", "usage-required"),
    (r"unrecognized arguments: (?P<what>.+)", "usage-unrecognized"),
    (r"argument (?P<arg>.+?): invalid choice: '(?P<what>.*?)' \(choose from (?P<known>.+)\)", "usage-choice"),
    (r"argument (?P<arg>.+?): expected .*argument.*", "usage-value"),
    (r"argument (?P<arg>.+?): invalid _positive value: '(?P<what>.*)'", "usage-positive"),
    (r"argument (?P<arg>.+?): invalid _warmth value: '(?P<what>.*)'", "usage-warmth"),
    (r"argument (?P<arg>.+?): invalid _date value: '(?P<what>.*)'", "usage-date"),
    (r"argument (?P<arg>.+?): invalid .+ value: '(?P<what>.*)'", "usage-type"),
    (r"argument (?P<arg>.+?): not allowed with argument (?P<what>.+)", "usage-both"),
)


def device_of(word: str) -> str:
    """What a word of DEVICES asks for: "auto", "cuda", or "simulator" for either word that means no GPU."""
    return WITHOUT_GPU[0] if word in WITHOUT_GPU else word


def placeholder(metavar: str) -> str:
    """What stands for a value in help, `NAME` or `LAB|EXERCISE`, each word of it in the language in force."""
    known = area("cli")
    return re.sub(r"[A-Z]{3,}", lambda w: say(f"cli.value-{w[0]}") if f"value-{w[0]}" in known else w[0], metavar)


class _Formatter(argparse.RawDescriptionHelpFormatter):
    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: str | None = None) -> None:
        super().add_usage(usage, actions, groups, say("cli.usage") + " ")


class Parser(argparse.ArgumentParser):
    """An argparse parser with --help and --lang, which speaks the language in force."""

    def __init__(self, **options: Any) -> None:
        super().__init__(add_help=False, formatter_class=_Formatter, allow_abbrev=False, **options)
        self._positionals.title = say("cli.arguments")
        self._optionals.title = say("cli.options")
        self.add_argument("-h", "--help", action="help", help=say("cli.opt-help"))
        self.add_argument("--lang", choices=LANGUAGES, default=None, help=say("cli.opt-lang"))

    def add_argument(self, *names: Any, **options: Any) -> Any:
        if isinstance(options.get("metavar"), str):
            options["metavar"] = placeholder(options["metavar"])
        if options.get("nargs") == "*" and not names[0].startswith("-"):
            options.setdefault("default", [])  # else argparse names it among what is missing
        return super().add_argument(*names, **options)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As argparse does; several names may also stand in more than one place, with options between them."""
        found, rest = super().parse_known_args(args, namespace)
        several = next((a for a in self._actions if not a.option_strings and a.nargs == "*"), None)
        if several and not any(word.startswith("-") for word in rest):
            setattr(found, several.dest, [*(getattr(found, several.dest) or ()), *rest])
            rest = []
        if rest:  # complained of here, not by the parser above: its --help would say nothing of this command
            self.error(f"unrecognized arguments: {' '.join(rest)}")
        return found, rest

    def error(self, message: str) -> NoReturn:
        print(_complaint(message), file=sys.stderr)
        print(say("cli.usage-help", command=self.prog), file=sys.stderr)
        raise SystemExit(2)


def choose_language(words: Sequence[str]) -> None:
    """--lang is read before anything else, so that help and complaints speak it too."""
    for word, following in zip(words, [*words[1:], ""], strict=False):
        asked = following if word == "--lang" else word.removeprefix("--lang=") if word.startswith("--lang=") else ""
        if asked in LANGUAGES:
            set_language(asked)


def _complaint(message: str) -> str:
    for pattern, key in _COMPLAINTS:
        match = re.fullmatch(pattern, message)
        if not match:
            continue
        found = match.groupdict()
        if key != "usage-choice":
            return say(f"cli.{key}", **found)
        known = re.findall(r"[\w-]+", found["known"])
        if found["arg"] == placeholder(COMMAND):
            what = found["what"]
            near = difflib.get_close_matches(what, known, n=1)
            return say("cli.no-command-near", what=what, near=near[0]) if near else say("cli.no-command", what=what)
        return say("cli.usage-choice", **{**found, "known": ", ".join(known)})
    return message
