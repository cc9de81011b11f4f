-- Launches as scripts see them.  Each case either passes or ends with the
-- message that tests.cmake expects.
local loom = require "warploom"

local case = loom.option { name = "case", default = "meet",
  choices = { "meet", "wait", "crowd", "pool", "memory", "race", "checked",
              "unwritten" },
  doc = "What is tried" }
local sms = 2

local function same(what, got, want)
  if got ~= want then
    error(("%s: got %s, expected %s"):format(what, got, want), 0)
  end
end

local function go(workload, options)
  local spec = { machine = loom.preset.gtx480 { sm_count = sms },
                 workload = workload }
  for key, value in pairs(options or {}) do spec[key] = value end
  return loom.run(spec)
end

local function meet(ctas, fields)
  return function(dev)
    dev:module "kernels.ptx"
    local counter = dev:alloc({ type = "u32", count = 1 }, "counter")
    local out = dev:alloc({ type = "u32", count = ctas }, "out")
    local launch = { grid = ctas, block = 64, args = { counter, out } }
    for key, value in pairs(fields) do launch[key] = value end
    dev:launch("meet", launch)
    local seen = out:download()
    for i = 0, ctas - 1 do dev:check(seen[i] == 2 * ctas, "not all met") end
    dev:verified "all CTAs met twice"
  end
end

-- A CTA that is the whole program; and several.
local function walk(ctas, n)
  return function(dev)
    dev:module "kernels.ptx"
    local from = dev:upload(dev:array("u32", 4096):random(1, 0, 100), "from")
    local to = dev:alloc({ type = "u32", count = 64 }, "to")
    dev:launch("walk", { grid = ctas, block = 64, args = { from, to, n } })
  end
end

local function race(dev)
  dev:module "kernels.ptx"
  local to = dev:alloc({ type = "u32", count = 64 }, "to")
  dev:launch("race", { grid = 1, block = 64, args = { to } })
end

local cases = {}

function cases.meet()
  local run = go(meet(16, { cooperative = true }))
  same("marked", run.kernels[1].interleave, 256)
  local other = go(meet(16, { interleave = 64 }))
  same("marked", other.kernels[1].interleave, 64)
  same("repeats", go(meet(16, { interleave = 64 })).digest, other.digest)
end

function cases.wait()
  same("marked", go(meet(16, {})).kernels[1].interleave, 256)
end

-- Two SMs hold 8 CTAs each.
function cases.crowd() go(meet(17, { cooperative = true })) end

function cases.pool()
  for _, ctas in ipairs { 1, 6 } do
    local n = ctas == 1 and 20000 or 2000
    local want = go(walk(ctas, n))
    local got = go(walk(ctas, n), { stream_pool = "256KiB" })
    same("state", got.digest, want.digest)
    same("cycles", got.cycles, want.cycles)
  end
end

-- The most memory that this process ever had, in KiB; 0 where nobody says.
local function peak()
  local file = io.open("/proc/self/status", "r")
  local text = file and file:read("a") or ""
  if file then file:close() end
  return tonumber(text:match("VmHWM:%s*(%d+)") or 0)
end

-- A stream of 262 MiB (a load of 32 addresses is 34 words, the rest of a
-- round 9) needs little more memory than the pool's 16 MiB; the limit leaves
-- room for what sanitizers keep.
function cases.memory()
  local before = peak()
  local run = go(walk(1, 800000), { stream_pool = "16MiB" })
  local taken = (peak() - before) // 1024
  same("instructions", run.warp_insts, 2 * (7 + 10 * 800000 + 4))
  if taken > 144 then error(("%d MiB were taken"):format(taken), 0) end
  print(("%d MiB were taken"):format(taken))
end

function cases.race() go(race, { check = "races" }) end

function cases.checked()
  local run = go(meet(8, { cooperative = true }), { check = "races" })
  same("state", go(meet(8, { cooperative = true })).digest, run.digest)
  go(race)
end

function cases.unwritten()
  go(function(dev)
    dev:module "kernels.ptx"
    local from = dev:alloc({ type = "u32", count = 4096 }, "from")
    local to = dev:alloc({ type = "u32", count = 64 }, "to")
    dev:launch("walk", { grid = 1, block = 64, args = { from, to, 1 } })
  end, { check = { "races", "uninitialised" } })
end

cases[case]()
print(case .. " is as it should be")
