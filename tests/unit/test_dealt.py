"""Benches that grade side by side on several GPUs."""

from __future__ import annotations

import os

import pytest

from audits import dealt


def test_each_process_sees_one_gpu_of_those_that_this_one_sees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,7")
    assert [dealt.seen(number, 2)["CUDA_VISIBLE_DEVICES"] for number in range(3)] == ["4", "7", "4"]
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    assert [dealt.seen(number, 2)["CUDA_VISIBLE_DEVICES"] for number in range(3)] == ["0", "1", "0"]
    assert dealt.seen(1, 1) == dealt.seen(1, 0) == {}


def test_processes_are_dealt_gpus_where_a_gpu_grades(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dealt, "gpu_count", lambda: 2)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "GPU-a,GPU-b")
    with dealt.pool(1, "cuda") as one, dealt.pool(1, "simulator") as all_:
        asked = [pool.submit(os.getenv, "CUDA_VISIBLE_DEVICES") for pool in (one, all_)]
        assert [answer.result() for answer in asked] == ["GPU-a", "GPU-a,GPU-b"]
