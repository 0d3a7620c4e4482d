"""`python -m onekernel.minigpt "A warp is"` goes on with the text."""

import argparse

from . import weights
from .model import MiniGPT


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m onekernel.minigpt", description="MiniGPT goes on with a text.")
    parser.add_argument("prompt", nargs="?", default="A warp is")
    parser.add_argument("--length", type=int, default=200, help="bytes to write (default 200)")
    parser.add_argument("--temperature", type=float, default=0.0, help="0: the likeliest byte; 0.8: freer")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    model = MiniGPT(weights.SHIPPED_CONFIG, weights.load())
    print(model.generate(asked.prompt, asked.length, asked.temperature, asked.seed))


if __name__ == "__main__":
    main()
