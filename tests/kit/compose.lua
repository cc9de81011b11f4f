-- Every two policies of this build on one machine: those that go together run
-- five benchmarks without a broken law, and those that do not are refused with
-- a message that names both.
--
-- The streams are recorded before (compose_five.lua), so a pair takes
-- milliseconds.  Arguments: the recording; "full" for all pairs, not every other
-- one, and for a GTX 480 with 2 SMs as well as the tiny machine.

local H = require "harness"
local types = H.import "machine/types"
local session = H.import "script/session"

local recording = assert(arg[1], "usage: compose.lua RECORDING [full]")
-- An L1 of 32 sets, for which every set index exists.
local machines = { 'loom.preset.tiny { sm_count = 1, sm = { l1d = { ' ..
                   'size_bytes = "16KiB", ways = 4 } } }' }
if arg[2] == "full" then
  machines[2] = "loom.preset.gtx480 { sm_count = 2 }"
end

-- Where a hook is asked: the part and its slot ("" if attach finds it).
local network = { tiny = "xbar", gtx480 = "noc" }
local dram = { tiny = "dram", gtx480 = "dram[*]" }
local cache_hooks = { admit = true, allocation = true, candidates = true,
  replacement = true, set_index = true, power = true, cache_observe = true,
  cache_mark = true }

-- Policies that need something that their hooks do not say: parameters, or a
-- machine.  Each entry says why.
local needs = {
  -- Writes a file.
  command_log = '{ file = "/dev/null" }',
}

local function has(type, test)
  for _, f in ipairs(type.facets) do
    if test(f.hook) then return true end
  end
  return false
end

-- Lua that puts a policy on machine `m`.
local function place(type, machine)
  local hook = type.facets[1].hook
  local made = ("loom.%s %s"):format(type.name, needs[type.name] or "{}")
  local preset = machine:match("preset%.(%w+)")
  local net = "m." .. network[preset]
  if hook == "dispatch" then
    return "m:attach(" .. made .. ")\n"
  elseif hook == "routing" then
    return net .. ":attach(" .. made .. ', "routing")\n'
  elseif hook == "arbiter" then
    return net .. ":attach(" .. made .. ', "request_arbiter")\n'
  elseif hook == "schedule" or hook == "page" or hook == "commands" then
    return ('m:each "%s":attach('):format(dram[preset]) .. made .. ")\n"
  elseif hook == "map" then
    return net .. ":attach(" .. made .. ', "map")\n'
  elseif hook == "transform" then
    return nil -- rewrites kernels; these are recorded streams
  elseif has(type, function(h) return cache_hooks[h] end) then
    return 'm:each "sm[*].l1d":attach(' .. made .. ")\n"
  end
  return 'm:each "sm[*]":attach(' .. made .. ")\n"
end

-- The slot that both want and that takes one policy, or nil.
local function contested(a, b)
  for _, f in ipairs(a.facets) do
    for _, g in ipairs(b.facets) do
      if f.hook == g.hook and not f.chain then return f.hook end
    end
  end
end

local function script(machine, ...)
  local parts = {}
  for _, type in ipairs { ... } do parts[#parts + 1] = place(type, machine) end
  return ([[
local loom = require "warploom"
local m = %s
%s
loom.run { machine = m, workload = loom.replay %q }
]]):format(machine, table.concat(parts), recording)
end

-- Runs it; returns nil if all is well, or "refused" or "failed" and why.
local function try(machine, ...)
  local lines, _, status = H.run(script(machine, ...), { mode = "run" })
  local run = H.runs()[1]
  collectgarbage("step", 2000)
  if #lines > 0 then return "refused", table.concat(lines, "\n") end
  if status == 0 and run and run.status == "complete" and
     run.warp_insts > 5000 then
    return nil
  end
  local why = run and run.reason or "status " .. status
  for _, v in ipairs(run and run.violations or {}) do
    why = why .. "\n" .. v.path .. ": " .. v.text
  end
  return "failed", why
end

local failures, counts = {}, { run = 0, refused = 0, alone = 0 }

local function fail(fmt, ...)
  failures[#failures + 1] = fmt:format(...)
end

local list = {}
for _, type in ipairs(types.policy_list) do
  if place(type, machines[1]) then list[#list + 1] = type end
end

-- One alone must run; or it cannot be part of a pair, and says why.
local alone = {}
for _, machine in ipairs(machines) do
  alone[machine] = {}
  for _, type in ipairs(list) do
    local verdict, why = try(machine, type)
    alone[machine][type.name] = verdict == nil
    counts.alone = counts.alone + (verdict and 1 or 0)
    if verdict == "failed" then
      fail("%s alone: %s", type.name, why)
    elseif verdict then
      print(("not on this machine: %s: %s"):format(type.name, why))
    end
  end
end

local function check_pair(machine, a, b)
  local slot = contested(a, b)
  local verdict, why = try(machine, a, b)
  if slot then
    counts.refused = counts.refused + 1
    if verdict ~= "refused" or not why:find(a.name, 1, true) or
       not why:find(b.name, 1, true) then
      fail("%s and %s both want the slot of '%s': %s %s", a.name, b.name, slot,
           tostring(verdict), tostring(why))
    end
  elseif verdict == "failed" then
    fail("%s and %s: %s", a.name, b.name, why)
  elseif verdict == "refused" then
    -- A policy may refuse another one; then it says which.
    counts.refused = counts.refused + 1
    if not (why:find(a.name, 1, true) or why:find(b.name, 1, true)) then
      fail("%s and %s are refused without a name: %s", a.name, b.name, why)
    end
    print(("refused: %s with %s: %s"):format(a.name, b.name, why))
  else
    counts.run = counts.run + 1
  end
end

for _, machine in ipairs(machines) do
  local step = arg[2] == "full" and 1 or 2
  for i, a in ipairs(list) do
    for k = i + 1, #list, step do
      local b = list[k]
      if alone[machine][a.name] and alone[machine][b.name] then
        check_pair(machine, a, b)
      end
    end
  end
end

for _, line in ipairs(failures) do print("FAIL " .. line) end
print(("%d policies: %d pairs ran, %d refused, %d policies not on the machine")
      :format(#list, counts.run, counts.refused, counts.alone))
session.reset { script = "tests" }
assert(counts.run > 100 and counts.refused > 10, "too few pairs")
assert(counts.alone <= 5 * #machines, "too many policies are left out")
if #failures > 0 then error(#failures .. " failures", 0) end
