"""The Python module against `warploom stats`: every total of a run, by name.

usage: helper.py PROGRAM FILE
"""
import csv
import subprocess
import sys

import warploom

program, path = sys.argv[1:3]
run = warploom.open(path)
assert run.workload == "atax" and run.status == "complete", run.attrs
assert run.labels[-1] == "end"
assert "loom.gpu" in run.config

out = subprocess.run([program, "stats", path, "--csv"], check=True,
                     capture_output=True, text=True).stdout
compared = 0
by_name = {}
for row in csv.DictReader(out.splitlines()):
    name = row["statistic"].split("[")[0]
    try:
        by_name.setdefault(name, []).append(float(row["total"]))
    except ValueError:
        by_name[name] = None  # "-": no total
for name, totals in by_name.items():
    if totals is None or run[name].kind in ("ratio", "rate"):
        continue
    if name.endswith(("_min", "_max")):
        assert run[name].total() == totals[0], (name, totals)
        compared += 1
        continue
    assert run[name].total() == sum(totals), (name, totals)
    compared += 1
assert compared > 200, compared
assert {n for n in run.names() if not n.endswith("_hist")} == set(by_name)

# Ratios are of the sums; within a kernel, of the differences.
l1d = "gpu.sm.l1d."
for kernel in (None, 0, 1):
    ratio = run[l1d + "miss_ratio"].total(kernel=kernel)
    misses = run[l1d + "misses"].total(kernel=kernel)
    lookups = run[l1d + "lookups"].total(kernel=kernel)
    assert misses > 0 and ratio == misses / lookups, (kernel, ratio)
assert sum(run[l1d + "lookups"].total(kernel=k) for k in (0, 1)) == run[
    l1d + "lookups"].total()

# Instances.
parts = [run[f"gpu.sm[{i}].l1d.misses"].total() for i in (0, 1)]
assert sum(parts) == run[l1d + "misses"].total() and min(parts) > 0
one = run["gpu.sm[1].l1d.miss_ratio"]
assert one.total() == (run["gpu.sm[1].l1d.misses"].total() /
                       run["gpu.sm[1].l1d.lookups"].total())
for wrong in ("gpu.sm[9].l1d.misses", "gpu.sm.l1d.mises"):
    try:
        run[wrong]
    except KeyError as error:
        assert "mises" not in wrong or "did you mean" in str(error)
    else:
        raise AssertionError(wrong)

# Patterns, series, frames.
assert run.names("**.l1d.misses") == [l1d + "misses"]
assert l1d + "misses" in run.names("misses")
assert set(run.names("gpu.dram")) == {n for n in run.names()
                                      if n.startswith("gpu.dram.")}
series = run["bw:gpu.dram.bytes"]
assert series.values.shape[0] == len(series.time)
array = run["gpu.sm.issue_slots"].xarray()
assert array.dims[0] == "sample" and array.attrs["units"] == "cycle"
assert int(array.isel(sample=-1).sum()) == run["gpu.sm.issue_slots"].total()
frame = run[l1d + "misses"].dataframe()
assert frame.value.sum() == run[l1d + "misses"].values.sum()
assert list(run.kernels().name) == ["atax_rows", "atax_columns"]
params = run.params()
assert "4096" in set(params[params.name == "size_bytes"].value)
table = warploom.totals([path], "**.l1d.misses")
assert table[l1d + "misses"][0] == run[l1d + "misses"].total()
print(f"{compared} totals compared")
