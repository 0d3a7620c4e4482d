#!/usr/bin/env bash
# Makes the image: what the course needs, a user who grades, and a warm cache. Needs the network; grading does not.
set -euo pipefail
apt-get update
if apt-cache show python3.12 >/dev/null 2>&1; then python=python3.12; else python=python3.11; fi
apt-get install -y --no-install-recommends g++ "$python" "$python-venv" "$python-dev" util-linux
"$python" -m venv /autograder/venv
# PyTorch's CPU build: there is no GPU, and it saves gigabytes.
/autograder/venv/bin/pip install --no-cache-dir torch --index-url https://download.pytorch.org/whl/cpu
/autograder/venv/bin/pip install --no-cache-dir -e /autograder/source/course
useradd --system --create-home --home-dir /autograder/home grader
chown -R root:root /autograder/source && chmod -R go+rX,go-w /autograder/source
# The self-tests and the simulator's runtime are built once, here; what runs for a student finds them.
runuser -u grader -- env HOME=/autograder/home ONEKERNEL_ROOT=/autograder/source/course \
    /autograder/venv/bin/onekernel check --solutions EXERCISES || true
