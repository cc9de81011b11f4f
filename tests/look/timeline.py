"""Reads a timeline back, as a JSON file, and says what is wrong with it.

usage: timeline.py FILE.json [COUNTERS.csv] [from=NS] [to=NS] [sm=N]

Slices of a row follow or contain each other; what begins ends; a warp is
always in one state; the parts of a load add up to its latency.  With the
run's counters (warploom stats --csv), sums are those that the machine has
counted itself.
"""
import csv
import json
import sys
from collections import Counter, defaultdict

problems = []


def check(good, *what):
    if not good and len(problems) < 20:
        problems.append(" ".join(str(word) for word in what))
    return good


def whole(us):
    ns = us * 1000
    check(abs(ns - round(ns)) < 1e-3, "no whole nanoseconds:", us)
    return round(ns)


class Slice:
    def __init__(self, event, number):
        self.name, self.args = event["name"], event.get("args", {})
        self.start, self.end = whole(event["ts"]), None
        self.number, self.inside, self.above = number, [], None
        self.order = self.start, 1, 0, number
        if "dur" in event:
            self.end = self.start + whole(event["dur"])
            self.order = self.start, 0, -event["dur"], number
            check(event["dur"] >= 0, "a negative duration:", event)


# The format as it is published (Trace Event Format, JSON object form): what
# Perfetto's importer and Chrome's viewer ask of an event.
ASKED = {"M": {"name": str, "args": dict},
         "X": {"name": str, "ts": (int, float), "dur": (int, float)},
         "B": {"name": str, "ts": (int, float)}, "E": {"ts": (int, float)}}
ALLOWED = {"ph", "pid", "tid", "ts", "dur", "name", "cat", "args", "s", "id",
           "tts", "tdur", "cname"}


def published(trace):
    check(isinstance(trace, dict) and isinstance(trace.get("traceEvents"),
                                                 list), "no list of events")
    check(trace.get("displayTimeUnit") in ("ms", "ns"), "displayTimeUnit")
    check(set(trace) <= {"traceEvents", "displayTimeUnit", "otherData",
                         "systemTraceEvents", "metadata"}, "fields of the file")
    last = {}
    for event in trace["traceEvents"]:
        kind = event.get("ph")
        if not check(kind in ASKED, "phase", event):
            continue
        check(set(event) <= ALLOWED, "fields that nobody knows:", event)
        for name, types in ASKED[kind].items():
            check(isinstance(event.get(name), types), name, "of", event)
        for name in ("pid", "tid"):  # 32 bits in the viewers
            check(isinstance(event.get(name), int) and
                  0 <= event[name] < 2 ** 31, name, "of", event)
        check(event.get("pid") != event.get("tid"), "main thread:", event)
        check(isinstance(event.get("args", {}), dict), "args", event)
        if kind == "M":
            check(event["name"] in ("process_name", "process_labels",
                                    "process_sort_index", "thread_name",
                                    "thread_sort_index"), "metadata", event)
            continue
        check(0 <= event["ts"] < 2 ** 53 / 1000, "time", event)
        if kind in "BE":  # they are a stack for each row, in order of time
            row = event["pid"], event["tid"]
            check(event["ts"] >= last.get(row, 0), "order of", event)
            last[row] = event["ts"]


def read(events):
    """Rows of slices, and the names of processes and rows."""
    rows, names, begun = defaultdict(list), {}, defaultdict(list)
    for number, event in enumerate(events):
        key = event["pid"], event["tid"]
        if event["ph"] == "M":
            if event["name"] == "process_name":
                names[event["pid"]] = event["args"]["name"]
            elif event["name"] == "thread_name":
                names[key] = event["args"]["name"]
        elif event["ph"] == "X":
            rows[key].append(Slice(event, number))
        elif event["ph"] == "B":
            begun[key].append(Slice(event, number))
            rows[key].append(begun[key][-1])
        elif event["ph"] == "E":
            if check(begun[key], "an end without a beginning:", event):
                begun[key].pop().end = whole(event["ts"])
        else:
            check(False, "an event of another kind:", event)
    for key, left in begun.items():
        check(not left, "never ended in row", key, [s.name for s in left])
    return rows, names


def nest(key, row):
    """As Perfetto does: of those that begin at a time an X before a B, the longer
    X first, then what came first in the file."""
    above = []
    for s in sorted(row, key=lambda s: s.order):
        check(s.end is not None and s.end >= s.start, "ends before it begins:",
              key, s.name, s.start, s.end)
        while above and above[-1].end <= s.start:
            above.pop()
        if above:
            check(s.end <= above[-1].end, "reaches out of what it lies in:",
                  key, s.name, s.start, s.end, above[-1].name, above[-1].end)
            above[-1].inside.append(s)
            s.above = above[-1]
        above.append(s)


def adds_up(s):
    at = s.start
    for part in s.inside:
        check(part.end > part.start, "a part without a length:", part.name)
        check(part.start == at, "a gap or an overlap before", part.name, "of",
              s.name, "at", part.start, "not", at)
        at = part.end
    return check(at == s.end, "the parts of", s.name, "end at", at, "not",
                 s.end)


def totals(path):
    out = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            if row["total"] == "":  # a ratio of nothing
                continue
            out[row["statistic"]] = float(row["total"])
    return out


def main():
    with open(sys.argv[1]) as file:
        data = json.load(file)
    wanted = dict(w.split("=") for w in sys.argv[2:] if "=" in w)
    counters = [w for w in sys.argv[2:] if "=" not in w]
    published(data)
    rows, names = read(data["traceEvents"])
    found, sums = Counter(), Counter()
    for key, row in rows.items():
        nest(key, row)
        check(key in names and key[0] in names, "no name for row", key)
        kind = names.get(key, "").rstrip("0123456789 ")
        for s in row:
            if "from" in wanted:
                check(s.start >= int(wanted["from"]), "before the window:",
                      s.name, s.start)
            if "to" in wanted:
                check(s.end <= int(wanted["to"]), "after the window:", s.name,
                      s.end)
            if s.above is None:
                found[kind] += 1
                sums[kind] += s.end - s.start
            if kind == "bank" and s.name in ("RD", "WR"):
                found[s.name] += 1
            if s.above is None and (
                    kind in ("memory", "on chip", "access", "requests") or
                    kind == "warp" and data["otherData"]["complete"]):
                adds_up(s)
            if "cycles" in s.args and s.args["kind"] == "load":
                found["loads"] += 1
                sums["load cycles"] += s.args["cycles"]
                sums["load accesses"] += s.args["accesses"]
    if "sm" in wanted:
        machines = [n for n in names.values() if ".sm[" in n]
        check(machines == ["gpu[0].sm[%s]" % wanted["sm"]], "SMs:", machines)
    if counters:
        compare(totals(counters[0]), found, sums, data["otherData"])
    finish(rows, found, data)


def finish(rows, found, data):
    for problem in problems:
        print(problem)
    print("%d slices, %d loads, complete: %s" % (
        sum(len(row) for row in rows.values()), found["loads"],
        data["otherData"]["complete"]))
    sys.exit(1 if problems else 0)


def compare(has, found, sums, other):
    check(other["complete"] and other["slices_left_out"] == 0 and
          other["accesses_not_followed"] == 0, "something was left out:", other)
    for counted, name in (
            (found["loads"], "sm.ldst.load_latency_count"),
            (sums["load cycles"], "sm.ldst.load_latency_sum"),
            (sums["load accesses"], "sm.ldst.load_accesses"),
            (found["CTAs"], "sm.ctas"), (found["warp"], "sm.warps"),
            (found["RD"], "dram.reads"), (found["WR"], "dram.writes"),
            (found["requests"], "dram.read_requests+dram.write_requests")):
        total = sum(has["gpu." + one] for one in name.split("+"))
        check(counted == total, name, "is", total, "but the timeline has",
              counted)
    # Warps are on SMs for so long; each end is rounded down.
    period = 1e9 / has["hertz"] if "hertz" in has else 1.0
    time = has["gpu.sm.resident_warp_cycles"] * period
    check(abs(sums["warp"] - time) <= 2 * found["warp"] + 1e-3 * time,
          "warps were there for", time, "ns, not", sums["warp"])
    check(found["loads"] > 0 and found["requests"] > 0, "nothing happened")


if __name__ == "__main__":
    main()
