"""A profile adds up to its run's counters.

usage: profile.py CASE ROWS.csv STATS.csv
"""
import csv
import sys

case, rows, stats = sys.argv[1:4]
with open(stats, encoding="utf-8") as file:
    total = {row[0]: float(row[2]) for row in csv.reader(file)
             if row[2:3] and row[2].replace(".", "", 1).isdigit()}
with open(rows, encoding="utf-8") as file:
    table = list(csv.DictReader(file))


def along(row, name):
    return sum(float(v) for k, v in row.items() if k.startswith(name + "."))


failed = False


def same(what, have, want, part=0.0):
    global failed
    if abs(have - want) > part * want or want <= 0:
        print(f"{case}: {what} is {have}, expected {want}")
        failed = True


def counted(name):
    return sum(float(row[name]) for row in table)


assert len(table) > 3, table
loads = [row for row in table if row["op"] == "load"]
same("instructions", counted("issues"), total["gpu.sm.warp_insts"])
same("lanes", counted("lanes"), total["gpu.sm.thread_insts"])
same("cycles of warps", sum(along(row, "warp_cycles") for row in table),
     total["gpu.sm.resident_warp_cycles"])
same("loads", sum(float(row["completed"]) for row in loads),
     total["gpu.sm.ldst.load_latency_count"])
same("latency", sum(float(row["latency"]) for row in loads),
     total["gpu.sm.ldst.load_latency_sum"])
same("latency by place", sum(along(row, "latency_at") for row in loads),
     total["gpu.sm.ldst.load_latency_sum"], 1e-3)
same("accesses of the L1",
     sum(along(row, "l1_accesses") for row in table),
     total["gpu.sm.l1d.accesses"], 0.02)
for row in table:
    assert row["text"] and row["kernel"] and int(row["line"]) > 0, row
    # A warp waits for who is known: nothing is left of "memory".
known = sum(float(row["warp_cycles.memory"]) for row in table)
if known > 0.02 * total["gpu.sm.resident_warp_cycles"]:
    print(f"{case}: {known} cycles of memory that is not known")
    failed = True
# What warps wait for somebody's result is before one and by another.
held = counted("held_cycles")
registers = sum(float(row["warp_cycles." + name]) for row in table for name in
                ("l1", "merged", "l2", "dram", "memory", "shared", "on_chip",
                 "sfu", "tensor", "arithmetic"))
same("held cycles", held, registers, 0.02)
sys.exit(failed)
