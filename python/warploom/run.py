"""Files: of one run, and merged ones of a sweep."""
from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import h5py

from . import html
from ._read import matches, plain, text, values
from .statistic import Statistic
from .tree import Tree

if TYPE_CHECKING:
    import pandas
    import xarray


class Run:
    """The file of one run."""

    def __init__(self, file: h5py.File, path: str) -> None:
        self.file, self.path = file, path
        self.attrs = {k: plain(v) for k, v in file.attrs.items()}
        self.meta = {k: plain(v) for k, v in file["meta"].attrs.items()}
        self.workload = self.attrs.get("workload", "")
        self.machine = self.attrs.get("machine", "")
        self.status = self.attrs["status"]
        self._scale_names: dict[int, str] = {}

    def scale_name(self, scale: h5py.Dataset) -> str:
        """The last name of a dimension's scale: HDF5 searches the whole file for
        the name of what a reference leads to, so once for each."""
        at = int(h5py.h5o.get_info(scale.id).addr)
        if at not in self._scale_names:
            self._scale_names[at] = scale.name.split("/")[-1]
        return self._scale_names[at]

    def close(self) -> None:
        self.file.close()

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def labels(self) -> list[str]:
        """What the samples are called."""
        return list(values(self.file["stats/label"]))

    @property
    def config(self) -> str:
        """The machine, as a Lua script that returns it."""
        return str(text(self.file["meta/config_lua"][()]))

    def names(self, pattern: str = "**", root: str = "stats") -> list[str]:
        """Names of the statistics that a pattern selects."""
        found: list[str] = []

        def visit(name: str, item: Any) -> None:
            if isinstance(item, h5py.Dataset) and "kind" in item.attrs:
                name = name.replace("/", ".")
                if matches(pattern, name):
                    found.append(name)
        self.file[root].visititems(visit)
        return found

    def __getitem__(self, name: str) -> Statistic:
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

    def kernels(self) -> pandas.DataFrame:
        """A DataFrame of the launches."""
        import pandas
        return pandas.DataFrame({k: values(v) for k, v in
                                 self.file["kernel"].items()})

    def params(self) -> pandas.DataFrame:
        """A DataFrame of all parameters: component, name, value, unit, .."""
        import pandas
        return pandas.DataFrame({k: values(v) for k, v in
                                 self.file["topology/param"].items()})


    def series(self) -> list[str]:
        """Names of the series: run["bw:gpu.dram.bytes"] is of the series bw."""
        return list(self.file["series"]) if "series" in self.file else []

    def tree(self, series: str | None = None) -> Tree:
        """All statistics, of the snapshots or of a series, as xarray Datasets
        by group: run.tree()["gpu.sm.l1d"].misses."""
        return Tree(self, "stats" if series is None else "series/" + series)

    def by(self, axis: str, pattern: str = "**",
           kernel: int | None = None) -> pandas.DataFrame:
        """A row for each entry of an axis ("inst", "bank"), a column for each
        statistic that has it: sums over instances, within a launch if `kernel`
        says which."""
        import pandas
        columns = {}
        for name in self.names(pattern):
            s = self[name]
            if s.kind in ("counter", "histogram") and axis in (
                    d.rstrip("_") for d in s.dims[2:]):
                columns[name] = s.entries(kernel=kernel)
        frame = pandas.DataFrame(columns)
        frame.index.name = axis
        return frame.dropna(how="all")

    def loads(self, pattern: str = "**",
              kernel: int | None = None) -> pandas.DataFrame:
        """A row for each load of which something was counted, by kernel, PC,
        line and text: by("load") without rows of zeros, nor those that say
        which load it is."""
        import pandas
        columns = {}
        for name in self.names(pattern):
            s = self[name]
            which = s.loads()
            if which is not None and name.rsplit(".", 1)[1] not in (
                    "load_kernel", "load_inst", "load_pc", "load_line"):
                columns[name] = pandas.Series(s.entries(kernel=kernel), which)
        frame = pandas.DataFrame(columns)
        return frame[(frame.fillna(0) != 0).any(axis=1)]

    def profile(self) -> xarray.Dataset:
        """What each static instruction's warps waited for and where loads
        were, of a run with --profile.  Dimensions `inst`, `wait`, `outcome`,
        `place`; coordinates of `inst`: kernel, pc, line, text, op."""
        import xarray
        if "profile" not in self.file:
            raise KeyError(f"{self.path} has no profile: run with --profile")
        group = self.file["profile"]
        arrays: dict[str, Any] = {}
        coordinates: dict[str, Any] = {}
        for name, item in group.items():
            dims = [d[0].name.rsplit("/", 1)[1] if len(d) else name
                    for d in item.dims]
            kind = (arrays if "coordinates" in item.attrs else coordinates)
            attrs = {k: plain(item.attrs[k]) for k in ("units", "long_name")
                     if k in item.attrs}
            kind[name] = (dims, values(item), attrs)
        return xarray.Dataset(arrays, coordinates)

    def __repr__(self) -> str:
        return (f"<warploom run {self.path}: {self.workload} on "
                f"{self.machine}, {self.status}>")

    def _repr_html_(self) -> str:
        return html.run(self)


class Sweep:
    """A merged file: metrics over the axes of an experiment."""

    def __repr__(self) -> str:
        return f"<warploom sweep {self.path}: {', '.join(self.axes)}>"

    def _repr_html_(self) -> str:
        return html.sweep(self)

    def __init__(self, file: h5py.File, path: str) -> None:
        self.file, self.path = file, path
        self.attrs = {k: plain(v) for k, v in file.attrs.items()}
        axes = self.attrs.get("axes", [])
        self.axes = [axes] if isinstance(axes, str) else list(axes)

    def close(self) -> None:
        self.file.close()

    def dataframe(self, *names: str) -> pandas.DataFrame:
        """A row for each point: axes, then metrics, then the statistics of
        these names ("gpu.sm.l1d.miss_ratio")."""
        import pandas
        columns = {a: values(self.file["axes"][a]) for a in self.axes}
        for name, item in self.file["metrics"].items():
            columns[name] = item[...]
        for name in names:
            columns[name] = self.file["stats/" + name.replace(".", "/")][...]
        return pandas.DataFrame(columns)

    def derived(self, name: str) -> pandas.DataFrame:
        """A derived column with its axes."""
        import pandas
        group = self.file["derived"][name]
        columns = {a: values(group[a]) for a in self.axes if a in group}
        columns[name] = values(group["value"])
        return pandas.DataFrame(columns)

    def xarray(self) -> xarray.Dataset:
        """Metrics over the axes, as a Dataset; without axes, or where points
        have the same values of them, over `point`."""
        import xarray
        frame = self.dataframe()
        grid = self.axes and not frame.duplicated(self.axes).any()
        frame = (frame.set_index(self.axes) if grid else
                 frame.rename_axis("point"))
        return xarray.Dataset.from_dataframe(frame)
