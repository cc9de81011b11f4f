"""Axes of results files, and tables by load with their coordinates.

usage: loads.py FOLDER SUITE LOADS.h5...
"""
import pathlib
import sys

import h5py
import numpy as np
import pandas

import warploom

folder, suite = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])

# Axes say what is along them, in whatever policy's statistics: a name that was
# taken (reason, misses, uses) would have got a "_".
axes: dict[str, str] = {}
files = sorted(folder.glob("*.h5"))
for path in files:
    with h5py.File(path) as file:
        def visit(name: str, item: object) -> None:
            if isinstance(item, h5py.Dataset) and (
                    h5py.h5ds.is_scale(item.id)):
                axes[name.rsplit("/", 1)[1]] = f"{path}: {name}"
        file.visititems(visit)
assert len(files) > 60 and len(axes) > 40, (len(files), len(axes))
wrong = {a: where for a, where in axes.items()
         if a.rstrip("_") != a or a in ("misses", "hits", "accesses")}
assert not wrong, wrong

NAMES = ("kernel", "kernel_number", "pc", "line", "text", "op")
lines = (suite / "bfs" / "bfs.ptx").read_text().splitlines()
tables = apart = 0
for path in sys.argv[3:]:
    run = warploom.open(path)
    launches = run.kernels()
    names = [str(k) for k in (launches["name"] if hasattr(launches, "columns")
                              else [l.name for l in launches])]
    assert len(set(names)) > 1
    for name in run.names():
        s = run[name]
        if len(s.dims) != 3 or s.dims[2] != "load":
            assert "inst" not in s.dims, name
            continue
        tables += 1
        array = s.xarray()
        assert set(NAMES) <= set(array.coords), (name, list(array.coords))
        assert all(array.coords[n].dims == ("load",) for n in NAMES)
        rows = array.isel(sample=-1).sum(s.dims[1])
        used = array.kernel.values != ""
        assert set(array.kernel.values[used]) <= set(names)
        for i in np.flatnonzero(used):
            text = str(array.text.values[i]).rstrip(";")
            assert text.split()[0] in lines[int(array.line[i]) - 1], (
                name, text, lines[int(array.line[i]) - 1])
            assert str(array.op.values[i]) == "load"
        assert len(np.unique(np.stack([
            array.kernel_number.values[used], array.pc.values[used]]),
            axis=1).T) == used.sum(), f"{name}: a load has two rows"
        if name.rsplit(".", 1)[1] in ("load_kernel", "load_inst", "load_pc",
                                      "load_line"):
            continue
        assert not rows.values[~used].any(), f"{name}: counted for nobody"
        if ".locality_analysis." in name or name.rsplit(".", 1)[1] not in (
                "load_accesses", "load_hits", "load_bypasses", "load_cached",
                "load_count", "load_fully", "load_partially", "load_cold",
                "load_intra", "load_inter"):
            continue  # what later uses change, or no count
        apart += 1
        # Kernels are kept apart: rows of a kernel grow in its launches only.
        for kernel in sorted(set(names)):
            mine = array.kernel.values == kernel
            inside = sum(s.entries(kernel=i)[mine].sum()
                         for i, n in enumerate(names) if n == kernel)
            assert inside == rows.values[mine].sum(), (name, kernel)

    # The same as a table of pandas.
    frame = run.loads("gpu.sm.ldst.policy.load_analysis.*")
    assert isinstance(frame.index, pandas.MultiIndex)
    assert list(frame.index.names) == ["kernel", "pc", "line", "text"]
    total = frame["gpu.sm.ldst.policy.load_analysis.load_accesses"].sum()
    assert total == run["gpu.sm.ldst.policy.load_analysis.accesses"].total()
    assert total > 0 and set(frame.index.get_level_values("kernel")) <= set(
        names)
assert tables > 40 and apart > 20, (tables, apart)
print(f"{len(files)} files, {len(axes)} axes, {tables} tables by load")
