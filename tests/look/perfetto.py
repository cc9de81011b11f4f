"""Asks Perfetto's own trace processor what it has read of a timeline.

usage: perfetto.py PROCESSOR FILE.json [COUNTERS.csv]

It has read all of it and mended nothing; each slice is in its process and row,
from when to when and as deep as timeline.py has it.  What timeline.py asks of
the file is asked again in SQL: the parts of a load add up to its latency, a
warp is always in one state, sums are the run's own counters.
"""
import csv
import json
import subprocess
import sys
from collections import Counter

import timeline
from timeline import check

# One statement each: older trace processors print no more than one.
SLICES = """with slices as (
  select s.*, pid, tid, p.name as process, t.name as row,
         rtrim(t.name, '0123456789 ') as kind
  from slice s join thread_track tt on s.track_id = tt.id
       join thread t using (utid) join process p using (upid)) """
ERRORS = """select name, severity, value from stats
  where severity != 'info' and value > 0"""
ROWS = """select pid, tid, process, row, ts, ts + dur as end, depth, name
  from slices"""
PARTS = """select s.process, s.row, s.ts, s.name, s.dur, sum(part.dur) as parts
  from slices s left join slice part on part.parent_id = s.id
  where s.depth = 0 and s.kind in (%s) group by s.id
  having ifnull(parts, 0) != s.dur or min(part.ts) != s.ts"""
SUMS = """select kind as what, count(*) as number, sum(dur) as total
    from slices where depth = 0 group by kind
  union all select name, count(*), sum(dur) from slices
    where kind = 'bank' and name in ('RD', 'WR') group by name
  union all select 'loads', count(*), null from slices
    where extract_arg(arg_set_id, 'args.kind') = 'load'
  union all select 'load ' || key, null, sum(
      extract_arg(arg_set_id, 'args.' || key)) from slices,
      (select 'cycles' as key union all select 'accesses')
    where extract_arg(arg_set_id, 'args.kind') = 'load' group by key
  union all select 'slices', count(*), null from slice
  union all select 'counters', count(*), null from counter
  union all select 'flows', count(*), null from flow"""


class Processor:
    def __init__(self, program, path):
        self.program, self.path = program, path

    def ask(self, query):
        done = subprocess.run([self.program, "-Q", query, self.path],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              encoding="utf-8")
        if done.returncode != 0:
            sys.exit("%s: %s" % (self.path, done.stderr))
        return list(csv.DictReader(done.stdout.splitlines()))


def as_read(processor, rows, names):
    """Each slice is what it is in the file."""
    expected = Counter()
    for key, row in rows.items():
        timeline.nest(key, row)
        for s in row:
            depth, above = 0, s.above
            while above:
                depth, above = depth + 1, above.above
            expected[key + (names[key[0]], names[key], s.start, s.end, depth,
                            s.name)] += 1
    found = Counter()
    for r in processor.ask(SLICES + ROWS):
        found[int(r["pid"]), int(r["tid"]), r["process"], r["row"],
              int(r["ts"]), int(r["end"]), int(r["depth"]), r["name"]] += 1
    for s in expected - found:
        check(False, "not read, or in another way:", s)
    for s in found - expected:
        check(False, "read, but not in the file:", s)


def main():
    processor = Processor(*sys.argv[1:3])
    with open(sys.argv[2]) as file:
        data = json.load(file)
    for r in processor.ask(ERRORS):
        check(False, "import:", r["name"], r["severity"], r["value"])
    rows, names = timeline.read(data["traceEvents"])
    as_read(processor, rows, names)
    whole = ["memory", "on chip", "access", "requests"]
    if data["otherData"]["complete"]:
        whole.append("warp")
    for r in processor.ask(SLICES + PARTS % ", ".join(
            "'%s'" % kind for kind in whole)):
        check(False, "its parts are", r["parts"], "not", r["dur"], "ns:", r)
    found, sums = Counter(), Counter()
    for r in processor.ask(SLICES + SUMS):
        for into, value in ((found, r["number"]), (sums, r["total"])):
            if value != "[NULL]":
                into[r["what"]] += int(value)
    check(found["slices"] == sum(len(row) for row in rows.values()),
          found["slices"], "slices")
    check(found["counters"] == 0 and found["flows"] == 0,
          "counters and flows:", found)
    if len(sys.argv) > 3:
        timeline.compare(timeline.totals(sys.argv[3]), found, sums,
                         data["otherData"])
    timeline.finish(rows, found, data)


main()
