"""Statistics of a run."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._read import plain, quotient, same, text, values

if TYPE_CHECKING:
    import pandas
    import xarray

    from .run import Run


class Statistic:
    """One dataset of a run: [sample, instance] or [sample, instance, axis]."""

    def __init__(self, run: Run, root: str, name: str,
                 instance: str | None = None) -> None:
        self.run, self.root, self.name = run, root, name
        self.dataset = run.file[root][name.replace(".", "/")]
        self.unit = text(self.dataset.attrs["units"])
        self.doc = text(self.dataset.attrs["long_name"])
        self.kind = text(self.dataset.attrs["kind"])
        self._scales = [d[0] if len(d) else None for d in self.dataset.dims]
        paths = values(self._scales[1])
        self._chosen = np.array([instance is None or same(instance, p)
                                 for p in paths])
        if not self._chosen.any():
            raise KeyError(f"{name}: there is no instance {instance}")
        self.instances = list(paths[self._chosen])
        self._read: Any = None
        self._time: Any = None
        self._inputs: list[str] | None = None
        self._others: dict[str, Statistic | None] = {}

    def __repr__(self) -> str:
        return f"<{self.name} {self.dataset.shape} {self.unit}>"

    @property
    def dims(self) -> tuple[str, ...]:
        """Names of the dimensions."""
        return tuple(self.run.scale_name(s) if s is not None else f"dim_{i}"
                     for i, s in enumerate(self._scales))

    @property
    def coords(self) -> dict[str, Any]:
        """Name of a dimension -> what its entries are called."""
        out = {d: values(s) if s is not None else np.arange(n) for d, s, n in
               zip(self.dims, self._scales, self.dataset.shape)}
        out[self.dims[1]] = np.array(self.instances, dtype=object)
        return out

    @property
    def time(self) -> Any:
        """Seconds, for each sample."""
        return self.run.file[self.root]["time"][...]

    @property
    def values(self) -> Any:
        """[sample, instance(, axis)]; counters are cumulative."""
        return self.dataset[...][:, self._chosen]

    def _input(self, i: int) -> Statistic | None:
        if self._inputs is None:
            self._inputs = list(plain(self.dataset.attrs.get("inputs", [])))
        if i >= len(self._inputs):
            return None
        return self._beside(self.name.rsplit(".", 1)[0] + "." + self._inputs[i])

    def _beside(self, path: str) -> Statistic | None:
        """Another statistic of the same instances, looked for once."""
        if path not in self._others:
            self._others[path] = self._find_beside(path)
        return self._others[path]

    def _find_beside(self, path: str) -> Statistic | None:
        if path.replace(".", "/") not in self.run.file[self.root]:
            return None
        other = Statistic(self.run, self.root, path)
        if other._chosen.shape != self._chosen.shape:
            return None
        other._chosen = self._chosen
        return other

    def total(self, sample: int = -1, kernel: int | None = None,
              since: int | None = None) -> float:
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
        return self._measure(sample, since if since is not None and since >= 0 else None)

    def windows(self) -> Any:
        """What happened in the window that each sample stands for: since the
        sample before, by the rules of total().  The smallest and largest value
        are those since the beginning of the run."""
        whole_run = self.kind in ("min", "max")
        return np.array([
            self._measure(i, None if i == 0 or whole_run else i - 1)
            for i in range(self.dataset.shape[0])])

    def _measure(self, sample: int, since: int | None) -> float:
        if self.kind == "ratio":
            top, bottom = self._input(0), self._input(1)
            if top is None or bottom is None:
                return float("nan")
            return quotient(top._measure(sample, since),
                             bottom._measure(sample, since))
        if self.kind == "rate":
            top = self._input(0)
            if self._time is None:
                self._time = self.time
            if top is None:
                return float("nan")
            return quotient(top._measure(sample, since), self._time[sample] -
                             (0.0 if since is None else self._time[since]))
        if self.kind in ("min", "max"):
            return float("nan") if since is not None else self._extreme(sample)
        if self.kind == "gauge" or since is None:
            return self._sum(sample)
        return self._sum(sample) - self._sum(since)

    def entries(self, kernel: int | None = None) -> Any:
        """Sums over instances for each entry of the last axis, of the whole
        run or within a launch."""
        table, rows = self.run.file["kernel"], self._rows
        if kernel is None:
            return rows[-1].sum(axis=0)
        begin, end = table["sample_begin"][kernel], table["sample_end"][kernel]
        row = rows[end].sum(axis=0)
        return row - rows[begin].sum(axis=0) if begin >= 0 else row

    @property
    def _rows(self) -> Any:
        """All values of the chosen instances, read once."""
        if self._read is None:
            self._read = self.dataset[...][:, self._chosen]
        return self._read

    def _extreme(self, sample: int) -> float:
        row = [int(v) for v in self._rows[sample].ravel()]
        # Instances that counted nothing have 0, which is neither.
        count = self._beside(self.name[:-4] + "_count")
        if count is not None:
            counts = count._rows[sample].ravel()
            row = [v for v, n in zip(row, counts) if n > 0]
        least_or_most = max if self.kind == "max" else min
        return least_or_most(row, default=float("nan"))

    def _sum(self, sample: int) -> float:
        row = self._rows[sample]
        if row.dtype.kind != "f":
            return sum(int(v) for v in row.ravel())
        total = 0.0
        for v in row.ravel():  # in the order of instances, as warploom does
            total += float(v)
        return total

    def _error(self, suffix: str) -> Any:
        path = (self.name + suffix).replace(".", "/")
        group = self.run.file[self.root]
        return group[path][...] if path in group else None

    @property
    def stderr(self) -> Any:
        """Of a sampled run the standard errors of `values`; else None."""
        error = self._error("_stderr")
        return None if error is None else error[:, self._chosen]

    def error(self, sample: int = -1) -> Any:
        """The standard error of total(sample), 0.0 of what is exact."""
        error = self._error("_total_stderr")
        if error is None:
            return 0.0
        return plain(error[sample])

    def _load(self, name: str) -> Any:
        """A coordinate of a table by load; None: it has none."""
        if len(self.dims) < 3 or self.dims[2] != "load":
            return None
        group = self.dataset.parent
        return group[name] if "text" in group and name in group else None

    def parts(self) -> tuple[Any, dict[str, Any]]:
        """What an xarray.DataArray of it is made of: the variable, as (dims,
        values, attributes), and its coordinates."""
        coords = dict(self.coords)
        coords["time"] = (self.dims[0], self.time)
        if self.root == "stats":
            coords["label"] = (self.dims[0], self.run.labels)
        for name in ("kernel", "kernel_number", "pc", "line", "text", "op"):
            of = self._load(name)
            if of is not None:  # which load a row is
                coords[name] = (self.dims[2], values(of))
        errors = self.stderr
        if errors is not None:
            coords["stderr"] = (self.dims, errors)
        total = self._error("_total_stderr")
        if total is not None:
            dims = self.dims[:1] + self.dims[2:]
            coords["total_stderr"] = (dims[:total.ndim], total)
        return (self.dims, self.values, {"units": self.unit,
                                         "long_name": self.doc}), coords

    def loads(self) -> Any:
        """Of a table by load: which load each row is, as an index of pandas
        with the levels kernel, pc, line, text; else None."""
        import pandas
        names = ["kernel", "pc", "line", "text"]
        given = [self._load(name) for name in names]
        if any(of is None for of in given):
            return None
        rows = zip(*(values(of) for of in given))
        return pandas.MultiIndex.from_tuples(
            [row if row[0] else ("", i, 0, "") for i, row in enumerate(rows)],
            names=names)

    def xarray(self) -> xarray.DataArray:
        """A DataArray with coordinates and units, and of a sampled run the
        coordinates `stderr` and `total_stderr`."""
        import xarray
        (dims, numbers, attrs), coords = self.parts()
        return xarray.DataArray(numbers, dims=dims, coords=coords,
                                name=self.name, attrs=attrs)

    def dataframe(self) -> pandas.DataFrame:
        """One row for each number, a column for each dimension."""
        frame = self.xarray().to_dataframe(name="value").reset_index()
        frame.attrs["units"] = self.unit
        return frame

    def plot(self, **options: Any) -> Any:
        """What happened in each window, over time, by matplotlib: counters of
        series as they went, of snapshots kernel by kernel."""
        import matplotlib.pyplot
        axes = options.pop("ax", None) or matplotlib.pyplot.gca()
        axes.plot(self.time, self.windows(), drawstyle="steps-pre",
                  **{"label": self.name, **options})
        axes.set(xlabel="time [s]", ylabel=f"{self.name} [{self.unit}]")
        return axes
