"""Runs kernels of the corpus in a process of its own: `sanitizer_child.py COMPILER STEM...`, a JSON line each."""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "src"))

from test_corpus import KERNELS, call, expected_findings

for path in KERNELS:
    if path.stem in sys.argv[2:]:
        report, _, _ = call(path, with_compiler=sys.argv[1], arch="sm_90")  # of one card: a runtime takes half a minute
        found = sorted([f.line, f.code] for f in report.findings)
        wanted = sorted([line, code] for line, code, _ in expected_findings(path.read_text(encoding="utf-8")))
        print(json.dumps({"kernel": path.stem, "found": found, "wanted": wanted}), flush=True)
