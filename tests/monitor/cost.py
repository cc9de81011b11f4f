# What the monitor costs while a page looks: processor time of runs with it and
# without, in turn, and the ratio of the least of each.
# usage: cost.py WARPLOOM SOURCE_DIR [PAIRS [MOST [PASSES]]]; MOST: the ratio that
# is allowed; it stops when that is reached; PASSES: how long a run is
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

program, root = sys.argv[1:3]
pairs = int(sys.argv[3]) if len(sys.argv) > 3 else 5
most = float(sys.argv[4]) if len(sys.argv) > 4 else None
passes = sys.argv[5] if len(sys.argv) > 5 else "20"
script = os.path.join(root, "tests/monitor/run.lua")


def look(address, stop):
    """As page.js does."""
    while not stop.is_set():
        try:
            urllib.request.urlopen(address + "state", timeout=60).read()
        except OSError:
            return
        stop.wait(0.7)


def seconds(*words):
    process = subprocess.Popen([program, "run", "-q", script, "-o", out,
                                "--set", "passes=" + passes, *words],
                               stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
    stop = threading.Event()
    if words:
        address = re.search("http.*", process.stderr.readline())[0]
        threading.Thread(target=look, args=(address, stop)).start()
    _, _, used = os.wait4(process.pid, 0)
    stop.set()
    return used.ru_utime + used.ru_stime


plain, watched = [], []
folder = tempfile.TemporaryDirectory()
out = os.path.join(folder.name, "x.h5")
while len(plain) < pairs:
    plain.append(seconds())
    watched.append(seconds("--monitor"))
    time.sleep(0.1)
    # Others on the host only add: the least of each is the nearest.
    ratio = min(watched) / min(plain)
    if most and len(plain) >= 3 and ratio <= most:
        break
print("without %.2f s, with %.2f s: ratio %.4f, of the least of %d runs" % (
    min(plain), min(watched), ratio, len(plain)))
sys.exit(1 if most and ratio > most else 0)
