# The live monitor, asked as its page asks: what it says, who is refused, what it
# does to the run, and that the run's numbers are the same.
# usage: monitor.py WARPLOOM SOURCE_DIR
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

program, root = sys.argv[1:3]
folder = tempfile.mkdtemp()
script = os.path.join(root, "tests/monitor/run.lua")
failed = False
LONG = ["--set", "passes=1000"]  # minutes, if nobody stops it


def check(what, ok, told=""):
    global failed
    if not ok:
        failed = True
        print("FAIL", what, told)


class Run:
    """A run with a monitor, and a page that looks at it."""

    def __init__(self, *words, script=script, command="run"):
        self.process = subprocess.Popen(
            [program, command, script, "--monitor", *words], cwd=folder,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        found = re.fullmatch(r"warploom: monitor at "
                             r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/\n",
                             line)
        check("an address", found, line)
        self.at(found)

    def at(self, found):
        self.port, self.token = int(found[1]), found[2]

    def ask(self, path, method="GET", headers=None):
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        link.request(method, path, headers=headers or {})
        answer = link.getresponse()
        return answer.status, answer.read(), answer

    def get(self, name, **more):
        status, text, _ = self.ask("/%s/%s" % (self.token, name), **more)
        check("GET " + name, status == 200, status)
        return text

    def post(self, name):
        status, _, _ = self.ask("/%s/%s" % (self.token, name), "POST")
        check("POST " + name, status == 200, status)

    def state(self, until=lambda state: True, look=""):
        for _ in range(600):
            state = json.loads(self.get("state?look=" + look))
            if until(state):
                return state
            time.sleep(0.1)
        check("the state that was waited for", False, state)
        return state

    def end(self):
        out, err = self.process.communicate(timeout=300)
        return self.process.returncode, out, err


def counting(state):
    return "classes" in state and state["progress"].get("interval", 0) > 0 and \
        state["progress"]["insts"] > 0


def stat(layout, state, group, name):
    for number, info in enumerate(layout["classes"]):
        if info["group"] == group:
            names = [one["name"] for one in info["stats"]]
            return state["classes"][number][names.index(name)]
    check("a group " + group, False, [c["group"] for c in layout["classes"]])


# ---- who sees it, and who does not

run = Run(*LONG)
status, text, answer = run.ask("/%s/" % run.token)
check("the page", status == 200 and b"<title>warploom</title>" in text)
for name, value in [("Cache-Control", "no-store"),
                    ("Referrer-Policy", "no-referrer"),
                    ("X-Frame-Options", "DENY")]:
    check(name, answer.getheader(name) == value, answer.getheader(name))
check("nothing from elsewhere", "default-src 'none'" in
      answer.getheader("Content-Security-Policy"))
for name in ["style.css", "page.js"]:
    check(name, len(run.get(name)) > 1000)
wrong = ["/", "/state", "/%s/" % ("0" * 32), "/%s" % run.token,
         "/%s/state" % run.token[:-1], "/%s/state" % run.token.upper()]
for path in wrong:
    if path[1:-6] != run.token:
        status, text, _ = run.ask(path)
        check("refused: " + path, status == 403 and
              run.token.encode() not in text, status)
for method in ["POST", "PUT", "DELETE"]:
    status, _, _ = run.ask("/%s/stop" % ("0" * 32), method)
    check("refused: %s without the token" % method, status == 403, status)
status, _, _ = run.ask("/%s/" % run.token, headers={"Host": "evil.example"})
check("refused: another host's name", status == 403, status)
status, _, _ = run.ask("/%s/state" % run.token, "PUT")
check("only GET and POST", status == 405, status)
status, _, _ = run.ask("/%s/nothing" % run.token)
check("no such name", status == 404, status)
status, _, _ = run.ask("/%s/../../etc/passwd" % run.token)
check("no files", status in (403, 404), status)
listens = [line.split()[1] for name in ["tcp", "tcp6"]
           for line in open("/proc/net/" + name)
           if line.split()[1].endswith(":%04X" % run.port) and
           line.split()[3] == "0A"]
check("it listens here only", listens == ["0100007F:%04X" % run.port], listens)

# ---- what it says

state = run.state(counting)
layout = json.loads(run.get("layout"))
check("the run's number", state["run"] == layout["run"] == 1)
check("its workload", layout["workload"] == "micro_stream", layout["workload"])
progress = state["progress"]
total, last = stat(layout, state, "gpu/sm", "warp_insts")
check("warp instructions", total == progress["insts"] and 0 < last <= total,
      (total, last, progress))
cycles = stat(layout, state, "gpu/sm", "cycles")
check("a ratio is of the interval", abs(
    stat(layout, state, "gpu/sm", "warp_ipc")[1] - last / cycles[1]) < 1e-9)
check("a fraction", 0 <= progress["fraction"] <= 1, progress)
check("a speed", progress["insts_per_second"] > 0, progress)
check("two loads a link", len(state["links"]) == 2 * len(layout["links"]))
check("loads", all(0 <= load <= 1 for load in state["links"]) and
      max(state["links"]) > 0)
check("what bounds it", state["bounds"]["bound"] != "" and
      len(state["bounds"]["stages"]) > 2, state["bounds"])
slots = state["slots"][0]
check("slots of each SM", len(slots) == 15 and
      len(slots[0]) == len(layout["slots"][0]["keys"]), len(slots))
keys = layout["slots"][0]["keys"]
for k, key in enumerate(keys):
    both = stat(layout, state, "gpu/sm", "issue_slots")[1][key]
    check("slots add up: " + key, sum(row[k] for row in slots) == both)
one = "gpu[0].sm[3].l1d"
state = run.state(lambda s: s.get("look"), look=one)
number = [c["group"] for c in layout["classes"]].index("gpu/sm/l1d")
check("one instance", state["look"]["path"] == one and
      0 < state["look"]["values"][0][0] < state["classes"][number][0][0],
      state["look"])
state = run.state(lambda s: len(s["history"]) > 2)
times = [point["time"] for point in state["history"]]
check("a chart that grows", times == sorted(times) and times[0] < times[-1])

# ---- what it does

run.post("pause")
state = run.state(lambda s: s["status"] == "paused")
time.sleep(1)
later = run.state()
check("paused", later["progress"]["seconds"] == state["progress"]["seconds"] and
      later["progress"]["wall"] - state["progress"]["wall"] < 0.5,
      (state["progress"], later["progress"]))
run.post("snapshot")
run.state(lambda s: s["snapshots"] == 1)
run.post("continue")
state = run.state(lambda s: s["status"] == "running" and
                  s["progress"]["seconds"] > later["progress"]["seconds"])
run.post("stop")
status, out, err = run.end()
check("stopped", status == 0 and "stopped by the monitor" in out + err,
      (status, out, err))
listing = subprocess.run([program, "stats", "run.h5", "--sample", "monitor 1"],
                         cwd=folder, capture_output=True, text=True)
check("its snapshot", listing.returncode == 0, listing.stderr)

run = Run(*LONG)
run.post("pause")
run.state(lambda s: s["status"] == "paused")
run.process.send_signal(signal.SIGINT)
status, out, err = run.end()
check("a signal in a pause", status == 130, (status, err))

# ---- the same bits

plain = subprocess.run([program, "run", script, "-q"], cwd=folder,
                       capture_output=True, text=True)
check("a plain run", plain.returncode == 0, plain.stderr)


def numbers():
    return subprocess.run([program, "stats", "--digest", "run.h5"], cwd=folder,
                          capture_output=True, text=True).stdout


before = numbers()
run = Run("-q")
looks = 0
while run.process.poll() is None:
    try:
        state = json.loads(run.get("state?look=" + one))
        looks += "classes" in state
        if looks == 3:
            run.post("pause")
            run.post("continue")
    except (ConnectionError, http.client.HTTPException):
        break
status, out, err = run.end()
check("it was looked at", looks > 3, looks)
check("the same state", "digest " in out and out == plain.stdout,
      (out, plain.stdout))
check("the same results", before == numbers() and len(before) > 32)

# ---- without timing

run = Run("--functional", *LONG)
state = run.state(lambda s: s.get("progress", {}).get("insts", 0) > 0)
layout = json.loads(run.get("layout"))
check("functional", layout["functional"] and layout["classes"] == [] and
      "seconds" not in state["progress"], state)
run.post("stop")
status, out, err = run.end()
check("functional: stopped", status == 0, (status, err))

# ---- a sweep, whose points have pages of their own

with open(os.path.join(folder, "sweep.lua"), "w") as file:
    file.write("""
local loom = require "warploom"
return loom.experiment {
  name = "passes", axes = { passes = { 1, 1000 } },
  base = function(p)
    return { machine = loom.preset.gtx480 {},
             workload = loom.suite.micro_stream { ctas = 64, bytes = 1 << 19,
               passes = p.passes, write = true } }
  end,
}
""")
run = Run("-j", "1", "-o", "sweep", script="sweep.lua", command="sweep")


def address(state):
    return [p["address"] for p in state.get("sweep", {"points": []})["points"]
            if p["label"] == "passes=1000" and "address" in p]


state = run.state(address)
check("points", [p["state"] for p in state["sweep"]["points"]] ==
      ["done", "running"] and state["sweep"]["done"] == 1, state)
point = Run.__new__(Run)
point.at(re.fullmatch(r"http://127\.0\.0\.1:(\d+)/(\w+)/", address(state)[0]))
point.state(counting)
point.post("stop")
status, out, err = run.end()
check("a point that was stopped has failed", status == 3 and
      "passes=1000: failed: exit status 3" in err and
      "stopped by the monitor" in err,
      (status, out, err))

sys.exit(failed)
