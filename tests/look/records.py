"""What commands print as JSON is what they print as CSV, and is JSON.

usage: records.py WARPLOOM SCRIPT SUITE, in a folder to write in
"""
import csv
import io
import json
import pathlib
import re
import subprocess
import sys

warploom, script = sys.argv[1:3]
failures = []


def run(*words, status=0):
    done = subprocess.run([warploom, *words], capture_output=True, text=True)
    if done.returncode != status:
        failures.append(f"{' '.join(words)}: status {done.returncode}: "
                        f"{done.stderr}")
    return done.stdout


def parsed(*words, status=0):
    """Standard JSON only: no NaN, no Infinity."""
    def refuse(name):
        raise ValueError(name)
    text = run(*words, "--json", status=status)
    try:
        return json.loads(text, parse_constant=refuse)
    except ValueError as error:
        failures.append(f"{' '.join(words)}: no JSON: {error}: {text[:80]!r}")
        return []


def expect(good, what):
    if not good:
        failures.append(what)


def same(value, cell):
    if value is None or cell == "":
        return cell == "" and value in (None, "")
    if isinstance(value, (int, float)):
        return float(cell) == value
    return cell in (value, "'" + value)


def as_csv(*words):
    """Both forms have the same rows, in the same order."""
    name = " ".join(words)
    rows = list(csv.DictReader(io.StringIO(run(*words, "--csv"))))
    objects = parsed(*words)
    expect(len(rows) > 0 and len(rows) == len(objects),
           f"{name}: {len(rows)} rows, {len(objects)} objects")
    for row, one in zip(rows, objects):
        expect(set(row) == set(one), f"{name}: {sorted(row)}, {sorted(one)}")
        for key in row:
            expect(same(one.get(key), row[key]),
                   f"{name}: {key} is {one.get(key)!r}, in CSV {row[key]!r}")


told = parsed("run", script, "--set", "rows=256", "-o", "a.h5")
expect(told["status"] == "complete" and told["file"] == "a.h5" and
       told["cycles"] > 0 and told["warp_insts"] > 0, f"run: {told}")
total = [row["total"] for row in parsed("stats", "a.h5", "gpu.l2.misses")]
expect(total == [told["memories"]["gpu/l2"]["misses"]],
       f"stats has {total} misses, run {told['memories']}")
run("run", script, "--set", "rows=288", "-o", "b.h5", "-q")

as_csv("stats", "a.h5")
as_csv("stats", "a.h5", "gpu.sm.*", "--all")
as_csv("kernels", "a.h5")
as_csv("kernels", "a.h5", "--by", "launch")
as_csv("export", "a.h5", "gpu.dram.*")
why = parsed("explain", "a.h5", "atax_rows")
expect(why["kernel"] == "atax_rows" and why["launches"] == 1 and
       0 < why["share"] < 1 and "warps" in why and why["bound_by"],
       f"explain: {why}")
as_csv("suite", "measure", "atax", "--size", "tiny")

expect(parsed("diff", "a.h5", "a.h5") == {
    "runs": [], "configuration": [], "numbers": [], "provenance": []}, "diff")
numbers = {row["name"]: row
           for row in parsed("diff", "a.h5", "b.h5", status=1)["numbers"]}
expect("gpu.sm.warp_insts" in {name.replace("/", ".") for name in numbers},
       f"diff: {list(numbers)[:5]}")
names = [row["name"] for row in parsed("suite", "list", "bfs", "atax")]
expect(names == ["bfs", "atax"], f"suite list: {names}")
results = [row["result"] for row in parsed("suite", "verify", "atax", "-q")]
expect(results == ["ok"], f"suite verify: {results}")
expect(all(row["result"] in ("ok", "--") for row in parsed("doctor")),
       "doctor: something is broken")
lru = parsed("info", "lru", "cache")
expect(lru["policies"][0]["name"] == "lru" and
       any(row["name"] == "size_bytes"
           for row in lru["components"][0]["parameters"]), "info")
cost = parsed("info", "--cost", "apcm")[0]
expect(sum(part["entries"] * part["bits"] for part in cost["parts"]) ==
       cost["total_bits"] > 0, f"info --cost: {cost}")
run("info", "no_such_policy", "--json", status=1)

with open("energy.lua", "w", encoding="utf-8") as file:
    file.write("""
local loom = require "warploom"
loom.run { machine = loom.preset.tiny {}, energy = loom.energy { node = 40 },
           workload = loom.suite.atax { size = "tiny" },
           stats = { file = "e.h5" } }
""")
run("run", "energy.lua", "-q")
as_csv("energy", "e.h5")

with open("sweep.lua", "w", encoding="utf-8") as file:
    file.write("""
local loom = require "warploom"
return loom.experiment {
  name = "s", axes = { l1 = { "16KiB", "32KiB" } },
  base = function(p)
    local gpu = loom.preset.tiny {}
    gpu:each "sm[*].l1d":set { size_bytes = p.l1 }
    return { machine = gpu, workload = loom.suite.atax { size = "tiny" } }
  end,
  metrics = { cycles = function(run) return run.cycles end,
              none = function() return 0 / 0 end },
  derive = { speedup = function(t)
    return t.cycles:normalise({ l1 = "16KiB" }, "inverse")
  end },
}
""")
sweep = parsed("sweep", "sweep.lua", "-j", "1")
expect([p["l1"] for p in sweep["points"]] == ["16KiB", "32KiB"] and
       all(p["state"] == "done" and p["none"] is None
           for p in sweep["points"]) and
       sweep["derived"]["speedup"][0]["speedup"] == 1, f"sweep: {sweep}")

# Scripts, machines, programs, recordings.
told = parsed("check", script)
expect(told["machines"][0]["components"] > 5 and
       "rows" in [o["name"] for o in told["options"]], f"check: {told}")
told = parsed("check", "sweep.lua")
expect(told["points"] == 2, f"check: {told}")
told = parsed("graph", script)
paths = {c["path"] for c in told["components"]}
expect("gpu[0]" in paths and all(
    link["client"].rsplit(".", 1)[0] in paths and link["request_latency"] >= 0
    for link in told["links"]) and told["policies"], "graph")
run("graph", script, "--json", "-o", "graph.json")
with open("graph.json", encoding="utf-8") as file:
    expect(json.load(file) == told, "graph -o")
told = parsed("record", script, "--set", "rows=64", "-o", "a.wlt", "-q")
expect(told["warp_insts"] > 0, f"record: {told}")
told = parsed("disasm", "a.wlt")
expect(told["totals"]["launches"] == len(told["launches"]) == 2 and
       told["kernels"][0]["instructions"][0]["index"] == 0, "disasm a.wlt")
told = parsed("disasm", "a.wlt", "--stream", "0", "--warp", "1", "--limit", "5")
expect(told[0]["warp"] == 1 and len(told[0]["instructions"]) == 5, "--stream")
suite = pathlib.Path(sys.argv[3])
ptx = str(suite / "atax" / "atax.ptx")
names = [kernel["name"] for kernel in parsed("disasm", ptx)]
expect(names == ["atax_rows", "atax_columns"], f"disasm: {names}")
told = parsed("check", ptx)
expect([k["name"] for k in told["kernels"]] == names, f"check: {told}")
told = parsed("stats", "a.h5", "--check")
expect(told["datasets"] > 100 and told["problems"] == [] and
       told["digest"] == run("stats", "a.h5", "--digest").strip(), "--check")
told = parsed("papers", "two-level", "fig05", "--list")
run("run", script, "--set", "rows=64", "--profile", "-o", "p.h5", "-q")
as_csv("profile", "p.h5")

# Every command has --json, or prints no numbers: what it does print.
without = {"repl": "what is asked for", "transform": "a program",
           "new": "files", "stubs": "a file", "plot": "a figure",
           "report": "a page", "look": "a page", "merge": "a file",
           "completion": "a shell's text", "cite": "BibTeX",
           "manual": "pages"}
for line in run("--help").splitlines():
    name = line.split()[0] if re.match("  [a-z]", line) else None
    if name and " --json " in run(name, "--help") + " ":
        expect(name not in without, f"{name} has --json")
    elif name:
        expect(name in without, f"{name} has no --json")

for text in failures:
    print("FAIL", text)
print(f"json: {len(failures)} failures")
sys.exit(1 if failures else 0)
