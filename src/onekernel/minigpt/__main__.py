"""`python -m onekernel.minigpt "A warp is"` goes on with the text."""

import argparse

from onekernel.messages import say

from . import weights
from .model import MiniGPT


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m onekernel.minigpt", description=say("minigpt.about"))
    parser.add_argument("prompt", nargs="?", default="A warp is", help=say("minigpt.help-prompt"))
    parser.add_argument("--length", type=int, default=200, help=say("minigpt.help-length"))
    parser.add_argument("--temperature", type=float, default=0.0, help=say("minigpt.help-temperature"))
    parser.add_argument("--seed", type=int, default=0, help=say("minigpt.help-seed"))
    asked = parser.parse_args()
    model = MiniGPT(weights.SHIPPED_CONFIG, weights.load())
    print(model.generate(asked.prompt, asked.length, asked.temperature, asked.seed))


if __name__ == "__main__":
    main()
