#!/usr/bin/env python3
"""Measures this build and writes docs/performance.md:

    tests/bench/performance.py build/release/warploom > docs/performance.md

Takes a few minutes on one processor.  Of each row the fastest of RUNS runs
counts.  What others are measured at is in tests/bench/peers.csv, with its
source in the page.
"""
import csv
import json
import os
import pathlib
import platform
import re
import subprocess
import sys

RUNS = int(os.environ.get("RUNS", "3"))
HERE = pathlib.Path(__file__).resolve().parent


def once(program, script, options, more=()):
    """Processor seconds, peak MB and the words after "bench" of a process."""
    words = [program, "run", "--quiet", str(HERE / script), *more]
    for key, value in options.items():
        words += ["--set", f"{key}={value}"]
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(write, 1)
        os.execv(program, words)
    os.close(write)
    with os.fdopen(read) as out:
        text = out.read()
    _, status, usage = os.wait4(child, 0)
    lines = [line for line in text.splitlines() if line.startswith("bench ")]
    if status != 0 or not lines:
        sys.exit("performance.py: has failed: " + " ".join(words))
    found = [line for line in text.splitlines() if line.startswith("{")]
    return (usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024,
            lines[0].split()[1:],
            json.loads(found[0]) if found else None)


def best(program, script="performance.lua", time=lambda row: row[0], more=(),
         **options):
    return min((once(program, script, options, more) for _ in range(RUNS)),
               key=time)


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def processor():
    for line in open("/proc/cpuinfo", encoding="utf-8"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def number(value):
    return f"{value:,.0f}"


def simulation(program, head, cases, **fixed):
    """What a warp instruction costs in some cases: names, options."""
    rows = []
    for name, changed in cases:
        options = {**fixed, **changed}
        row = best(program, **options)
        empty = best(program, **{**options, "kernel": "none"})
        insts, cycles, _, reads = (float(word) for word in row[2])
        seconds = max(row[0] - empty[0], 1e-3)
        rows.append([name, number(insts), number(cycles),
                     number(1000 * reads / insts), number(insts / seconds),
                     f"{1e6 * seconds / insts:.2f}",
                     f"{row[1]:.0f} MB"])
    table([head, "warp insts", "cycles", "DRAM reads per 1000 insts",
           "insts/s", "µs per inst", "peak"], rows)


BINDS = {"meetings": "synchronisations", "wakes": "waking who sleeps",
         "steps": "the engine's steps", "uneven": "uneven shares",
         "serial": "the host", "together": "launches that read the time"}


def binds(row):
    """The largest part of a forecast that is not evenly shared."""
    parts = {**BINDS, "one": re.sub(r"\[\d+\]", "", row.get("longest", "")) +
             " alone"}
    name = max(parts, key=lambda part: row[part])
    return f"{parts[name]} {100 * row[name] / row['seconds']:.0f} %"


def forecasts(program):
    """Rows of what --threads-report says, and of what two threads do."""
    rows, ratios = [], []
    for preset in ("gtx480", "qv100", "h100"):
        for kernel in ("gemm", "vectoradd", "atax"):
            options = {"preset": preset, "kernel": kernel, "n": 524288,
                       "time": lambda row: float(row[2][2])}
            os.environ["WARPLOOM_PACE"] = "fixed"
            report = ("--threads-report", "--json")
            fixed = best(program, more=report, **options)[3]["threads"]["rows"]
            two = best(program, more=("--threads", "2"), **options)
            del os.environ["WARPLOOM_PACE"]
            one = best(program, **options)
            row = best(program, more=report, **options)[3]["threads"]["rows"]
            times = float(one[2][2]) / float(two[2][2])
            ratios.append(fixed[1]["times"] / times)
            rows.append([
                f"`{preset}`", kernel, f"{fixed[1]['times']:.2f}",
                f"{times:.2f}",
                *(f"{row[i]['times']:.2f}" for i in range(1, 6)),
                f"{row[5]['best']:.2f}", binds(row[1]), binds(row[5])])
    ratio = f"{min(ratios):.2f} to {max(ratios):.2f}"
    print(f"""`warploom run --threads-report` measures on one thread how long each component's ticks take in each window
([0072](decisions/0072-as-many-threads-as-help.md)) and says how many times as fast so many threads would
be, at best with shares that are even in each window, and what binds most. Two threads whose shares stay
alike (`WARPLOOM_PACE=fixed`) are measured as well: the forecast is {ratio} times that. What threads
hand over to each other, and what they cost each other in the host's caches, is not in it.
""")
    table(["preset", "kernel", "2, fixed", "measured", "2", "4", "8", "16",
           "32", "at best", "what binds 2", "what binds 32"], rows)


def main():
    program = os.path.abspath(sys.argv[1])
    version = subprocess.run([program, "--version"], check=True, text=True,
                             capture_output=True).stdout.strip()
    print(f"""# How fast it is

Written on an idle host by `tests/bench/performance.py build/release/warploom`:
{version}, {processor()}, one thread, the fastest of {RUNS} runs. Only numbers of the
same host, in the same minute, [can be compared](testing.md#benchmarks).

## A process that simulates nothing

Start, machine of the preset, state digest, end; processor time, user and system.
""")
    rows = []
    for preset in ("tiny", "gtx480", "qv100", "h100"):
        row = best(program, preset=preset)
        rows.append([f"`{preset}`", f"{1000 * row[0]:.0f} ms",
                     f"{row[1]:.0f} MB"])
    table(["preset", "processor time", "peak"], rows)
    print("""## What a warp instruction costs

Processor time of a process less that of one that simulates nothing: the workload's
input, functional execution, timing and checks.

**By workload** on `qv100`: misses are dearer, as they pass through more components.
""")
    simulation(program, "kernel",
               [(kernel, {"kernel": kernel})
                for kernel in ("gemm", "atax", "bfs", "vectoradd")],
               preset="qv100")
    print("""**By what there is of it**: `vectoradd` of 131,072 elements, a warp for each 32, on
`qv100`: the more SMs share the work, the more an instruction costs the host.
""")
    simulation(program, "changed",
               [("nothing", {}), ("5 SMs", {"sms": 5}),
                ("524,288 elements", {"n": 524288}),
                ("4 channels", {"channels": 4})],
               preset="qv100", kernel="vectoradd")
    print("""## With more threads
""")
    forecasts(program)
    print("""## Beside others

Requests of a DRAM channel and packets of a network per second, each simulator alone. The others'
numbers (`tests/bench/peers.csv`) are of one thread on an AMD EPYC under Debian 12 (g++ 12.2, -O2 or -O3,
best of 3 on a quiet host): DRAMsim3 and Ramulator 2.1 with 100,000 requests to one GDDR5 channel that is
offered one each cycle, BookSim 2 with packets of one flit at 0.3 flits per node and cycle. Here
`tests/bench/dram.lua`, 1,000,000 requests of which 64 are under way, and `tests/bench/network.lua`, the
same network and load. They are not runs of the same minute: less than a factor of two says nothing.
""")
    ours = {}
    for pattern in ("sequential", "random"):
        row = best(program, "dram.lua", lambda r: float(r[2][3]),
                   pattern=pattern)
        ours[pattern] = float(row[2][1]) / float(row[2][3])
    row = best(program, "network.lua", lambda r: float(r[2][3]))
    ours["uniform"] = float(row[2][1]) / float(row[2][3])
    rows = []
    with open(HERE / "peers.csv", encoding="utf-8") as file:
        for peer in csv.DictReader(file):
            theirs = float(peer["units_per_s"])
            rows.append([f"{peer['what']}, {peer['row']}", peer["peer"],
                         number(theirs), number(ours[peer["row"]]),
                         f"{ours[peer['row']] / theirs:.1f}"])
    table(["what", "peer", "peer /s", "warploom /s", "times"], rows)
    print("""GPGPU-Sim 4.2 on the 16 reference programs of `tests/validate`, user time, same PTX and configuration, two
shared cores of an AMD EPYC: at commit 6dd51f0 whole processes of warploom were 30 to 35 times faster,
without start, building the machine and contents 78 times (`gtx480`) and 107 times (`qv100`). Since then
decisions [0060](decisions/0060-memory-that-is-not-touched.md) and
[0023](decisions/0023-running-ahead.md) have changed that.

## Against earlier builds

Time in launches of commit 9c36c85e over that of 6dd51f0, one thread, both built by `./setup.sh build` from
clean clones and run in turns, the fastest of 2 or 3 runs of the suite's size `small`: `gtx480` 1.19 (12
kernels: mars_ss 1.03, bfs 1.05 to bicg 1.38, atax 1.39), `h100` 0.84 (10 kernels: reduction 0.59,
blackscholes and sgemm 0.63 to spmv 1.04). `tests/bench/pair.sh OLD NEW 5 --set kernel=spmv --set
preset=h100` compares two builds so. The GTX 480 became slower by what made its DRAM GPGPU-Sim's:
channels take requests only while they have room, so that nothing runs ahead of the cores
([0023](decisions/0023-running-ahead.md)), and banks are scheduled as there.""")


main()
