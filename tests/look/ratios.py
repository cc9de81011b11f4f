"""Every ratio of the catalogue in every window, of all instances together and
of each: what plot, report, `stats --series`, export (CSV, SQLite), the Lua
reader and the Python module say, against raw counters read by h5py.

usage: ratios.py PROGRAM SOURCE_DIR FOLDER [report]
"""
import csv
import functools
import json
import math
import os
import re
import sqlite3
import subprocess
import sys

import h5py

import warploom

program, source, folder = sys.argv[1:4]
reports = sys.argv[4:] == ["report"]
here = os.path.join(source, "tests", "look")


def call(*words):
    done = subprocess.run([program, *words], capture_output=True, text=True,
                          cwd=folder)
    assert done.returncode == 0, (words, done.returncode, done.stderr)
    return done.stdout


def text(value):
    return value.decode() if isinstance(value, bytes) else value


@functools.lru_cache(maxsize=None)
def truth(f, root, name):
    """{instance or "": [value in each window]} from the counters alone."""
    group, own = name.rsplit(".", 1)
    group = f[root][group.replace(".", "/")]
    item = group[own]
    top, bottom = [text(v) for v in item.attrs["inputs"]]
    paths = [text(p) for p in item.dims[1][0][...]]
    time = f[root]["time"][...].tolist()
    out = {path: [] for path in ["", *paths]}
    for path in out:
        chosen = [i for i, p in enumerate(paths) if path in ("", p)]

        def gained(which):  # in each window
            sums = [sum(row[i] for i in chosen) for row in group[which][...].tolist()]
            if text(group[which].attrs["kind"]) == "gauge":
                return sums  # is what it is
            return [now - before for now, before in zip(sums, [0, *sums])]
        if bottom == "time":
            lengths = [now - before for now, before in zip(time, [0.0, *time])]
        else:
            lengths = gained(bottom)
        out[path] = [a / b if b > 0 else math.nan
                     for a, b in zip(gained(top), lengths)]
    return out


def same(got, want, digits=12):
    if math.isnan(want):
        return got is None or math.isnan(got)
    return got is not None and math.isclose(got, want, rel_tol=10 ** -digits,
                                            abs_tol=0)


def check(what, got, want, digits=12):
    assert len(got) == len(want), (what, len(got), len(want))
    for k, (g, w) in enumerate(zip(got, want)):
        assert same(g, w, digits), f"{what}, window {k}: {g}, expected {w}"
    counts[what[0]] = counts.get(what[0], 0) + len(want)


def number(cell):
    return float(cell) if cell else math.nan


def indexed(name, path):
    return path + "." + name.rsplit(".", 1)[1]


def ratios_of(f, root):
    found = []

    def visit(name, item):
        if isinstance(item, h5py.Dataset) and text(
                item.attrs.get("kind", "")) in ("ratio", "rate"):
            found.append(name.replace("/", "."))
    f[root].visititems(visit)
    return found


def part_of(f, root, name):
    attrs = f[root][name.rsplit(".", 1)[0].replace(".", "/")].attrs
    for key in ("component_class", "policy_class"):
        if key in attrs:
            return text(attrs[key]) + " " + name.rsplit(".", 1)[1]


def by_series(path, pattern, *options):
    """Columns of `stats --series`, by their headings without the unit."""
    rows = list(csv.reader(call("stats", path, "--series", "all", "--csv",
                                pattern, *options).splitlines()))
    return {head.split(" [")[0]: [number(row[i]) for row in rows[1:]]
            for i, head in enumerate(rows[0])}


def by_plot(path, stat):
    call("plot", "-q", path, "all:" + stat, "-o", "figure.json")
    with open(os.path.join(folder, "figure.json")) as file:
        rows = json.load(file)["data"]["values"]
    return [math.nan if row["y"] is None else row["y"] for row in rows]


def by_export(path):
    """(series, statistic, instance) -> [value in each window], as CSV and from
    an SQLite database."""
    out, db = {}, {}
    for row in csv.DictReader(call("export", path).splitlines()):
        key = row["series"], row["statistic"], row["instance"]
        out.setdefault(key, []).append(row["in_window"])
    call("export", "-q", "--sqlite", path, "-o", "figures.db")
    with sqlite3.connect(os.path.join(folder, "figures.db")) as base:
        for series, stat, instance, value in base.execute(
                "SELECT series, statistic, instance, in_window FROM numbers "
                "ORDER BY sample"):
            db.setdefault((series, stat, instance), []).append(
                math.nan if value is None else value)
    return out, db


def by_lua(path):
    out = {}
    for line in call("--unsafe", os.path.join(here, "ratio_dump.lua"),
                     path).splitlines():
        series, stat, instance, _, value = line.split(",")
        out.setdefault((series, stat, instance), []).append(float(value))
    return out


def by_report(path):
    """The lines of a report's page: statistic -> [value in each window]."""
    call("report", "-q", path, "-o", "page.html")
    with open(os.path.join(folder, "page.html")) as file:
        page = file.read()
    out = {}
    for spec in re.findall(r'<script type="application/json">(.*?)</script>',
                           page, re.S):
        spec = json.loads(spec)
        for row in spec["data"]["values"]:
            if "y" in row and "x" in row:
                title = spec["title"]["text"]
                name = title + "." + row["name"] if row["name"] else title
                out.setdefault(name.lstrip("."), []).append(
                    math.nan if row["y"] is None else row["y"])
    return out


counts, covered, wanted, real, drawn = {}, set(), set(), set(), set()


def look(path):
    run, f = warploom.open(path), h5py.File(path)
    series = "series/all" if "series/all" in f else None
    exported, database = by_export(path)
    lua = by_lua(path)
    page = by_report(path) if reports and series else {}
    for root in ("stats", series):
        for name in ratios_of(f, root) if root else ():
            want = truth(f, root, name)
            key = "" if root == "stats" else "all"
            fresh = part_of(f, root, name) not in covered
            if root == series:
                covered.add(part_of(f, root, name))
            # plot and stats are asked for the sum and for one instance, each
            # time another one; the others see all of them.
            alone = list(want)[1:]
            shown = {"", alone[len(covered) % len(alone)] if alone else ""}
            for instance, values in want.items():
                asked = indexed(name, instance) if instance else name
                says = path, root, asked
                prefix = key and key + ":"
                check(("Python", *says),
                      run[prefix + asked].windows().tolist(), values)
                check(("Lua", *says), lua[key, name, instance], values)
                if instance:
                    check(("CSV", *says), [number(v) for v in
                          exported[key, name, instance]], values)
                    check(("SQLite", *says), database[key, name, instance],
                          values)
                if root == series and fresh and instance in shown:
                    check(("plot", *says), by_plot(path, asked), values)
                    check(("stats --series", *says),
                          by_series(path, asked)[name], values, 5)
                if any(not math.isnan(v) for v in values):
                    real.add(part_of(f, root, name))
            if name in page and root == series:
                drawn.add(name)
                check(("report", path, name), page[name], want[""])
            if root == series and fresh:
                columns = by_series(path, name, "--all")
                for instance in list(want)[1:]:
                    check(("stats --series --all", path, instance),
                          columns[indexed(name, instance)], want[instance], 5)
    if series is None:  # a machine without time
        covered.update(part_of(f, "stats", n) for n in ratios_of(f, "stats"))
    # Kernels: from the snapshot before to the one after.
    kernels = f["kernel/sample_begin"][...] if "kernel" in f else ()
    for name in ratios_of(f, "stats"):
        for k in range(len(kernels)):
            begin, end = int(kernels[k]), int(f["kernel/sample_end"][k])
            if end == begin + 1:
                check(("Python, kernels", path, name),
                      [run[name].total(kernel=k)],
                      [truth(f, "stats", name)[""][end]])


for line in call("--unsafe", os.path.join(here, "ratio_runs.lua"),
                 folder).splitlines():
    what, rest = line.split(" ", 1)
    if what == "ratio":
        wanted.add(rest)
    else:
        look(rest)
assert wanted <= covered, f"no run has {sorted(wanted - covered)}"
assert not reports or drawn, "reports draw ratios over time"
for what, count in sorted(counts.items()):
    print(f"{what}: {count} values")
print(f"{len(wanted)} ratios, without any value: {sorted(wanted - real)}")
