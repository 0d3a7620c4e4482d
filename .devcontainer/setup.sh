#!/usr/bin/env bash
# Runs once, when the container is made: .venv, and the course in it. With PyTorch's CPU index beside PyPI pip takes the
# CPU build of torch (2.13.0+cpu counts as newer than 2.13.0), which saves gigabytes.
set -euo pipefail
cd "$(dirname "$0")/.."
python3 -m venv .venv
PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu .venv/bin/pip install --quiet -e ".[test]"
.venv/bin/onekernel doctor
