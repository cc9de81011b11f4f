-- `warploom suite list|verify|measure`: the benchmarks, all or some.

local import = ...
local core = import "core"
local session = import "session"
local suite = import "suite"
local suggest = import "suggest"
local text = import "text"

local M = {}

-- The declarations, loaded in a session of their own.
local function load_all()
  local preset = import "preset"
  session.reset { script = "suite" }
  local env
  local loom = import "init".new(function() return env end)
  env = import "sandbox".environment(loom)
  local load = function(name) return preset.load_file("suite", name, env) end
  return load, suite.names(nil, load)
end

local function select_names(options, plain)
  local load, all = load_all()
  local filter = {}
  filter.paper, filter.class = options.paper, options.class
  local ok, why = suite.check_filter(filter)
  if not ok then return nil, why end
  local names = plain
  for _, name in ipairs(plain) do
    local known = false
    for _, one in ipairs(all) do known = known or one == name end
    if not known then
      return nil, ("there is no workload '%s'%s"):format(name,
                                                  suggest.hint(name, all))
    end
  end
  if #plain == 0 then
    names = next(filter) and suite.names(filter, load) or all
  end
  local list = {}
  for i, name in ipairs(names) do list[i] = load(name) end
  return list
end

------------------------------------------------------------------------------
-- Progress: which one of how many, and the time that is left.

local Progress = {}
Progress.__index = Progress

local function progress(count, quiet)
  return setmetatable({ count = count, start = core.wall(), quiet = quiet,
                        terminal = core.terminal(2), last = core.wall() },
                      Progress)
end

function Progress:show(done, name)
  if self.quiet then return end
  local now = core.wall()
  if not self.terminal and now - self.last < 10 then return end
  self.last = now
  local left = done > 0 and (now - self.start) / done * (self.count - done)
  local line = ("%d of %d: %s%s"):format(done + 1, self.count, name,
    left and (", about %.0f s left"):format(left) or "")
  io.stderr:write(self.terminal and "\r" or "", line,
                  self.terminal and "\27[K" or "\n")
end

function Progress:clear()
  if self.terminal and not self.quiet then io.stderr:write("\r\27[K") end
end

------------------------------------------------------------------------------
-- Running one

-- A run of a benchmark in a session of its own: status, run or the report.
local function run_one(name, size, options, settings)
  local script = import "script"
  local machine = settings.machine or
                  ("loom.preset.%s {}"):format(settings.preset or "tiny")
  local body = ([[
local loom = require "warploom"
return loom.run { machine = %s,
                  workload = loom.suite.%s { size = %q, verify = %s } }
]]):format(machine, name, size, settings.verify == false and "false" or "true")
  local status = script.execute("suite " .. name, body, {
    mode = "run", seed = options.seed, threads = options.threads,
    quiet = true, functional = settings.functional,
    locality = settings.locality })
  script.report()
  local run = session.runs[1]
  return status, run
end

-- "rows 4096, columns 256"
local function sizes_text(workload, size)
  local values, out = suite.size(workload, size) or {}, {}
  for _, row in ipairs(workload.params) do
    local value = values[row.name]
    if value == nil then value = row.default end
    if row.name ~= "seed" and row.name ~= "block" then
      out[#out + 1] = ("%s %s"):format(row.name, tostring(value))
    end
  end
  return table.concat(out, ", ")
end
M.sizes_text = sizes_text

------------------------------------------------------------------------------
-- list

local function classes_text(workload)
  local out = {}
  for _, paper in ipairs(suite.papers) do
    local class = workload.classes and workload.classes[paper.name]
    if class then out[#out + 1] = ("%s: %s"):format(paper.title, class) end
  end
  return table.concat(out, "; ")
end
M.classes_text = classes_text

local function list(options, chosen)
  if options.markdown then
    io.stdout:write(table.concat(import "suite_page".lines(chosen), "\n"),
                    "\n")
    return 0
  end
  local rows = { { "name", "suite", "sizes", "classes", "what it computes" } }
  for _, workload in ipairs(chosen) do
    rows[#rows + 1] = { workload.name, workload.suite or "-",
      table.concat(suite.size_names(workload), " "), classes_text(workload),
      workload.doc }
  end
  for _, line in ipairs(text.wrapped(rows, "", 140)) do print(line) end
  return 0
end

------------------------------------------------------------------------------
-- verify

local function verify(options, chosen)
  local size = options.size or "tiny"
  local bar = progress(#chosen, options.quiet)
  local rows = { { "name", "result", "warp insts", "cycles", "s",
                   "verified" } }
  local failed, total, worst = 0, 0, 0
  for i, workload in ipairs(chosen) do
    if not suite.size(workload, size) then
      rows[#rows + 1] = { workload.name, "-", "", "", "",
                          "has no size " .. size }
    else
      bar:show(i - 1, workload.name)
      local begun = core.wall()
      local status, run = run_one(workload.name, size, options, {
        functional = not options.timed, preset = options.timed and "gtx480" })
      local good = status == 0 and run and #run.verdicts > 0
      if not good then failed = failed + 1 end
      local insts = run and run.warp_insts or 0
      total, worst = total + insts, math.max(worst, insts)
      rows[#rows + 1] = { workload.name, good and "ok" or "FAILED",
        text.thousands(insts), options.timed and run and
        text.thousands(run.cycles) or "-",
        ("%.2f"):format(core.wall() - begun),
        run and table.concat(run.verdicts, "; ") or "did not run" }
      collectgarbage()
    end
  end
  bar:clear()
  for _, line in ipairs(text.columns(rows, { false, false, true, true,
                                             true })) do
    print(line)
  end
  print(("%d workloads, %d failed; %s: %s warp instructions, largest %s; " ..
         "%.1f s"):format(#rows - 1, failed, size, text.thousands(total),
                          text.thousands(worst), core.wall() - bar.start))
  return failed == 0 and 0 or 3
end

------------------------------------------------------------------------------

local commands = { list = list, verify = verify }

function commands.measure(options, chosen)
  if options.replacement then
    return import "suite_replacement".run(options, chosen, run_one,
                                          progress(#chosen, options.quiet))
  end
  return import "suite_measure".run(options, chosen, run_one,
                                    progress(#chosen, options.quiet))
end

-- The status; or nil and what is wrong with the call.
function M.main(options, plain)
  local verbs = { "list", "measure", "verify" }
  local verb = plain[1]
  if not verb then
    return nil, "suite needs list, verify or measure"
  elseif not commands[verb] then
    return nil, ("suite: there is no '%s'%s"):format(verb,
                                              suggest.hint(verb, verbs))
  end
  local sizes = table.concat(suite.sizes, ", ")
  local known = options.size == nil
  for _, size in ipairs(suite.sizes) do
    known = known or size == options.size
  end
  if not known then
    return nil, ("--size is '%s', expected one of %s"):format(options.size,
                                                             sizes)
  end
  local chosen, why = select_names(options,
                                   table.move(plain, 2, #plain, 1, {}))
  if not chosen then return nil, why end
  return commands[verb](options, chosen)
end

return M
