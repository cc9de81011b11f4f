"""Reads warploom's results files.  Needs h5py and numpy; pandas and xarray only
for the functions that return their objects.

    import warploom
    run = warploom.open("run.h5")
    run.names("**.l1d.*miss*")              # statistics, by pattern
    s = run["gpu.sm.l1d.misses"]            # one of them
    s.unit, s.doc, s.values                 # "request", .., [sample, instance]
    s.total(), s.total(kernel=1)            # over instances; within a kernel
    run["gpu.sm[3].l1d.misses"].total()     # of one instance
    run["gpu.sm.l1d.miss_ratio"].total(kernel=1)    # ratio of differences
    run["bw:gpu.sm.l1d.miss_ratio"].windows()       # in each window of a series
    s.dataframe(), s.xarray()
    warploom.totals("runs/*.h5", "**.miss_ratio")   # a row for each run
    warploom.open("results.h5").dataframe()         # a sweep: axes and metrics

Run as a program it prints what a file has:  python3 warploom.py FILE [PATTERN]
"""
import glob as _glob
import os
import re
import sys

import h5py
import numpy as np

__all__ = ["open", "totals", "Run", "Sweep", "Statistic"]


def _text(value):
    return value.decode() if isinstance(value, bytes) else value


def _plain(value):
    """An attribute as str, int, float or list."""
    value = _text(value)
    if isinstance(value, np.ndarray):
        return [_plain(v) for v in value]
    return value.item() if isinstance(value, np.generic) else value


def _values(dataset):
    """All values; text as str."""
    if h5py.check_string_dtype(dataset.dtype):
        return dataset.asstr()[...]
    return dataset[...]


def _pattern(pattern):
    """A regular expression: `*` within a part of a name, `**` any parts."""
    parts = []
    for part in re.split(r"[./]", pattern):
        if part == "**":
            parts.append(r"(?:[^.]+\.)*")
        else:
            part = re.escape(part).replace(r"\*", "[^.]*")
            parts.append(part.replace(r"\?", "[^.]") + r"\.")
    return re.compile("".join(parts) + "$")


def _matches(pattern, name):
    """As `warploom stats` does: a part alone may stand anywhere, and a prefix
    means all that is below it."""
    tries = [pattern, pattern + ".**"]
    if not re.search(r"[./]", pattern):
        tries.append("**." + pattern)
    return any(_pattern(p).match(name + ".") for p in tries)


class Statistic:
    """One dataset of a run: [sample, instance] or [sample, instance, axis]."""

    def __init__(self, run, root, name, instance=None):
        self.run, self.root, self.name = run, root, name
        self.dataset = run.file[root][name.replace(".", "/")]
        self.unit = _text(self.dataset.attrs["units"])
        self.doc = _text(self.dataset.attrs["long_name"])
        self.kind = _text(self.dataset.attrs["kind"])
        self._scales = [d[0] if len(d) else None for d in self.dataset.dims]
        paths = _values(self._scales[1])
        self._chosen = np.array([instance is None or _same(instance, p)
                                 for p in paths])
        if not self._chosen.any():
            raise KeyError(f"{name}: there is no instance {instance}")
        self.instances = list(paths[self._chosen])
        self._read = None

    def __repr__(self):
        return f"<{self.name} {self.dataset.shape} {self.unit}>"

    @property
    def dims(self):
        """Names of the dimensions."""
        return tuple(s.name.split("/")[-1] if s is not None else f"dim_{i}"
                     for i, s in enumerate(self._scales))

    @property
    def coords(self):
        """Name of a dimension -> what its entries are called."""
        out = {d: _values(s) if s is not None else np.arange(n) for d, s, n in
               zip(self.dims, self._scales, self.dataset.shape)}
        out[self.dims[1]] = np.array(self.instances, dtype=object)
        return out

    @property
    def time(self):
        """Seconds, for each sample."""
        return self.run.file[self.root]["time"][...]

    @property
    def values(self):
        """[sample, instance(, axis)]; counters are cumulative."""
        return self.dataset[...][:, self._chosen]

    def _input(self, i):
        names = _plain(self.dataset.attrs.get("inputs", []))
        if i >= len(names):
            return None
        return self._beside(self.name.rsplit(".", 1)[0] + "." + names[i])

    def _beside(self, path):
        """Another statistic of the same instances."""
        if path.replace(".", "/") not in self.run.file[self.root]:
            return None
        other = Statistic(self.run, self.root, path)
        if other._chosen.shape != self._chosen.shape:
            return None
        other._chosen = self._chosen
        return other

    def total(self, sample=-1, kernel=None, since=None):
        """Over all instances and entries.  `kernel`: what happened within a
        launch, by number; `since`: since another sample.  A ratio is the ratio
        of its counters' differences, never a mean or a difference of ratios,
        and NaN where nothing happened.  A gauge is what it is at the sample.
        The smallest or largest value is that of the whole run so far, NaN for
        a part of it."""
        if kernel is not None:
            table = self.run.file["kernel"]
            since = int(table["sample_begin"][kernel])
            sample = int(table["sample_end"][kernel])
        if sample < 0:
            sample += self.dataset.shape[0]
        return self._measure(sample, since if _after(since) else None)

    def windows(self):
        """What happened in the window that each sample stands for: since the
        sample before, by the rules of total().  The smallest and largest value
        are those since the beginning of the run."""
        whole_run = self.kind in ("min", "max")
        return np.array([
            self._measure(i, None if i == 0 or whole_run else i - 1)
            for i in range(self.dataset.shape[0])])

    def _measure(self, sample, since):
        if self.kind == "ratio":
            top, bottom = self._input(0), self._input(1)
            if top is None or bottom is None:
                return float("nan")
            return _quotient(top._measure(sample, since),
                             bottom._measure(sample, since))
        if self.kind == "rate":
            top, time = self._input(0), self.time
            if top is None:
                return float("nan")
            return _quotient(top._measure(sample, since), time[sample] -
                             (0.0 if since is None else time[since]))
        if self.kind in ("min", "max"):
            return float("nan") if since is not None else self._extreme(sample)
        if self.kind == "gauge" or since is None:
            return self._sum(sample)
        return self._sum(sample) - self._sum(since)

    @property
    def _rows(self):
        """All values of the chosen instances, read once."""
        if self._read is None:
            self._read = self.dataset[...][:, self._chosen]
        return self._read

    def _extreme(self, sample):
        row = [int(v) for v in self._rows[sample].ravel()]
        # Instances that counted nothing have 0, which is neither.
        count = self._beside(self.name[:-4] + "_count")
        if count is not None:
            counts = count._rows[sample].ravel()
            row = [v for v, n in zip(row, counts) if n > 0]
        least_or_most = max if self.kind == "max" else min
        return least_or_most(row, default=float("nan"))

    def _sum(self, sample):
        row = self._rows[sample]
        if row.dtype.kind != "f":
            return sum(int(v) for v in row.ravel())
        total = 0.0
        for v in row.ravel():  # in the order of instances, as warploom does
            total += float(v)
        return total

    def xarray(self):
        """A DataArray with coordinates and units."""
        import xarray
        out = xarray.DataArray(self.values, dims=self.dims, coords=self.coords,
                               name=self.name, attrs={"units": self.unit,
                                                      "long_name": self.doc})
        return out.assign_coords(time=(self.dims[0], self.time))

    def dataframe(self):
        """One row for each number, a column for each dimension."""
        frame = self.xarray().to_dataframe(name="value").reset_index()
        frame.attrs["units"] = self.unit
        return frame


def _after(since):
    return since is not None and since >= 0


def _quotient(top, bottom):
    return top / bottom if bottom > 0 else float("nan")


def _same(instance, path):
    """Does a pattern that may leave indices out name this instance?"""
    want, have = instance.split("."), path.split(".")
    return len(want) == len(have) and all(
        w == h or "[" not in w and w == h.split("[")[0]
        for w, h in zip(want, have))


class Run:
    """The file of one run."""

    def __init__(self, file, path):
        self.file, self.path = file, path
        self.attrs = {k: _plain(v) for k, v in file.attrs.items()}
        self.meta = {k: _plain(v) for k, v in file["meta"].attrs.items()}
        self.workload = self.attrs.get("workload", "")
        self.machine = self.attrs.get("machine", "")
        self.status = self.attrs["status"]

    def close(self):
        self.file.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def labels(self):
        """What the samples are called."""
        return list(_values(self.file["stats/label"]))

    @property
    def config(self):
        """The machine, as a Lua script that returns it."""
        return _text(self.file["meta/config_lua"][()])

    def names(self, pattern="**", root="stats"):
        """Names of the statistics that a pattern selects."""
        found = []

        def visit(name, item):
            if isinstance(item, h5py.Dataset) and "kind" in item.attrs:
                name = name.replace("/", ".")
                if _matches(pattern, name):
                    found.append(name)
        self.file[root].visititems(visit)
        return found

    def __getitem__(self, name):
        root = "stats"
        if ":" in name:
            series, name = name.split(":", 1)
            root = "series/" + series
        name, instance = name.replace("/", "."), None
        if "[" in name:
            instance = name.rsplit(".", 1)[0]
            name = re.sub(r"\[\d+\]", "", name)
        if name.replace(".", "/") not in self.file[root]:
            import difflib
            near = difflib.get_close_matches(name, self.names(root=root), 1)
            raise KeyError(f"{self.path} has no statistic {name}" + (
                f"; did you mean {near[0]}?" if near else ""))
        return Statistic(self, root, name, instance)

    def kernels(self):
        """A DataFrame of the launches."""
        import pandas
        return pandas.DataFrame({k: _values(v) for k, v in
                                 self.file["kernel"].items()})

    def params(self):
        """A DataFrame of all parameters: component, name, value, unit, .."""
        import pandas
        return pandas.DataFrame({k: _values(v) for k, v in
                                 self.file["topology/param"].items()})


class Sweep:
    """A merged file: metrics over the axes of an experiment."""

    def __init__(self, file, path):
        self.file, self.path = file, path
        self.attrs = {k: _plain(v) for k, v in file.attrs.items()}
        axes = self.attrs.get("axes", [])
        self.axes = [axes] if isinstance(axes, str) else list(axes)

    def close(self):
        self.file.close()

    def dataframe(self, *names):
        """A row for each point: axes, then metrics, then the statistics of
        these names ("gpu.sm.l1d.miss_ratio")."""
        import pandas
        columns = {a: _values(self.file["axes"][a]) for a in self.axes}
        for name, item in self.file["metrics"].items():
            columns[name] = item[...]
        for name in names:
            columns[name] = self.file["stats/" + name.replace(".", "/")][...]
        return pandas.DataFrame(columns)

    def derived(self, name):
        """A derived column with its axes."""
        import pandas
        group = self.file["derived"][name]
        columns = {a: _values(group[a]) for a in self.axes if a in group}
        columns[name] = _values(group["value"])
        return pandas.DataFrame(columns)


def open(path):  # the module is the name space: warploom.open
    """A Run, or a Sweep if the file is a merged one."""
    file = h5py.File(path, "r")
    kind = _text(file.attrs.get("format", ""))
    if kind == "warploom-stats":
        return Run(file, path)
    if kind == "warploom-sweep":
        return Sweep(file, path)
    file.close()
    raise ValueError(f"{path} is no results file of warploom")


def totals(paths, pattern, sample=-1):
    """A DataFrame with a row for each file and a column for each statistic:
    totals over instances.  `paths`: a pattern of paths, or a list."""
    import pandas
    if isinstance(paths, str):
        paths = sorted(_glob.glob(paths))
    rows = []
    for path in paths:
        with open(path) as run:
            row = {"run": os.path.basename(path), "workload": run.workload,
                   "machine": run.machine}
            for name in run.names(pattern):
                row[name] = run[name].total(sample)
            rows.append(row)
    return pandas.DataFrame(rows)


def _main(argv):
    if len(argv) < 2:
        print(__doc__)
        return 2
    run = open(argv[1])
    if isinstance(run, Sweep):
        print(run.dataframe().to_string())
        return 0
    def tame(text):  # a terminal obeys what a file says
        return "".join(c if c.isprintable() else "?" for c in str(text))

    print(tame(f"{run.path}: {run.workload} on {run.machine}, {run.status}"))
    for name in run.names(argv[2] if len(argv) > 2 else "**"):
        s = run[name]
        print(tame(f"{name:48} {s.total():>16.10g} {s.unit:10} {s.doc}"))
    return 0


if __name__ == "__main__":
    sys.exit(_main(sys.argv))
