"""What all of the package reads files with."""
from __future__ import annotations

import re
from typing import Any

import h5py
import numpy as np


def text(value: Any) -> Any:
    return value.decode() if isinstance(value, bytes) else value


def plain(value: Any) -> Any:
    """An attribute as str, int, float or list."""
    value = text(value)
    if isinstance(value, np.ndarray):
        return [plain(v) for v in value]
    return value.item() if isinstance(value, np.generic) else value


def values(dataset: h5py.Dataset) -> Any:
    """All values; text as str."""
    if h5py.check_string_dtype(dataset.dtype):
        return dataset.asstr()[...]
    return dataset[...]


def _pattern(pattern: str) -> re.Pattern[str]:
    """A regular expression: `*` within a part of a name, `**` any parts."""
    parts = []
    for part in re.split(r"[./]", pattern):
        if part == "**":
            parts.append(r"(?:[^.]+\.)*")
        else:
            part = re.escape(part).replace(r"\*", "[^.]*")
            parts.append(part.replace(r"\?", "[^.]") + r"\.")
    return re.compile("".join(parts) + "$")


def matches(pattern: str, name: str) -> bool:
    """As `warploom stats` does: a part alone may stand anywhere, and a prefix
    means all that is below it."""
    tries = [pattern, pattern + ".**"]
    if not re.search(r"[./]", pattern):
        tries.append("**." + pattern)
    return any(_pattern(p).match(name + ".") for p in tries)


def same(instance: str, path: str) -> bool:
    """Does a pattern that may leave indices out name this instance?"""
    want, have = instance.split("."), path.split(".")
    return len(want) == len(have) and all(
        w == h or "[" not in w and w == h.split("[")[0]
        for w, h in zip(want, have))


def quotient(top: float, bottom: float) -> float:
    return top / bottom if bottom > 0 else float("nan")
