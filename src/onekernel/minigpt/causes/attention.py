"""Attention done wrong, each on purpose: the split into heads, the scale, the mask, the softmax, the merge."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..config import Config
from ..model import Native
from .mistake import Mistake, factor, formulas


def _splits(config: Config, qkv: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """(cause, (q, k, v)) for each way to cut (B, T, 3 D) into heads; the right one first, with an empty cause."""
    batch, length, _ = qkv.shape
    heads, width = config.heads, config.head_width
    yield "", qkv.reshape(batch, length, 3, heads, width).transpose(2, 0, 3, 1, 4)
    yield "head-order", qkv.reshape(batch, length, 3, width, heads).transpose(2, 0, 4, 1, 3)
    yield "head-order", qkv.reshape(batch, length, heads, 3, width).transpose(3, 0, 2, 1, 4)
    yield "head-order", qkv.reshape(batch, length, heads, width, 3).transpose(4, 0, 2, 1, 3)
    yield "head-order", qkv.reshape(3, batch, length, heads, width).transpose(0, 1, 3, 2, 4)
    thirds = np.stack(np.split(qkv, 3, axis=-1))
    yield "head-reshape", thirds.reshape(3, batch, heads, length, width)


def scores(config: Config, qkv: np.ndarray, found: np.ndarray) -> Iterator[Mistake]:
    length, width = qkv.shape[1], config.head_width
    row, column = np.arange(length)[:, None], np.arange(length)[None, :]
    later = column > row
    q, k, v = next(_splits(config, qkv))[1]
    products = q @ k.swapaxes(-1, -2)
    right = products / math.sqrt(width)

    def masked(scores: np.ndarray, where: np.ndarray = later) -> np.ndarray:
        return np.where(where, -np.inf, scores)

    for divisor in (1.0, width, math.sqrt(config.width), config.width, 1.0 / math.sqrt(width), math.sqrt(config.heads)):
        yield "scaling", {"head_width": width}, masked(products / divisor)
    yield "scaling", {"head_width": width}, masked(products * factor(masked(products), found))
    yield "softmax-axis", {}, masked(right).swapaxes(-1, -2)
    yield "no-mask", {}, right
    yield "mask-diagonal", {}, masked(right, column >= row)
    yield "mask-shifted", {}, masked(right, column > row + 1)
    yield "mask-transposed", {}, masked(right, column < row)
    yield "mask-inverted", {}, masked(right, column <= row)
    yield "mask-zero", {}, np.where(later, 0.0, right)
    yield "mask-small", {}, np.where(later, -1.0, right)
    for seen in (-np.inf, np.nan):  # 0 times infinity, where a position may see
        yield "mask-nan", {}, np.where(later, seen, np.nan) + 0.0 * right
    for cause, (a, b, _) in _splits(config, qkv):
        if cause:
            yield cause, {}, masked(a @ b.swapaxes(-1, -2) / math.sqrt(width))
    for a, b in ((k, q), (k, v), (q, v), (v, k), (v, q)):
        yield "qkv-order", {}, masked(a @ b.swapaxes(-1, -2) / math.sqrt(width))
    for name, x in (("q", q), ("k", k), ("v", v)):
        yield from formulas("q @ k^T", [(f"{name} @ {name}^T", masked(x @ x.swapaxes(-1, -2) / math.sqrt(width)))])


def mixed(config: Config, qkv: np.ndarray, weights: np.ndarray) -> Iterator[Mistake]:
    batch, length, width = qkv.shape[0], qkv.shape[1], config.width
    q, k, v = next(_splits(config, qkv))[1]

    def merged(x: np.ndarray) -> np.ndarray:
        return x.swapaxes(1, 2).reshape(batch, length, width)

    yield "head-merge", {}, (weights @ v).reshape(batch, length, width)
    yield "head-merge", {}, (weights @ v).transpose(0, 2, 3, 1).reshape(batch, length, width)
    for cause, parts in _splits(config, qkv):
        if cause:
            yield cause, {}, merged(weights @ parts[2])
    yield "qkv-order", {}, merged(weights @ k)
    yield "qkv-order", {}, merged(weights @ q)
    yield "softmax-axis", {}, merged(weights.swapaxes(-1, -2) @ v)
    twice = Native().softmax(weights)
    written = {
        "softmax(softmax(scores)) @ v": twice @ v,
        "tril(softmax(softmax(scores))) @ v": np.tril(twice) @ v,
        "(softmax(scores) @ v + v)": weights @ v + v,
        "v": v,
    }
    yield from formulas("softmax(scores) @ v", ((told, merged(made)) for told, made in written.items()))
