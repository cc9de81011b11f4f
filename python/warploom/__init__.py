"""Reads warploom's results files: python/README.md.

    import warploom
    run = warploom.open("run.h5")
    run.names("**.l1d.*miss*")              # statistics, by pattern
    s = run["gpu.sm.l1d.misses"]            # one of them
    s.unit, s.doc, s.values                 # "request", .., [sample, instance]
    s.total(), s.total(kernel=1)            # over instances; within a kernel
    run["gpu.sm[3].l1d.misses"].total()     # of one instance
    run["gpu.sm.l1d.miss_ratio"].total(kernel=1)    # ratio of differences
    run["bw:gpu.sm.l1d.miss_ratio"].windows()       # in each window of a series
    s.dataframe(), s.xarray(), run.tree(), run.loads()
    warploom.totals("runs/*.h5", "**.miss_ratio")   # a row for each run
    warploom.open("results.h5").dataframe()         # a sweep: axes and metrics

As a program it prints what a file has:  python3 -m warploom FILE [PATTERN]
"""
from __future__ import annotations

import glob as _glob
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Union

import h5py

from ._read import text as _text
from .run import Run, Sweep
from .statistic import Statistic
from .tree import Tree

if TYPE_CHECKING:
    import pandas

__all__ = ["open", "totals", "Run", "Sweep", "Statistic", "Tree"]

# The layouts that this package reads: format_version up to the next 2.0.
_LAYOUT = 1


def open(path: Union[str, os.PathLike[str]]) -> Run | Sweep:
    """A Run, or a Sweep if the file is a merged one."""
    path = os.fspath(path)  # the module is the name space: warploom.open
    file = h5py.File(path, "r")
    kind = _text(file.attrs.get("format", ""))
    version = str(_text(file.attrs.get("format_version", "1.0")))
    if kind in ("warploom-stats", "warploom-sweep") and (
            int(version.split(".")[0]) > _LAYOUT):
        file.close()
        raise ValueError(f"{path} has layout {version}, which is newer than "
                         f"this package reads: {_LAYOUT}")
    if kind == "warploom-stats":
        return Run(file, path)
    if kind == "warploom-sweep":
        return Sweep(file, path)
    file.close()
    raise ValueError(f"{path} is no results file of warploom")


def totals(paths: str | Iterable[str], pattern: str,
           sample: int = -1) -> pandas.DataFrame:
    """A DataFrame with a row for each file and a column for each statistic:
    totals over instances.  `paths`: a pattern of paths, or a list."""
    import pandas
    if isinstance(paths, str):
        paths = sorted(_glob.glob(paths))
    rows = []
    for path in paths:
        run = open(path)
        if not isinstance(run, Run):
            raise ValueError(f"{path} is a sweep, not a run")
        with run:
            row = {"run": os.path.basename(path), "workload": run.workload,
                   "machine": run.machine}
            for name in run.names(pattern):
                row[name] = run[name].total(sample)
            rows.append(row)
    return pandas.DataFrame(rows)
