"""Results files whose parts are missing or of another type or shape: each
command reads them or says what is wrong with which file.

usage: structure.py PROGRAM FOLDER [COUNT] [SEED]    FOLDER has one.h5 and both.h5
"""
import os
import random
import shutil
import subprocess
import sys

import h5py
import numpy as np

program, folder = sys.argv[1:3]
count = int(sys.argv[3]) if len(sys.argv) > 3 else 60
pick = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
commands = {
    "one.h5": [
        "stats bad.h5", "stats bad.h5 --series bw", "stats --digest bad.h5",
        "diff one.h5 bad.h5", "merge -q bad.h5 one.h5 -o merged.h5",
        "export -q bad.h5 -o bad.csv", "energy bad.h5",
        "kernels bad.h5",
        "plot -q bad.h5 gpu.sm.l1d.miss_ratio --by kernel -o bad.json",
        "plot -q bad.h5 bw:gpu.dram.bytes -o bad.json",
        "report -q bad.h5 -o bad.html"],
    "both.h5": [
        "stats bad.h5", "diff both.h5 bad.h5", "export -q bad.h5 -o bad.csv",
        "plot -q bad.h5 cycles -o bad.json", "report -q bad.h5 -o bad.html"],
}


def names_of(file):
    found = []
    file.visit(found.append)
    return found


def replace(file, name, data):
    attrs = {k: v for k, v in file[name].attrs.items()
             if k not in ("DIMENSION_LIST", "REFERENCE_LIST", "CLASS")}
    del file[name]
    file[name] = data
    for key, value in attrs.items():
        file[name].attrs[key] = value


def other_data(old):
    return pick.choice([
        7, "text", np.arange(3.0), np.zeros((2, 2, 2, 2)), [b"a", b"b"],
        np.zeros((0,)), old[...].tolist() if old.dtype.kind == "f" else 0.5,
        np.full(old.shape, -1) if old.dtype.kind in "iu" else 1,
        np.zeros(tuple(n + 1 for n in old.shape))])


# What all commands lean on is damaged first, then anything.
vital = ["stats/time", "stats/label", "stats/sample", "stats/cycle",
         "kernel/name", "kernel/sample_begin", "kernel/sample_end",
         "kernel/grid_y", "kernel/start_tick", "stats/tick",
         "stats/gpu/sm/issue_slots", "stats/gpu/active_cycles",
         "series/bw/time", "stats/gpu/sm/l1d/misses",
         "stats/gpu/sm/l1d/lookups", "stats/gpu/sm/l1d/miss_ratio",
         "topology/param/name", "topology/param/component", "meta/config_lua",
         "points/state", "axes/run", "values/run", "metrics/cycles", "point"]


def damage(file, number):
    names = names_of(file)
    here = [n for n in vital if n in names]
    name = here[number] if number < len(here) else pick.choice(names)
    how = (number + number // 3) % 3
    keys = list(file[name].attrs)
    if how == 0:
        del file[name]
        return f"without {name}"
    if how == 1 and isinstance(file[name], h5py.Dataset):
        data = other_data(file[name])
        replace(file, name, data)
        return f"{name} is {data!r}"
    owner = name if keys and number % 2 else "/"
    key = pick.choice(list(file[owner].attrs))
    value = pick.choice([None, 3, "other", [1.5, 2.5]])
    del file[owner].attrs[key]
    if value is not None:
        file[owner].attrs[key] = value
    return f"attribute {key} of {owner} is {value!r}"


os.chdir(folder)
wrong = tried = refused = 0
for source, lines in commands.items():
    for number in range(count):
        shutil.copyfile(source, "bad.h5")
        with h5py.File("bad.h5", "r+") as file:
            what = damage(file, number)
        for line in lines:
            done = subprocess.run([program, *line.split()], timeout=300,
                                  capture_output=True, text=True,
                                  errors="replace")
            said = done.stdout + done.stderr
            tried += 1
            no = done.returncode not in (0, 1) or (
                done.returncode == 1 and not line.startswith("diff"))
            refused += no
            if done.returncode not in (0, 1, 2) or any(
                    w in said for w in ("internal error", ": bug: ",
                                        "stack traceback")):
                wrong += 1
                print(f"{source} {what}: {line}: status {done.returncode}\n"
                      f"{said[-700:]}")
print(f"{tried} commands on {2 * count} files, {refused} refused")
sys.exit(wrong > 0)
