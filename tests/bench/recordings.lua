-- Records programs of the suite, replays them without timing and prints the
-- table of docs/recordings.md.  Runs with --unsafe:
--
--     warploom --unsafe tests/bench/recordings.lua [FOLDER]
--
-- Speeds are the best of three; the rest repeats exactly.
local import = require "warploom.import"
local core = import "core"
local session = import "script/session"
local script = import "script/script"

local folder = (...) or "."
local path = folder .. "/bench.wlt"

local programs = {
  "atax { rows = 4096, columns = 256 }",
  "bicg { rows = 2048, columns = 256 }",
  "gemm { n = 256, m = 256, k = 256 }",
  "bfs { nodes = 16384 }",
  "reduction { n = 1000000, ctas = 64 }",
  "vectoradd { n = 1000000 }",
  "micro_alu { warps = 32, ctas = 256 }",
  "micro_atomic { warps = 32, ctas = 64, times = 200 }",
  "micro_chase { bytes = 1048576 }",
  "micro_const { warps = 32 }",
  "micro_shared { warps = 32 }",
  "micro_stream { bytes = 1048576, warps = 32, ctas = 8 }",
  "micro_stride { warps = 32 }",
}

local function run(workload, options)
  options.functional, options.quiet, options.mode = true, true, "run"
  options.set, options.argv = {}, {}
  session.command = { "bench" }
  local status = script.execute("bench.lua", ([[
local loom = require "warploom"
loom.run { machine = loom.preset.tiny {}, workload = %s }
]]):format(workload), options)
  if status ~= 0 then
    error(table.concat(session.lines(session.problems), "\n"))
  end
  return session.runs[1]
end

local function row(...)
  print("| " .. table.concat({ ... }, " | ") .. " |")
end

local function thousands(n)
  return (("%d"):format(n):reverse():gsub("(%d%d%d)", "%1,"):reverse()
                          :gsub("^,", ""))
end

row("workload", "warp instructions", "raw bytes each", "in the file, each",
    "executed, million/s", "replayed, million/s")
row("---", "---", "---", "---", "---", "---")
for _, program in ipairs(programs) do
  local direct, replayed = 0, 0
  for _ = 1, 3 do
    direct = math.max(direct, run("loom.suite." .. program, {}).kips)
  end
  run("loom.suite." .. program, { record = path })
  local recording = assert(core.recording(path))
  local totals = recording:totals()
  recording:close()
  for _ = 1, 3 do
    replayed = math.max(replayed,
                        run(('loom.replay "%s"'):format(path), {}).kips)
  end
  row(program, thousands(totals.insts),
      ("%.1f"):format(4 * totals.words / totals.insts),
      ("%.3f"):format(totals.stream_bytes / totals.insts),
      ("%.0f"):format(direct / 1000), ("%.0f"):format(replayed / 1000))
end
os.remove(path)
