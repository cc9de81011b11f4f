-- Why a case is as far from a card as it is: the case and one beside it, as
-- they are and with one thing changed at a time.
--   export WARPLOOM_PATH=tests/silicon
--   warploom --unsafe run -q tests/silicon/worst.lua --set card=h200
-- Prints here/card of both.  A change that moves the case to the card and
-- leaves the other one about where it is explains the case; one that does
-- not is refuted.  Of what is chance on a card, where memory is and when
-- refreshes come, the least, the median and the most are printed: of such a
-- thing the card's time is one.
local loom = require "warploom"
local cards = require "cards"
local cases = require "cases"
local unroll = require "unroll"
local limit = cards.limit

-- name = { what it is, machine's change or nil, what is done before or nil,
--          first = ns that the first launch of each kernel takes more }
local changes = {}

local function l2(params)
  return function(g) g:each "l2[*]":set(params) end
end

local function sm(params)
  return function(g) g:each "sm[*]":set(params) end
end

changes.cold = { "no copy is in the L2", l2 { preload = false } }
changes.warm = { "all copies are in the L2", l2 { preload_most = "4GiB" } }

-- A share of each copy that is larger than what stays anyhow, in KiB.  Three
-- quarters are what an H100 keeps of a copy that comes to a full L2 (decision
-- 0080).
local function part(share, only, least)
  return function(g)
    local traced = cards.traced[cards.card]
    least = least or traced and 64 or 4
    cases.stays = { share = share, grain = 4096, only = only,
                    least = least << 10 }
    if not traced then
      g:each "l2[*]":set { preload_most = ("%dKiB"):format(least) }
    end
  end
end

changes.part = { "3 of 4 blocks of 4 KiB of each copy are in the L2",
                 part(0.75) }
changes["part of large"] = { "the same of copies of more than 1 MiB",
                             part(0.75, nil, 1024) }
changes["first copy"] = { "array 'a', no other larger one, is in the L2",
                          part(1, "a") }
changes["second copy"] = { "array 'b', no other larger one, is in the L2",
                           part(1, "b") }
changes.full = { "the L2 is full of another copy before", nil, function(dev)
  dev:alloc(64 << 20):upload(("x"):rep(64 << 20))
end }
changes.rate = { "an SM reads 40 bytes a cycle, its share of a cluster's 640",
                 function(g) g.noc.flit_bytes = 48 end }
changes.near = { "all of the L2 is near",
                 function(g) g.noc:set { routing = loom.direct_route {} } end }

changes.begin = { "kernels with arguments begin as others do",
                  function(g) g.argument_cycles = 0 end }
-- bfs' 24 totals on an H100 PCIe, of 6 to 20 launches, are 2.22 us a launch and
-- 1.78 us besides (least squares): 0.89 us for each of its two kernels.
changes.first = { "a kernel's first launch waits for code and arguments, " ..
                  "later ones find them", function(g)
  g.argument_cycles = 0
end, first = 200 + 890 }
changes["near, first"] = { "both", function(g)
  changes.near[2](g)
  changes.first[2](g)
end, first = changes.first.first }
changes.pass = { "branches not taken, and where lanes meet, take nothing",
                 sm { pass_cycles = 0, meet_cycles = 0 } }
changes.once = { "what one SM has asked the far L2 for is near at once",
                 function(g)
  g.noc:set { routing = loom.partition_route { fetch_cycles = 1 } }
end }
changes["unrolled, rate"] = { "both", function(g)
  changes.unrolled[2](g)
  changes.rate[2](g)
end }
changes.special = { "twice special_latency, of a shared variable's address",
                    sm { special_latency = 88 } }
changes.branch = { "twice branch_cycles", sm { branch_cycles = 20 } }
changes.code = { "code that is not there comes at half the rate",
                 sm { l0i_fill_cycles = 36 } }
changes.unrolled = { "loops that count are unrolled by four", function()
  cases.change_text = unroll.text
end }
changes.order = { "PTX in its own order",
                  function(g) g.scheduled = false end }
changes.refresh = { "no refresh", function(g)
  g:each "dram[*]":set { trefi = 0 }
end }

-- Chance: the same thing several times.
local function farther(dev, i) dev:alloc(4096 * i) end

changes.place = { "all data 4 KiB to 32 KiB farther on", nil, farther,
                  times = 8 }
changes.gap = { "arrays 4 KiB to 32 KiB farther apart",
                function(_, _, i) cases.gap = 4096 * i end, times = 8 }
changes.side = { "1, 2, 4, 8 SMs in turn at a side of the L2", function(g, _, i)
  g.noc:set { routing = loom.partition_route { fetch_cycles = 199,
                                               group = 1 << i - 1 } }
end, times = 4 }
changes.phase = { "another kernel, which is not counted, before", nil,
                  cases.wait, times = 7, skip = 1 }

-- { card, case, beside, changes ... }
local list = {
  { "h100_pcie", "vectoradd size=32768", "emptykernel block=1024;thread=288",
    "full", "cold", "part" },
  { "h100_pcie", "vectoradd size=2097152", "vectoradd size=131072", "full",
    "part of large" },
  { "h100_pcie", "transpose dimX=1536;dimY=1536;kernel=copy",
    "transpose dimX=1024;dimY=1024;kernel=copy", "full", "part of large" },
  { "h100_pcie", "scalarprod elementN=4096;vectorN=512",
    "scalarprod elementN=2048;vectorN=32", "full", "part of large" },
  { "h100_pcie", "scalarprod elementN=4096;vectorN=64",
    "scalarprod elementN=2048;vectorN=32", "cold", "part", "full", "code",
    "pass", "unrolled", "rate", "unrolled, rate" },
  { "h100_pcie", "scan-short arrayLength=512;size=4096",
    "scan-short arrayLength=512;size=8192", "part", "cold", "pass", "near" },
  { "h100_pcie", "nn block=64;launches=4;size=15000",
    "ffmakernel block=3;iters=10;thread=64", "cold", "place" },
  { "h100_pcie", "lud size=8", "lud size=32", "place", "pass", "special",
    "branch", "order" },
  { "h100_pcie", "bfs degree=4;size=256", "bfs degree=5;size=8", "place",
    "near", "cold" },
  { "h100_pcie", "bfs degree=5;size=8", "bfs degree=4;size=8", "place",
    "near", "first" },
  { "h100_pcie", "pathfinder block=128;size=64", "pathfinder block=128;size=8",
    "place", "near", "begin", "first", "near, first" },
  { "h100_pcie", "bicg blockDimX=32;size=32", "bicg blockDimX=32;size=48",
    "place", "cold" },
  { "h100_pcie", "atax blockDimX=32;size=96", "atax blockDimX=8;size=96",
    "place", "side", "full" },
  { "h100_pcie", "2mm blockDimX=32;size=32", "2mm blockDimX=32;size=96",
    "place", "side" },
  { "h100_pcie", "gemm blockDimX=32;size=128", "gemm blockDimX=32;size=96",
    "once", "unrolled" },
  { "h100_pcie", "gemm blockDimX=8;size=64", "gemm blockDimX=8;size=96",
    "place", "unrolled" },
  { "h100_pcie", "2dconv blockDimX=16;size=48", "2dconv blockDimX=32;size=32",
    "place", "gap", "near" },
  { "h100_pcie", "2dconv blockDimX=32;size=96", "2dconv blockDimX=8;size=96",
    "near" },
  { "h100_pcie", "gesummv blockDimX=8;size=32",
    "gesummv blockDimX=16;size=96", "place", "side" },
  { "h100_sxm", "gemm blockDimX=16;size=32", "gemm blockDimX=16;size=64",
    "place", "near" },
  { "h100_sxm", "bicg blockDimX=32;size=32", "bicg blockDimX=32;size=48",
    "place", "near" },
  { "h100_sxm", "3dconv blockDimX=32;size=32", "2dconv blockDimX=32;size=64",
    "warm", "part", "refresh", "near" },
  { "h100_sxm", "backprop size=1024", "backprop size=4096", "warm", "part",
    "phase", "place" },
  { "h100_sxm", "2dconv blockDimX=32;size=256", "2dconv blockDimX=32;size=64",
    "phase", "warm" },
  { "h100_sxm", "nn block=64;size=60000", "nn block=64;size=10000", "phase",
    "part", "warm" },
  { "h100_sxm", "vectoradd size=1048576", "vectoradd size=262144", "phase",
    "warm", "refresh" },
  { "h100_sxm", "vectoradd size=2097152", "vectoradd size=262144", "phase",
    "full", "part of large" },
  { "h100_sxm", "transpose dimX=1536;dimY=1536;kernel=naive",
    "transpose dimX=1024;dimY=1024;kernel=naive", "phase", "full",
    "part of large" },
  { "h100_sxm", "scalarprod elementN=4096;vectorN=512",
    "scalarprod elementN=2048;vectorN=512", "unrolled", "full", "rate" },
  { "h100_sxm", "scalarprod elementN=4096;vectorN=64",
    "scalarprod elementN=2048;vectorN=64", "phase", "pass", "unrolled",
    "code", "order" },
  { "h100_sxm", "scan-short arrayLength=512;size=4096",
    "scan-short arrayLength=512;size=16384", "place", "side", "near",
    "special" },
  { "h100_sxm", "gesummv blockDimX=16;size=192",
    "gesummv blockDimX=16;size=128", "part", "first copy", "second copy",
    "phase" },
  { "h100_sxm", "atax blockDimX=32;size=192", "atax blockDimX=32;size=128",
    "place", "side" },
  { "h100_sxm", "2mm blockDimX=32;size=128", "2mm blockDimX=32;size=64",
    "once", "unrolled" },
  { "h100_sxm", "2mm blockDimX=16;size=32", "2mm blockDimX=16;size=64",
    "place", "side" },
  { "h200", "gesummv blockDimX=8;size=192", "gesummv blockDimX=8;size=128",
    "warm", "part", "first copy", "second copy", "phase" },
  { "h200", "bicg blockDimX=16;size=192", "bicg blockDimX=16;size=128", "warm",
    "part", "phase" },
  { "h200", "3dconv blockDimX=32;size=32", "2dconv blockDimX=32;size=64",
    "warm", "part", "refresh", "near" },
  { "h200", "atax blockDimX=32;size=256", "atax blockDimX=32;size=128", "warm",
    "part", "phase", "side" },
  { "h200", "nn block=64;size=15000", "nn block=64;size=60000", "phase",
    "warm" },
  { "h200", "vectoradd size=32768", "vectoradd size=131072", "phase", "warm" },
  { "h200", "2dconv blockDimX=32;size=192", "2dconv blockDimX=32;size=64",
    "phase", "warm" },
  { "h200", "scalarprod elementN=4096;vectorN=64",
    "scalarprod elementN=2048;vectorN=64", "phase", "pass", "unrolled" },
  { "h200", "scalarprod elementN=2048;vectorN=32",
    "scalarprod elementN=2048;vectorN=64", "phase", "part" },
  { "h200", "scan-short arrayLength=512;size=4096",
    "scan-short arrayLength=512;size=16384", "place", "side", "near" },
  { "h200", "backprop size=4096", "backprop size=1024", "phase", "warm" },
  { "h200", "gemm blockDimX=32;size=48", "gemm blockDimX=32;size=64",
    "place", "side" },
  { "h200", "2mm blockDimX=8;size=48", "2mm blockDimX=8;size=64", "place" },
}

local times

local function find(name)
  local pattern = "^" .. name:gsub("%p", "%%%0") .. "$"
  local case = cases.list(loom, pattern, times)[1]
  assert(case, "the card has no such case: " .. name)
  local want = 0
  for _, ns in ipairs(times[case.name .. "_" .. case.text]) do
    want = want + ns
  end
  return { case = case, want = want }
end

-- here/card of a case, with what is done before, for the i-th time.
local function once(one, change, i)
  local g = cards.machine()
  cases.stays = { share = 0, least = math.huge, grain = 4096 }
  cases.change_text, cases.gap = nil, 0
  if change[2] then change[2](g, one.case, i) end
  local before = change[3] and function(dev) change[3](dev, i) end
  local run = loom.run { machine = g, memory = "64GiB",
                         workload = cases.workload(loom, one.case, before) }
  local here, seen = 0, {}
  for k = 1 + (change.skip or 0), #run.kernels do
    local kernel = run.kernels[k]
    here = here + kernel.seconds * 1e9 +
           (not seen[kernel.name] and change.first or 0)
    seen[kernel.name] = true
  end
  return here / one.want
end

local function several(one, change)
  local ratios = {}
  for i = 1, change.times or 1 do ratios[i] = once(one, change, i) end
  table.sort(ratios)
  return ratios
end

local function text(ratios)
  if #ratios == 1 then return ("%.3f"):format(ratios[1]) end
  return ("%.3f, %.3f, %.3f"):format(ratios[1], ratios[(#ratios + 1) // 2],
                                     ratios[#ratios])
end

-- How far 1 is from what came.
local function off(ratios)
  if ratios[1] <= 1 and ratios[#ratios] >= 1 then return 0 end
  return math.min(math.abs(math.log(ratios[1])),
                  math.abs(math.log(ratios[#ratios])))
end

-- The case goes to within 4 % or a third of where it was; the one beside goes
-- no farther off, or does not go more than 4 %.
local function verdict(case, beside, was, was_beside)
  local function middle(ratios) return ratios[(#ratios + 1) // 2] end
  local moved = math.abs(math.log(middle(beside) / middle(was_beside)))
  local left, gone = off(case), off(beside) - off(was_beside)
  if gone > 0 and math.max(moved, gone) > 0.04 then
    return "refuted: the other one goes off"
  end
  if left <= math.max(0.04, off(was) / 3) then return "explains" end
  return left < off(was) * 2 / 3 and "in part" or "refuted"
end

local format = "%-18s %-23s %-23s %s"
local count, far = 0, 0
for _, row in ipairs(list) do
  if row[1] == cards.card and row[2]:find(cards.only) then
    times = times or cards.durations "cases"
    local case, beside = find(row[2]), find(row[3])
    local was, was_beside = several(case, {}), several(beside, {})
    print(("\n%s; beside it %s"):format(row[2], row[3]))
    print(format:format("as it is", text(was), text(was_beside), ""))
    local found = false
    for i = 4, #row do
      local change = assert(changes[row[i]], row[i])
      local a, b = several(case, change), several(beside, change)
      local say = verdict(a, b, was, was_beside)
      found = found or say == "explains"
      print(format:format(row[i], text(a), text(b), say))
      io.flush()
    end
    count = count + 1
    if not found then far = far + 1 end
  end
end
assert(count > 0, "no such case in the list")
print(("\n%d of %d are not explained by one change"):format(far, count))
if limit > 0 and far / count > limit then error "too few are explained" end
