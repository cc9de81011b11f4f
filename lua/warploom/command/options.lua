-- The options of the command line, each once.  Commands say which they take:
-- command/commands.lua.
--   [1]      its names, as argparse has them
--   [2]      what it does
--   value    what its value is called; without, the option has none
--   many     may be given several times
--   default  its value where it is given as --name alone; then --name=VALUE
--   target   under which name the command finds it, if not this one
--   convert  function(text): the value, or nil and why not

local import = ...
local core = import "core"

local M = {}

local function number_of(text) return math.tointeger(tonumber(text)) end

-- A whole number from `least` to `most`, which `says` tells.
local function whole(name, least, most, says)
  return function(text)
    local n = number_of(text)
    if n and n >= least and n <= (most or n) then return n end
    return nil, ("--%s is '%s', expected %s"):format(name, text, says)
  end
end

local function from_0(name)
  return whole(name, 0, nil, "a whole number")
end

local function setting(text)
  if text:find("^[^=]+=") then return text end
  return nil, ("--set is '%s', expected NAME=VALUE"):format(text)
end

M.list = {
  -- What scripts get.
  set = { "--set", "change an option that the script declares",
          value = "NAME=VALUE", many = true, convert = setting },
  allow = { "--allow", "let the script reach files there, too; it does in " ..
            "its own, the working and the output's folder", value = "FOLDER",
            many = true },
  load = { "--load", "a plug-in that the script may use", value = "FILE.so",
           many = true },
  unsafe = { "--unsafe", "let the script use all of Lua, files and plug-ins" },
  traceback = { "--traceback", "show where in the script an error came from" },
  quiet = { "-q --quiet", "print no progress and no summary" },

  -- How it is simulated.
  seed = { "--seed", "seed of everything random (default 1)", value = "N",
           convert = from_0 "seed" },
  threads = { "--threads", "up to so many threads for one simulation, as " ..
              "long as they make it faster; auto: one a processor. Any " ..
              "number gives the same bits (default 1)", value = "N",
              convert = function(text)
                if text == "auto" then
                  return math.min(core.processors(), 64)
                end
                return whole("threads", 1, 64, "auto or 1..64")(text)
              end },
  threads_report = { "--threads-report", "measure on one thread what 2, 4, " ..
    "8, 16 and 32 could do, and what binds; printed at the end" },
  interleave = { "--interleave", "warp instructions of a warp before the " ..
    "next one of its CTA has its turn (default 1); what races compute " ..
    "depends on it, and nothing else", value = "N",
    convert = whole("interleave", 1, 1 << 30,
                    "a number of warp instructions, 1..2^30") },
  budget = { "--budget", "warp instructions of a CTA after which a kernel " ..
    "is endless (default 2^27; run and launch say it, too)", value = "N",
    convert = whole("budget", 1, nil,
                    "a whole number of warp instructions, at least 1") },
  devices = { "--devices", "GPUs that the program finds, all like the " ..
              "script's machine (default 1)", value = "N",
              convert = whole("devices", 1, 16, "1..16") },
  functional = { "--functional", "execute the workload without timing" },
  sample = { "--sample", "simulate parts of kernels and estimate the rest, " ..
             "to that error of time (--sample=2%; --sample alone: 1%)",
             value = "ERROR", default = true },
  kernels = { "--kernels", "time launches of these kernels only: names, in " ..
              "which * is anything, or regular expressions; the others are " ..
              "executed without timing", value = "NAME,.." },
  first = { "--first", "time launches from this one on only, from 0",
            value = "N", convert = from_0 "first" },
  last = { "--last", "time launches up to this one only", value = "N",
           convert = from_0 "last" },
  skip = { "--skip", "of the launches that these leave, do not time the " ..
           "first N", value = "N", convert = from_0 "skip" },
  time = { "--time", "of the launches that these leave, time so many only",
           value = "N",
           convert = whole("time", 1, nil, "a whole number of at least 1") },
  races = { "--races", "tell which instructions access the same bytes with " ..
            "nothing to order them; status 3 if there are some" },
  monitor = { "--monitor", "serve a page on this host that shows the run " ..
              "while it lasts; its address is printed" },

  report = { "--report", "print a template for reporting a fault, filled in " ..
             "with what is known of this program and host" },

  -- What comes out.
  out = { "-o --out", "results file (.h5)", value = "PATH" },
  folder = { "-o --out", "the folder of what comes out", value = "FOLDER",
             target = "out" },
  recording = { "-o --out", "the recording", value = "FILE.wlt",
                target = "out" },
  dot = { "-o --out", ".dot, or .svg with Graphviz", value = "FILE",
          target = "out" },
  figure = { "-o --out", ".svg, .pdf, .png, .html, or .json for Vega-Lite",
             value = "FILE", target = "out" },
  page = { "-o --out", "the page", value = "FILE.html", target = "out" },
  record = { "--record", "record the workload as well", value = "FILE" },
  timeline = { "--timeline", "write what happens, for Perfetto's viewer and " ..
               "warploom look", value = "FILE.json" },
  profile = { "--profile", "record what each instruction's warps waited " ..
              "for, for explain" },
  window = { "--window", "with --timeline or --profile: a part, such as " ..
             "10us..20us,kernel=mv*,launch=0,sms=0..3,limit=64MiB",
             value = "PART,..", convert = function(text)
               return import "run/timeline".parse(text)
             end },
  checkpoint = { "--checkpoint", "save the run after N launches, or every " ..
                 "so much time of the host (600s), where nothing is under " ..
                 "way", value = "FILE,after=N",
                 convert = function(text)
                   return import "run/checkpoint".parse(text)
                 end },
  resume = { "--resume", "go on from a checkpoint of this program and " ..
             "machine; policies may be others", value = "FILE" },
  card = { "--card", "write what the host program did instead, for " ..
           "warploom-card, which does it on a real card", value = "FILE" },
  blind = { "--blind", "with --card: do not execute the launches, for " ..
            "scripts that read nothing back" },

  -- Sweeps and papers.
  jobs = { "-j --jobs", "processes (default: all cores)", value = "N",
           convert = whole("jobs", 1, 256, "1..256") },
  only = { "--only", "some of the points: those that have one of the values " ..
           "of each axis that is named", value = "AXIS=VALUE,..", many = true },
  list = { "--list", "print the points, run nothing" },
  dry = { "--dry-run", "print what would be run" },
  slurm = { "--slurm", "write a job array's script instead" },
  part = { "--part", "every Nth point, from the Ith, unmerged",
           value = "I/N" },
  cache = { "--cache", "where streams are kept that points share (default: " ..
            "in the sweep's folder)", value = "FOLDER" },
  uncached = { "--no-cache", "keep no streams" },
  store = { "--store", "where runs are kept that sweeps share: none is " ..
            "simulated twice, whatever is measured of it", value = "FOLDER" },
  remeasure = { "--remeasure", "metrics of points that were run, anew, as " ..
                "the script has them now; nothing is simulated" },
  figures = { "--list", "print papers and figures, run nothing",
              target = "list" },
  from = { "--from", "other scripts than the program's", value = "FOLDER" },
  why = { "--why", "the scripts, too, that test why a claim does not hold" },
  paper_size = { "--size", "tiny, small or paper", value = "NAME",
                 target = "size" },
  number = { "--number", "the point", value = "N",
             convert = from_0 "number" },
  key = { "--key", "its digest", value = "KEY" },
  note = { "--note", "where it says how it went", value = "FILE" },

  -- Programs and recordings.
  cta = { "--stream", "a CTA's recorded stream", value = "CTA",
          target = "cta", convert = from_0 "stream" },
  launch = { "--launch", "of this launch (default 0)", value = "N",
             convert = from_0 "launch" },
  one = { "--launch", "this launch only, from 0 (warploom kernels lists " ..
          "them)", value = "N", target = "launch",
          convert = from_0 "launch" },
  warp = { "--warp", "of this warp", value = "N", convert = from_0 "warp" },
  limit = { "--limit", "instructions at most", value = "N",
            convert = from_0 "limit" },
  scheduled = { "--scheduled", "a .ptx program as a compiler would schedule " ..
                "it, with what is folded" },
  kernel = { "--kernel", "the kernel (default: the only one)",
             value = "NAME" },
  with = { "--with", "the transform: sl1", value = "POLICY" },

  -- Types.
  markdown = { "--markdown", "the reference page" },
  cost = { "--cost", "bits of storage; --set changes a parameter of the " ..
           "policy or the hardware around it" },
  lua = { "--lua", "in Lua (default)" },
  plugin = { "--plugin", "in C, loaded by --load" },
  tree = { "--tree", "in C, in the program's sources" },
  hook = { "--hook", "replacement (default), admit or observe",
           value = "NAME" },

  -- Benchmarks.
  size = { "--size", "tiny (default), small, paper, reference",
           value = "NAME" },
  paper = { "--paper", "benchmarks of this paper", value = "NAME" },
  class = { "--class", "benchmarks that it puts in this class", value = "C" },
  timed = { "--timed", "verify: on the GTX 480, not only functionally" },
  loads = { "--loads", "measure: every load" },
  model = { "--model", "measure: another model of the L1 caches: index, " ..
            "flush, sms, ctas, threads", value = "NAME=VALUE,.." },
  replacement = { "--replacement", "measure: hit ratios with these " ..
                  "policies, beside lru and min, the bound",
                  value = "NAME,.." },

  -- Results.
  csv = { "--csv", "as CSV" },
  json = { "--json", "as JSON" },
  sqlite = { "--sqlite", "as an SQLite database" },
  all = { "--all", "every instance" },
  digest = { "--digest", "one checksum of all results in the file" },
  check = { "--check", "does everything have units, a description and " ..
            "scales?" },
  label = { "--sample", "another snapshot than the last", value = "LABEL",
            target = "sample" },
  series = { "--series", "what happened in each window of a series",
             value = "NAME" },
  order = { "--by", "launch: in their order, not by time", value = "WHAT",
            target = "by" },
  kind = { "--kind", "bar, stack, line, cdf, heat", value = "KIND" },
  by = { "--by", "along run, kernel, instance or sample", value = "WHAT" },
  normalise = { "--normalise", "relative to this bar or group",
                value = "NAME" },
  mean = { "--mean", "arithmetic, geometric or harmonic mean at the right " ..
           "end, or none", value = "KIND" },
  share = { "--share", "parts of 1" },
  log = { "--log", "a logarithmic axis" },
  some = { "--only", "a part of a merged file", value = "AXIS=VALUE,..",
           target = "only" },
  title = { "--title", "above it", value = "TEXT" },
  right = { "--right", "another statistic or column, on an axis of its own " ..
            "at the right", value = "STAT" },
  facet = { "--facet", "a small figure for each run, or value of this axis",
            value = "AXIS" },
  hatch = { "--hatch", "patterns that differ without colour, too" },
  width = { "--width", "in pixels; or column, page: of a paper, in the size " ..
            "and with the text that it has there", value = "N" },
  height = { "--height", "in pixels", value = "N" },
  ymax = { "--ymax", "the end of the y axis", value = "NUMBER" },
  rel = { "--rel", "relative differences up to this are none",
          value = "NUMBER" },

  help = { "-h --help", "this" },
}

return M
