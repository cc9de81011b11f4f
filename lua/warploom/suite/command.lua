-- `warploom suite list|verify|measure`: the benchmarks, all or some.

local import = ...
local core = import "core"
local session = import "script/session"
local suite = import "suite/suite"
local suggest = import "base/suggest"
local text = import "base/text"
local records = import "base/records"
local interrupt = import "script/interrupt"

local M = {}

-- The declarations, loaded in a session of their own.
local function load_all()
  local preset = import "machine/preset"
  session.reset { script = "suite" }
  local env
  local loom = import "init".new(function() return env end)
  env = import "script/sandbox".environment(loom)
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
-- Progress: which one of how many, since when, and the time that is left.  On
-- a terminal in one line, elsewhere a line every ten seconds.

local Progress = {}
Progress.__index = Progress

local function progress(count, quiet)
  local now = core.wall()
  return setmetatable({ count = count, start = now, quiet = quiet, last = now,
                        terminal = core.terminal(2) }, Progress)
end

function Progress:write(launches)
  local now = core.wall()
  local left = self.done > 0 and
               (self.begun - self.start) / self.done *
               (self.count - self.done)
  local line = ("%d of %d: %s, %.0f s%s%s"):format(self.done + 1, self.count,
    self.name, now - self.begun,
    launches and (", %d launches"):format(launches) or "",
    left and ("; about %.0f s left"):format(left) or "")
  self.last = now
  io.stderr:write(self.terminal and "\r" or "", line,
                  self.terminal and "\27[K" or "\n")
end

-- One begins, after `done` others.
function Progress:show(done, name)
  self.done, self.name, self.begun = done, name, core.wall()
  if self.quiet then return end
  if self.terminal or self.begun - self.last >= 10 then self:write() end
end

-- It has launched so many kernels.
function Progress:tick(launches)
  if not self.quiet and core.wall() - self.last >= (self.terminal and 0.5 or
                                                    10) then
    self:write(launches)
  end
end

function Progress:clear()
  if self.terminal and not self.quiet then io.stderr:write("\r\27[K") end
end

------------------------------------------------------------------------------
-- Running one

-- A run of a benchmark in a session of its own: status, run or the report.
local function run_one(name, size, options, settings)
  local script = import "script/script"
  local machine = settings.machine or
                  ("loom.preset.%s {}"):format(settings.preset or "tiny")
  local fields = { ("size = %q, verify = %s"):format(size,
                     settings.verify == false and "false" or "true") }
  for key, value in pairs(options.set or {}) do -- numbers and so on as such
    local plain = tonumber(value) or value == "true" or value == "false"
    fields[#fields + 1] = ("[%q] = %s"):format(key, plain and value or
                                              ("%q"):format(value))
  end
  local body = ([[
local loom = require "warploom"
return loom.run { machine = %s,
                  workload = loom.suite.%s { %s } }
]]):format(machine, name, table.concat(fields, ", "))
  local status = script.execute("suite " .. name, body, {
    mode = "run", seed = options.seed, threads = options.threads,
    interleave = options.interleave,
    budget = options.budget,
    races = options.races,
    quiet = true, functional = settings.functional,
    locality = settings.locality, tick = settings.tick })
  script.report()
  local run = session.runs[1]
  return status, run
end

-- "rows 4096, columns 256"
-- With `names` these go there, and the text has the values alone.
local function sizes_text(workload, size, names)
  local values, out = suite.size(workload, size) or {}, {}
  for _, row in ipairs(workload.params) do
    local value = values[row.name]
    if value == nil then value = row.default end
    if row.name ~= "seed" and row.name ~= "block" then
      out[#out + 1] = names and tostring(value) or
                      ("%s %s"):format(row.name, tostring(value))
      if names then names[#out] = row.name end
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
    io.stdout:write(table.concat(import "suite/page".lines(chosen), "\n"),
                    "\n")
    return 0
  end
  if options.json then
    local rows = {}
    for i, w in ipairs(chosen) do
      rows[i] = { w.name, w.suite, suite.size_names(w), w.classes or {},
                  w.doc }
    end
    io.stdout:write(records.text({ "name", "suite", "sizes", "classes",
                                   "doc" }, rows, true))
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

-- Rows are printed as they come, so columns have widths of their own.
local function verify_row(widest, row)
  local cells = { row[1], row[2], text.thousands(row[3]),
                  row[4] and text.thousands(row[4]) or "-",
                  ("%.1f"):format(row[5]), row[6] }
  print((("%-" .. widest .. "s  %-7s  %15s  %12s  %7s  %s"):format(
    table.unpack(cells)):gsub("%s+$", "")))
  io.stdout:flush()
end

-- One at a size: its row, warp instructions, and whether it was right.
local function verify_one(workload, size, options, bar)
  local begun = core.wall()
  local status, run = run_one(workload.name, size, options, {
    functional = not options.timed, preset = options.timed and "gtx480",
    tick = function(launches) bar:tick(launches) end })
  local good = status == 0 and run and #run.verdicts > 0
  local insts = run and run.warp_insts or 0
  local what = run and table.concat(run.verdicts, "; ") or "did not run"
  if run and not good and run.status ~= "complete" then what = run.reason end
  return { workload.name, good and "ok" or "FAILED", insts,
           options.timed and run and run.cycles or nil,
           core.wall() - begun, what }, insts, good
end

local function names_of(names)
  return ("%d (%s)"):format(#names, table.concat(names, " "))
end

local function verify(options, chosen)
  local size = options.size or "tiny"
  local bar = progress(#chosen, options.quiet)
  local failed, without, total, worst, widest = {}, {}, 0, 0, 4
  for _, workload in ipairs(chosen) do
    widest = math.max(widest, #workload.name)
  end
  local records_of = {}
  if not options.json then
    print((("%-" .. widest .. "s  %-7s  %15s  %12s  %7s  %s"):format("name",
      "result", "warp insts", "cycles", "s", "verified")))
  end
  for i, workload in ipairs(chosen) do
    if not suite.size(workload, size) then
      without[#without + 1] = workload.name
    else
      bar:show(i - 1, workload.name)
      local row, insts, good = verify_one(workload, size, options, bar)
      if not good and interrupt.status() then
        bar:clear()
        print(("%s in %s: %d workloads are verified, %d failed"):format(
              interrupt.text(), workload.name, i - 1 - #without, #failed))
        return interrupt.status()
      end
      if not good then failed[#failed + 1] = workload.name end
      total, worst = total + insts, math.max(worst, insts)
      bar:clear()
      if options.json then
        records_of[#records_of + 1] = row
      else
        verify_row(widest, row)
      end
      collectgarbage()
    end
  end
  if options.json then
    io.stdout:write(records.text({ "name", "result", "warp_insts", "cycles",
                                   "host_seconds", "verified" }, records_of,
                                 true))
    return #failed == 0 and 0 or 3
  end
  if #without > 0 then
    print(("NOT RUN, has no size %s: %s"):format(size, names_of(without)))
  end
  if #failed > 0 then print("FAILED: " .. names_of(failed)) end
  print(("%d workloads, %d failed; %s: %s warp instructions, largest %s; " ..
         "%.1f s"):format(#chosen - #without, #failed, size,
                          text.thousands(total), text.thousands(worst),
                          core.wall() - bar.start))
  return #failed == 0 and 0 or 3
end

------------------------------------------------------------------------------

local commands = { list = list, verify = verify }

function commands.measure(options, chosen)
  if options.replacement then
    return import "suite/replacement".run(options, chosen, run_one,
                                          progress(#chosen, options.quiet))
  end
  return import "suite/measure".run(options, chosen, run_one,
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
