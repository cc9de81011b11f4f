"""What notebooks show of files."""
from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .run import Run, Sweep


def _table(head: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    out = ["<table><thead><tr>"]
    out += [f"<th>{escape(str(h))}</th>" for h in head]
    out.append("</tr></thead><tbody>")
    for row in rows:
        cells = "".join(f"<td>{escape(str(c))}</td>" for c in row)
        out.append(f"<tr>{cells}</tr>")
    out.append("</tbody></table>")
    return "".join(out)


def run(of: Run) -> str:
    kernel = of.file["kernel"]
    launches = []
    names = kernel["name"].asstr()[...]
    ticks = zip(kernel["start_tick"][...], kernel["end_tick"][...])
    for i, (name, (begin, end)) in enumerate(zip(names, ticks)):
        launches.append((i, name, f"{(int(end) - int(begin)) * 1e-9:.3f}"))
    groups: dict[str, int] = {}
    for name in of.names():
        group = name.rpartition(".")[0]
        groups[group] = groups.get(group, 0) + 1
    facts = f"{of.workload} on {of.machine}, {of.status}"
    if of.attrs.get("estimates"):
        facts += ", sampled: numbers are estimates"
    return (f"<div><b>{escape(facts)}</b><br><code>{escape(of.path)}</code>"
            + _table(("launch", "kernel", "time [us]"), launches[:20])
            + (f"<p>and {len(launches) - 20} more launches</p>"
               if len(launches) > 20 else "")
            + f"<details><summary>{sum(groups.values())} statistics in "
            + f"{len(groups)} groups</summary>"
            + _table(("group", "statistics"), groups.items())
            + "</details></div>")


def sweep(of: Sweep) -> str:
    frame = of.dataframe()
    return (f"<div><b>{len(frame)} points of {escape(', '.join(of.axes))}</b>"
            + _table(frame.columns, frame.head(20).itertuples(index=False))
            + "</div>")
