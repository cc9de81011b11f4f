"""Trees, tables of loads, errors, sweeps: the Python package.

usage: package.py LOADS.h5 SAMPLED.h5 SWEEP.h5
"""
import sys

import numpy as np
import xarray

import warploom

loads, sampled, swept = (warploom.open(p) for p in sys.argv[1:4])

# The tree has every statistic, in Datasets with units and times.
tree = loads.tree()
assert len(tree) > 5 and sum(len(d) for d in tree.values()) == len(
    loads.names())
l1d = tree["gpu.sm.l1d"]
assert isinstance(l1d, xarray.Dataset) and l1d.attrs["machine"] == "tiny"
assert int(l1d.misses.isel(sample=-1).sum()) == loads[
    "gpu.sm.l1d.misses"].total()
assert l1d.misses.attrs["units"] == "request"
assert list(l1d.label.values) == loads.labels
assert (np.diff(l1d.time.values) >= 0).all()
assert tree["gpu/sm/l1d"].equals(l1d)
if hasattr(xarray, "DataTree"):
    assert tree.datatree()["gpu/sm/l1d"].misses.equals(l1d.misses)
else:
    try:
        tree.datatree()
    except NotImplementedError as error:
        assert "DataTree" in str(error)
    else:
        raise AssertionError("a DataTree from nowhere")
assert loads.series() == ["bw"]
series = loads.tree("bw")["gpu.dram"]
assert series.bytes.sizes["bw_sample" if "bw_sample" in series.bytes.dims
                          else series.bytes.dims[0]] > 3

# Loads: one row for each that counted, and kernels add up to the run.
table = loads.loads("**.load_analysis.*")
column = [c for c in table.columns if c.endswith("load_accesses")]
assert len(table) >= 3 and column, table
whole = table[column[0]].sum()
parts = [loads.loads("**.load_analysis.*", kernel=k)[column[0]].sum()
         for k in range(len(loads.kernels()))]
assert whole > 0 and sum(parts) == whole and min(parts) > 0, (whole, parts)

# A profile says of each instruction where it is and what warps waited for.
profile = loads.profile()
assert {"inst", "wait"} <= set(profile.sizes), profile
assert {"kernel", "pc", "line", "text", "op"} <= set(profile.coords), profile
assert int(profile.warp_cycles.sum()) > 0
assert "atax_rows" in profile.kernel.values

# Errors stand beside estimates, and not beside what is exact.
assert sampled.attrs["estimates"]
misses = sampled["gpu.l2.misses"]
array = misses.xarray()
assert array.stderr.shape == array.shape
assert float(array.total_stderr[-1]) == misses.error() > 0
assert "stderr" not in sampled["gpu.sm.warp_insts"].xarray().coords
assert sampled["gpu.sm.warp_insts"].error() == 0.0
assert not any(n.endswith("_stderr") for n in sampled.names())
l2 = sampled.tree()["gpu.l2"]
assert "misses_total_stderr" in l2.coords and "hits_stderr" in l2.coords
assert "misses_stderr" not in loads.tree()["gpu.l2"].coords

# A sweep is a grid.
grid = swept.xarray()
assert grid.cycles.dims == ("size", "ways") and grid.cycles.size == 4
assert int(grid.cycles.sel(size="2KiB", ways=4)) == int(
    swept.dataframe().query("size == '2KiB' and ways == 4").cycles.iloc[0])

# Notebooks.
for of in (loads, sampled, swept):
    page = of._repr_html_()
    assert page.count("<table>") == page.count("</table>") >= 1
    assert "<script" not in page
assert "atax_rows" in loads._repr_html_() and "atax" in repr(loads)
assert "estimates" in sampled._repr_html_()
loads.workload = "<b>"  # what a file says is no markup
assert "&lt;b&gt;" in loads._repr_html_()
print(f"{len(tree)} groups, {len(table)} loads")
