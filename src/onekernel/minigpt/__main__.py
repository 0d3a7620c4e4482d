"""`python -m onekernel.minigpt "A warp is"` goes on with the text."""

import argparse
import sys

from onekernel.errors import UserError, told
from onekernel.messages import Message, say

from . import weights
from .model import MiniGPT


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m onekernel.minigpt", description=say("minigpt.about"))
    parser.add_argument("prompt", nargs="?", default="A warp is", help=say("minigpt.help-prompt"))
    parser.add_argument("--length", type=int, default=200, help=say("minigpt.help-length"))
    parser.add_argument("--temperature", type=float, default=0.0, help=say("minigpt.help-temperature"))
    parser.add_argument("--seed", type=int, default=0, help=say("minigpt.help-seed"))
    asked = parser.parse_args()
    try:
        model = MiniGPT(weights.SHIPPED_CONFIG, weights.load())
    except weights.WeightsError as error:
        raise UserError(Message.of("minigpt.other-weights", path=error.path)) from None
    print(model.generate(asked.prompt, asked.length, asked.temperature, asked.seed))
    return 0


if __name__ == "__main__":
    sys.exit(told(main))
