# warploom repl: lines from a pipe, and keys in a terminal.
# usage: repl.py WARPLOOM
import os
import pty
import select
import signal
import subprocess
import sys
import tempfile
import time

program = sys.argv[1]
folder = tempfile.mkdtemp()
failed = False


def check(what, ok, told=""):
    global failed
    if not ok:
        failed = True
        print("FAIL", what, told)


def lines(text):
    return subprocess.run([program, "repl", "-q"], input=text, cwd=folder,
                          capture_output=True, text=True, timeout=300)


run = """g = loom.preset.tiny {}
work = loom.suite.vectoradd { n = 1000 }
r = loom.run { machine = g, workload = work }
g.sm[0].l1d.ways, r.cycles > 100
g:each "sm[*].l1d":set { size_bytes = 1024 }
again = loom.run { machine = g, workload = work }
again.cycles >= r.cycles
for i = 1, 2 do
  print("turn", i)
end
"""
got = lines(run)
check("a run", got.returncode == 0 and got.stderr == "", got.stderr)
out = got.stdout.splitlines()
check("values", out[0:2] == ["2", "true"], out)
check("a second run, and a loop", out[-3:] == ["true", "turn\t1", "turn\t2"],
      out)

got = lines("nothing\nx = = 2\nerror 'mine'\ng = loom.preset.tiny { warp = 3 }\n"
            "loom.preset.tinny {}\n40 + 2\n1 +\n\n7\n")
check("mistakes end no prompt", got.returncode == 0 and
      got.stdout.split() == ["42", "7"], got.stdout)
for text in ["there is no variable 'nothing'", "unexpected symbol near '='",
             "mine", "there is no preset 'tinny'; did you mean 'tiny'?"]:
    check("a message", text in got.stderr, got.stderr)


class Terminal:
    def __init__(self):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ["XDG_STATE_HOME"] = folder
            os.environ["TERM"] = "xterm"
            os.execv(program, [program, "repl"])

        self.left = ""  # what has come and was not waited for

    # Waits for a text, five minutes at most: hosts are slow at times.
    def until(self, text):
        end = time.time() + 300
        while text not in self.left and time.time() < end:
            if select.select([self.fd], [], [], 0.2)[0]:
                try:
                    self.left += os.read(self.fd, 4096).decode()
                except OSError:
                    break
        check("the terminal shows " + repr(text), text in self.left,
              repr(self.left))
        self.left = self.left.partition(text)[2]

    def send(self, text):
        os.write(self.fd, text.encode())


# Keys count once the line before is done with: a prompt is waited for.
t = Terminal()
t.until("> ")
t.send("g = loom.pres\t")
t.until("et")
t.send(".tin\t")
t.until("y")
t.send(" {}\n")
t.until("\r\n> ")
t.send("g.sm[0].l1d.line_by\t")
t.until("tes")
t.send("\n")
t.until("128\r\n")
t.until("> ")
t.send("g.s\t\t")
t.until("sm_registers")
t.until("> g.s")
t.send("m[0].l1d.line_bytes\n")
t.until("128\r\n")
t.until("> ")
t.send("\x10")  # the line before
t.until("line_bytes")
t.send("\n")
t.until("128\r\n")
t.until("> ")
t.send("\x04")
status, end = None, time.time() + 300
while status is None and time.time() < end:
    done, told = os.waitpid(t.pid, os.WNOHANG)
    status = told if done else None
    time.sleep(0.1)
if status is None:
    os.kill(t.pid, signal.SIGKILL)
check("the end", status == 0, status)
kept = open(folder + "/warploom/history").read()
check("history", "line_bytes" in kept, kept)
subprocess.run(["rm", "-rf", folder])
if failed:
    sys.exit(1)
print("repl: ok")
