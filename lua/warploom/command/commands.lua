-- The commands, each once: what `warploom --help` and `warploom COMMAND --help`
-- print, and which options of command/options.lua a command takes.
--   name, words   and what follows it
--   forms         where there are several: { name and words, what it does }
--   does          in one line
--   more          more of it
--   options       names, in the order of its help
--   example       a command line
--   hidden        started by the program itself

local M = {}

local function all(...)
  local out = {}
  for _, list in ipairs { ... } do table.move(list, 1, #list, #out + 1, out)
  end
  return out
end

-- Of scripts, and of how they are simulated.
local script = { "set", "allow", "load", "unsafe", "traceback", "quiet" }
local simulated = { "seed", "threads", "interleave", "budget", "sample",
                    "kernels", "first", "last", "skip", "time" }
local points = { "jobs", "only", "list", "dry", "slurm", "part", "cache",
                 "uncached", "store", "remeasure", "csv" }
local drawn = { "figure", "kind", "by", "facet", "right", "normalise", "mean",
                "share", "log", "hatch", "some", "title", "width", "height",
                "ymax", "label", "quiet" }

M.groups = {
  { "Simulate",
    { name = "run", words = "SCRIPT [ARG]...",
      does = "run a script (also: warploom SCRIPT.lua)",
      more = "SCRIPT may be a results file, FILE.h5: then its run is made " ..
        "again, from what the file has, and compared; that writes only what " ..
        "-o says. A script of a loom.experiment is run as by sweep -j 1.",
      options = all({ "out", "functional", "races", "record", "timeline",
                      "profile", "window", "checkpoint", "resume", "json",
                      "monitor", "threads_report" },
                    simulated, script, points),
      example = "warploom run examples/quickstart.lua --set rows=1024 " ..
        "-o atax.h5" },
    { name = "cuda", words = "SCRIPT -- PROGRAM [ARG]...",
      does = "run a CUDA program, as nvcc built it, on a script's machine",
      options = all({ "out", "devices", "functional", "races", "record",
                      "timeline", "profile", "window", "checkpoint", "resume",
                      "json", "monitor" },
                    simulated, script),
      example = "warploom cuda machine.lua -- ./vectorAdd" },
    { name = "sweep", words = "SCRIPT [ARG]...",
      does = "run all points of a script's loom.experiment",
      more = "-j at a time; started again it goes on.",
      options = all({ "folder", "checkpoint", "resume", "json", "monitor" },
                    points, simulated,
                    script),
      example = "warploom sweep examples/sweep.lua -j 4 -o sweep.out" },
    { name = "papers", words = "[PAPER [FIG]...]",
      does = "run the figures of the papers and judge what they claim",
      more = "Started again it goes on.",
      options = { "folder", "paper_size", "jobs", "why", "figures", "from",
                  "set", "seed", "sample", "kernels", "first", "last",
                  "skip", "time", "monitor", "json", "quiet" },
      example = "warploom papers dacache fig08 --size small -j 2" },
    { name = "record", words = "SCRIPT [ARG]...",
      does = "write a workload's launches and streams to a recording",
      more = "Nothing is timed.",
      options = all({ "recording", "card", "blind", "races", "seed",
                      "interleave", "budget", "json" }, script),
      example = "warploom record examples/quickstart.lua -o atax.wlt" },
    { name = "repl", words = "",
      does = "a prompt: build a machine, run, look, change, run again",
      more = "Lines are Lua with loom; names stay without local.",
      options = all({ "seed", "threads", "interleave", "budget", "sample" },
                    script),
      example = "warploom repl" },
    { name = "suite", words = "list|verify|measure [NAME]...",
      does = "the benchmarks",
      more = "list: their sizes, and classes in the papers; verify: run " ..
        "them against their CPU references; measure: locality of their " ..
        "loads, without timing.",
      options = { "size", "paper", "class", "set", "timed", "races", "loads",
                  "csv", "json", "model", "replacement", "seed", "threads",
                  "interleave", "budget", "markdown", "quiet" },
      example = "warploom suite verify atax bfs --size small" } },
  { "Scripts, machines, programs",
    { name = "check", words = "SCRIPT|FILE.ptx [ARG|FILE.ptx]...",
      does = "find all mistakes of a script; run nothing",
      more = "Of .ptx programs: which kernels cannot be executed, and why.",
      options = all(script, { "seed", "json" }),
      example = "warploom check examples/quickstart.lua" },
    { name = "graph", words = "SCRIPT [ARG]...",
      does = "draw the machine",
      options = all({ "dot" }, script, { "seed", "json" }),
      example = "warploom graph examples/quickstart.lua -o machine.svg" },
    { name = "info", words = "[NAME]...",
      does = "tell about components and policies, or list them all",
      more = "With --cost, NAME is policies or a script: storage in bits, " ..
        "part by part.",
      options = all({ "cost", "markdown", "json" }, script),
      example = "warploom info cache" },
    { name = "disasm", words = "FILE [KERNEL]",
      does = "static tables of a .ptx program or a recording",
      options = { "scheduled", "cta", "launch", "warp", "limit", "json" },
      example = "warploom disasm atax.wlt --stream 0 --warp 1" },
    { name = "transform", words = "FILE.ptx",
      does = "a program as a transform leaves it",
      more = "--set says its parameters, machine, grid, block, shared.",
      options = { "kernel", "with", "set" },
      example = "warploom transform kernel.ptx --with sl1 --set block=256" },
    { name = "new", words = "policy|component|workload NAME",
      does = "write a skeleton with its test and page",
      options = { "lua", "plugin", "tree", "hook", "folder" },
      example = "warploom new policy mine --hook admit" },
    { name = "stubs", words = "[FOLDER]",
      does = "write definitions for editors (LuaLS)", options = {},
      example = "warploom stubs types" } },
  { "Results",
    { name = "stats", words = "FILE [PATTERN]",
      does = "print statistics of a results file",
      options = { "all", "label", "series", "csv", "json", "digest",
                  "check" },
      example = "warploom stats atax.h5 gpu.l2" },
    { name = "kernels", words = "FILE",
      does = "its launches, as a profiler lists them",
      more = "Time, occupancy, hits, bandwidth, bound.",
      options = { "order", "csv", "json" },
      example = "warploom kernels atax.h5" },
    { name = "explain", words = "FILE [KERNEL]",
      does = "what bounds a kernel, and the numbers that say so",
      more = "KERNEL: the one that takes longest if none is named. -o draws " ..
        "rooflines: of that one, or of the four that take longest.",
      options = { "one", "figure", "hatch", "title", "width", "height",
                  "json", "quiet" },
      example = "warploom explain atax.h5 -o roofline.svg" },
    { name = "profile", words = "FILE [KERNEL]",
      does = "its instructions, and what warps waited for before each",
      more = "Of a run with --profile. -o draws where loads spent their time.",
      options = { "figure", "hatch", "title", "width", "height", "csv",
                  "json", "quiet" },
      example = "warploom profile atax.h5 -o latency.svg" },
    { name = "energy", words = "FILE...",
      does = "where the joules went, of runs with an energy model",
      options = { "all", "csv", "json", "by", "normalise", "share", "hatch",
                  "title", "figure", "width", "height", "ymax", "label",
                  "quiet" },
      example = "warploom energy atax.h5 -o energy.svg" },
    { name = "plot", words = "FILE... STAT...",
      does = "draw statistics of results files", options = drawn,
      example = "warploom plot sweep.out/results.h5 gpu.sm.ipc -o ipc.svg" },
    { name = "report", words = "FILE...",
      does = "a page with charts of them",
      options = { "page", "title", "quiet" },
      example = "warploom report atax.h5 -o atax.html" },
    { name = "look", words = "FILE.json",
      does = "a page of a timeline, from kernels to one load's way",
      more = "run --timeline writes it; Perfetto's viewer opens it, too.",
      options = { "page", "title", "quiet" },
      example = "warploom look atax.json -o atax.html" },
    { name = "diff", words = "FILE FILE [STAT]",
      does = "what differs between two runs",
      options = { "rel", "json", "quiet" },
      example = "warploom diff before.h5 after.h5 --rel 0.01" },
    { name = "merge", words = "FILE...", does = "several runs in one file",
      options = { "out", "quiet" },
      example = "warploom merge a.h5 b.h5 -o both.h5" },
    { name = "export", words = "FILE...",
      does = "every number, as CSV, JSON or an SQLite database",
      options = { "csv", "json", "sqlite", "out", "label", "quiet" },
      example = "warploom export atax.h5 --sqlite -o atax.db" } },
  { "This program",
    { name = "doctor", words = "", does = "check the installation",
      options = { "report", "json" }, example = "warploom doctor --report" },
    { name = "completion", words = "bash|zsh|fish",
      does = "what a shell needs to complete commands and options",
      options = {},
      example = "warploom completion bash > " ..
        "~/.local/share/bash-completion/completions/warploom" },
    { name = "cite", words = "[FILE|NAME]...",
      does = "what to cite, as BibTeX: the simulator and what runs used",
      more = "FILE is a results file; NAME a policy or a preset.",
      options = {}, example = "warploom cite atax.h5" },
    { name = "manual", words = "[FOLDER]",
      does = "write the man pages of all commands", options = {},
      example = "warploom manual man && man -l man/warploom-run.1" } },
  { false,
    { name = "point", words = "SCRIPT [ARG]...", hidden = true,
      does = "run one point of a sweep, which starts it",
      example = "warploom point SCRIPT --number 3",
      options = all({ "number", "key", "note", "out", "cache", "store",
                      "remeasure", "functional", "races", "record",
                      "checkpoint", "resume", "monitor" },
                    simulated, script) },
    { name = "host", words = "SCRIPT [ARG]...", hidden = true,
      does = "be the GPU of the CUDA program in whose process this is",
      example = "warploom host SCRIPT --set sms=4",
      options = all({ "out", "devices", "functional", "races", "record",
                      "timeline", "profile", "window", "checkpoint", "resume",
                      "json", "monitor" },
                    simulated, script) } },
}

M.named, M.names = {}, {}
for _, group in ipairs(M.groups) do
  for i = 2, #group do
    M.named[group[i].name] = group[i]
    M.names[#M.names + 1] = group[i].name
  end
end

return M
