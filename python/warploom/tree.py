"""All statistics of a run as xarray Datasets, by group."""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import xarray

    from .run import Run


class Tree(Mapping[str, "xarray.Dataset"]):
    """Group -> Dataset: tree["gpu.sm.l1d"].misses.  Read when asked for.
    Coordinates of all are `time` and `label`; of sampled runs each estimate `x`
    has `x_stderr` and `x_total_stderr`."""

    def __init__(self, run: Run, root: str = "stats") -> None:
        self._run, self._root = run, root
        self._names: dict[str, list[str]] = {}
        for name in run.names(root=root):
            group, _, last = name.rpartition(".")
            self._names.setdefault(group, []).append(last)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __getitem__(self, group: str) -> xarray.Dataset:
        import xarray
        group = group.strip("/").replace("/", ".")
        prefix = "" if self._root == "stats" else (
            self._root.split("/", 1)[1] + ":")
        # Statistics of a group have their coordinates in common.
        arrays: dict[str, Any] = {}
        coords: dict[str, Any] = {}
        for name in self._names[group]:
            arrays[name], own = self._run[f"{prefix}{group}.{name}"].parts()
            for key, value in own.items():
                error = key in ("stderr", "total_stderr")
                coords.setdefault(f"{name}_{key}" if error else key, value)
        attrs = {k: self._run.attrs[k] for k in
                 ("workload", "machine", "status") if k in self._run.attrs}
        return xarray.Dataset(arrays, coords, attrs)

    def datatree(self) -> Any:
        """An xarray.DataTree, where xarray has it (2024.10 and later)."""
        import xarray
        if not hasattr(xarray, "DataTree"):
            raise NotImplementedError(
                f"xarray {xarray.__version__} has no DataTree: this is a dict "
                "of Datasets")
        return xarray.DataTree.from_dict(
            {"/" + group.replace(".", "/"): data
             for group, data in self.items()}, name=self._run.workload)

    def __repr__(self) -> str:
        lines = [f"<warploom tree of {self._run.path}>"]
        for group, names in self._names.items():
            lines.append(f"  {group:32} {len(names)} statistics")
        return "\n".join(lines)
