-- Networks against closed forms and against BookSim 2 (reference/noc_*.csv).
--
--   warploom run -q tests/validate/network.lua --set only=zero
--       [--set full=true] [--set csv=FILE.csv] [--set network=NUMBER]
--
-- zero       latency of a packet alone, any pair of sites: the formula, exactly
-- booksim    the same in BookSim's cases
-- load       latency below 70 % of saturation within 10 % of BookSim's, and
--            saturation within 5 %: loom.network, and loom.crossbar where
--            BookSim has one switch with one virtual channel
-- near       latency between 70 and 95 % of saturation within 5 %, meshes of
--            routers with several channels within 10 %, and twice the standard
--            error: means of several seeds, theirs and ours
-- closed     permutations and hot spots with one virtual channel: L / (L + 1);
--            latency of a hot spot below saturation by queueing theory
-- delivery   every packet once, in order where there is one way, no deadlock,
--            under full load (a million cycles with full=true; by network:
--            delivery.sh)
--
-- A point of BookSim's that is missed fails the script.
local loom = require "warploom"
local rig = require "network_rig"

local only = loom.option { name = "only", default = "zero", doc = "What",
  choices = { "zero", "booksim", "load", "near", "closed",
              "delivery" } }
local full = loom.option { name = "full", default = false,
                           doc = "All of it, and longer" }
local csv = loom.option { name = "csv", default = "",
                          doc = "File that gets the measurements" }
local root = loom.option { name = "root", default = ".",
                           doc = "Root of the source" }
local one_of = loom.option { name = "network", default = 0,
                             doc = "One of the networks; 0: all" }

local out = { "what;case;offered;measured;expected;noise" }
local failures, count = 0, 0

local function note(what, case, offered, measured, expected, tolerance, noise)
  out[#out + 1] = ("%s;%s;%.4f;%.4f;%.4f;%.4f"):format(what, case, offered,
    measured, expected, noise or 0)
  count = count + 1
  local off = math.abs(measured / expected - 1)
  if off > tolerance then
    failures = failures + 1
    print(("%s, %s at %.3f: %.4f, expected %.4f (%+.1f %%)"):format(what, case,
          offered, measured, expected, (measured / expected - 1) * 100))
  end
end

-- One packet from site a to site b.
local function alone(net, a, b, flits)
  local targets = {}
  for i = 1, rig.sites(net) do targets[i] = b end
  return rig.run(net, { pattern = "permutation", targets = targets, rate = 64,
                        warmup = 1, measure = 1, flits = flits }, a)
end

local function with(net, changes)
  local copy = {}
  for key, value in pairs(net) do copy[key] = value end
  for key, value in pairs(changes) do copy[key] = value end
  return copy
end

local networks = {
  { topology = "mesh", columns = 4, rows = 4 },
  { topology = "mesh", columns = 3, rows = 2, concentration = 3 },
  { topology = "torus", columns = 4, rows = 4 },
  { topology = "torus", columns = 5, rows = 3, concentration = 2 },
  { topology = "ring", columns = 7 },
  { topology = "butterfly", radix = 4, stages = 2 },
  { topology = "butterfly", radix = 2, stages = 4 },
  { topology = "crossbar", radix = 12 },
  { topology = "point_to_point", columns = 6, concentration = 2 },
  { topology = "torus", columns = 4, rows = 4, internal_speedup = 2 },
  { topology = "crossbar", radix = 12, internal_speedup = 3 },
}
local timings = {
  {}, { routing_delay = 0 }, { routing_delay = 3, link_latency = 4 },
  { switch_delay = 5 }, { speculative = true }, { credit_delay = 9 },
  { internal_speedup = 2 }, { internal_speedup = 3, routing_delay = 0 },
  { internal_speedup = 4, routing_delay = 3, switch_delay = 1 },
}

local function name_of(net)
  local size = net.radix and ("%d^%d"):format(net.radix, net.stages or 1) or
               ("%dx%d"):format(net.columns, net.rows or 1)
  local faster = net.internal_speedup and
                 (", speed-up %d"):format(net.internal_speedup) or ""
  return ("%s %s%s"):format(net.part and "loom.crossbar" or net.topology, size,
                            faster)
end

------------------------------------------------------------------------------

local checks = {}

function checks.zero()
  for _, base in ipairs(networks) do
    local n = rig.sites(base)
    for t, timing in ipairs(timings) do
      local net = with(base, timing)
      for _, flits in ipairs(full and { 1, 2, 5, 8 } or { 1, 5 }) do
        for a = full and t % 4 or t, n - 1, full and 4 or 7 do
          for b = full and 0 or (a + t) % 5, n - 1, full and 1 or 5 do
            local hops = rig.routers(net, a, b)
            local got = alone(net, a, b, flits)
            note("zero", ("%s, %d to %d, %d flits"):format(name_of(net), a, b,
                 flits), 0, got.latency, rig.zero_load(net, hops, flits), 0)
          end
        end
      end
    end
  end
end

local function rows(file)
  local lines, head = {}, nil
  for line in io.lines(root .. "/tests/validate/reference/" .. file) do
    local fields = {}
    -- A quoted field may hold commas.
    local text = line:gsub('"(.-)"', function(s)
      return (s:gsub(",", "\1"))
    end)
    for field in (text .. ","):gmatch "(.-)," do
      field = field:gsub("\1", ",")
      fields[#fields + 1] = tonumber(field) or field
    end
    if head then
      local row = {}
      for i, name in ipairs(head) do row[name] = fields[i] end
      lines[#lines + 1] = row
    else
      head = fields
    end
  end
  return lines
end

-- BookSim's words for ours.
local case_of = {
  ["routing_delay=0"] = { routing_delay = 0 },
  ["routing_delay=1"] = { routing_delay = 1 },
  ["routing_delay=2"] = { routing_delay = 2 },
  ["routing_delay=3"] = { routing_delay = 3 },
  ["st_prepare_delay=1"] = { switch_delay = 3 },
  ["st_final_delay=2"] = { switch_delay = 3 },
  ["speculative=1"] = { speculative = true },
  ["credit_delay=4"] = { credit_delay = 8 },
  ["num_vcs=1"] = { vcs = 1 },
}
for s = 2, 4 do
  case_of["internal_speedup=" .. s] = { internal_speedup = s }
end

-- Ours of a row; loom.crossbar as well, if it is one switch with one channel.
local function nets_of(row)
  local case = tostring(row.case)
  local net
  if row.topology == "fly" then
    net = row.n == 1 and { topology = "crossbar", radix = row.k } or
          { topology = "butterfly", radix = row.k, stages = row.n }
    net.routing_delay = 0
  else
    net = { topology = row.topology, columns = row.k, rows = row.k }
    net.link_latency = row.topology == "torus" and 2 or 1
  end
  for word in case:gmatch "%S+=%S+" do
    if not word:find "packet_size" then net = with(net, case_of[word]) end
  end
  if case:find "gpgpusim4" then net.internal_speedup = 2 end
  local one = row.topology == "fly" and row.n == 1 and
              (case:find "gpgpusim" or case:find "1vc")
  return { net, one and rig.one_switch(row.k, net.internal_speedup or 1, 64) or
                nil }
end

function checks.booksim()
  for _, row in ipairs(rows "noc_zero_load.csv") do
    -- What BookSim failed in are stages that we do not have either.
    local failed = tostring(row.topology):find "FAILED"
    for _, net in ipairs(failed and {} or nets_of(row)) do
      for hops, latency in tostring(row.min_packet_latency_by_router_hops)
                           :gmatch "(%d+):(%d+)" do
        for b = 0, rig.sites(net) - 1 do
          if rig.routers(net, 0, b) == tonumber(hops) then
            local got = alone(net, 0, b, row.packet_size)
            note("booksim", ("%s%s, %s routers"):format(row.case, net.part and
                 ", loom.crossbar" or "", hops), 0, got.latency,
                 tonumber(latency), 0)
            break
          end
        end
      end
    end
  end
end

local configs = {
  mesh8x8_4vc = { topology = "mesh", columns = 8, rows = 8 },
  xbar27_4vc = { topology = "crossbar", radix = 27, routing_delay = 0 },
  xbar27_gpgpusim3 = { topology = "crossbar", radix = 27, routing_delay = 0,
                       vcs = 1 },
  xbar21_gpgpusim3 = { topology = "crossbar", radix = 21, routing_delay = 0,
                       vcs = 1 },
  mesh8x8_4vc_int2 = { topology = "mesh", columns = 8, rows = 8 },
  mesh8x8_1vc_int2 = { topology = "mesh", columns = 8, rows = 8, vcs = 1,
                       routing_delay = 0 },
  fly8x2_1vc_int2 = { topology = "butterfly", radix = 8, stages = 2, vcs = 1,
                      routing_delay = 0 },
  xbar27_4vc_int2 = { topology = "crossbar", radix = 27, routing_delay = 0 },
  xbar27_gpgpusim4 = { topology = "crossbar", radix = 27, routing_delay = 0,
                       vcs = 1, buffer_flits = 64 },
  xbar21_gpgpusim4 = { topology = "crossbar", radix = 21, routing_delay = 0,
                       vcs = 1, buffer_flits = 64 },
  xbar27_1vc8_int2 = { topology = "crossbar", radix = 27, routing_delay = 0,
                       vcs = 1 },
  xbar27_1vc64_int3 = { topology = "crossbar", radix = 27, routing_delay = 0,
                        vcs = 1, buffer_flits = 64 },
}
-- Routers with a speed-up keep what its links are late with: BookSim's sinks
-- take everything, and its credits are there after 3 cycles.
for name, net in pairs(configs) do
  local speedup = name:match "int(%d)$" or name:find "gpgpusim4" and 2
  if speedup then
    net.internal_speedup = math.tointeger(tonumber(speedup))
    net.credit_delay, net.eject_flits = 3, 4096
  end
end

-- Ours of a configuration of BookSim's, by what is said about them.
local function ours_of(name)
  local net = configs[name]
  if not net then return {} end
  local list = { [""] = net }
  if net.topology == "crossbar" and net.vcs == 1 then
    list[", loom.crossbar"] = rig.one_switch(net.radix,
      net.internal_speedup or 1, net.buffer_flits or 8)
  end
  return list
end

local function load_of(row, offered, measure)
  local load = { rate = offered, flits = row.packet_size, warmup = 2000,
                 measure = measure }
  local list = tostring(row.traffic):match "^hotspot%({{?([%d,]+)}"
  if list then
    load.pattern, load.targets = "hotspot", {}
    for node in list:gmatch "%d+" do
      table.insert(load.targets, tonumber(node))
    end
  elseif tostring(row.traffic):find "^randperm" then
    -- Any permutation without fixed points is as good.
    load.pattern = "neighbor"
  end
  return load
end

-- The best that BookSim accepted, by configuration, traffic and size.
local function saturations(all)
  local best, order = {}, {}
  for _, row in ipairs(all) do
    local key = ("%s %s %d"):format(row.config, row.traffic, row.packet_size)
    local accepted = math.max(tonumber(row.accepted_flits_avg) or 0,
      tonumber(row.thr_mode_accepted_flits_avg) or 0)
    if not best[key] then
      best[key] = { key = key, accepted = 0, rows = {} }
      order[#order + 1] = best[key]
    end
    best[key].accepted = math.max(best[key].accepted, accepted)
    table.insert(best[key].rows, row)
  end
  return order
end

-- A case's rows on one of ours.
local function load_case(case, net, suffix)
  local measure = full and 20000 or 3000
  local key = case.key .. suffix
  local small = case.key:find "xbar27" and case.key:find "uniform"
  local top, points = 0, 0
  for _, row in ipairs(case.rows) do
    local low = row.offered_flits < 0.7 * case.accepted
    if full or small and (not low or points < 2) or
       case.key == "mesh8x8_4vc uniform 4" and
       (row.offered_flits == 0.2 or row.offered_flits == 0.42) then
      local load = load_of(row, row.offered_flits, measure)
      if low and row.status == "ok" and row.plat_avg > 0 then
        local got = rig.run(net, load)
        -- Where BookSim measured few packets its mean is that uncertain.
        local packets = row.cycles * row.nodes * row.offered_flits /
                        row.packet_size
        note("latency", key, row.offered_flits, got.latency, row.plat_avg,
             packets < 1500 and 0.15 or 0.1)
        points = points + 1
      elseif row.offered_flits > 0.95 * case.accepted and top == 0 or
             full and not low then
        top = math.max(top, rig.run(net, load).accepted)
      end
    end
  end
  if top > 0 then
    note("saturation", key, 1, top, case.accepted, 0.05)
  end
end

function checks.load()
  for _, case in ipairs(saturations(rows "noc_sweep.csv")) do
    local ours = ours_of(case.rows[1].config)
    for _, suffix in ipairs { "", ", loom.crossbar" } do
      if ours[suffix] then load_case(case, ours[suffix], suffix) end
    end
  end
end

-- Mean latency over seeds, and its standard error.
local function over_seeds(net, load, seeds)
  local sum, squares = 0, 0
  for seed = 1, seeds do
    local latency = rig.run(net, load, nil, seed).latency
    sum, squares = sum + latency, squares + latency ^ 2
  end
  local mean = sum / seeds
  return mean, math.sqrt(math.max(squares / seeds - mean ^ 2, 0) / (seeds - 1))
end

-- Latency is steep here, so a single run of a few thousand cycles says little:
-- at 90 % of saturation a load that is a percent higher has a tenth more.
function checks.near()
  -- Hot spots are loads of few flits.
  local function measure_of(row)
    return tostring(row.traffic):find "hotspot" and 400000 or 40000
  end
  for i, row in ipairs(rows "noc_near_saturation.csv") do
    for suffix, net in pairs(ours_of(row.config)) do
      if full or i % 16 == 1 then
        local mean, error_of = over_seeds(net,
          load_of(row, row.offered_flits, measure_of(row)), full and 8 or 3)
        local noise = math.sqrt(error_of ^ 2 + row.plat_se ^ 2)
        note("near", ("%s %s %d%s"):format(row.config, row.traffic,
             row.packet_size, suffix), row.offered_flits, mean, row.plat_mean,
             (net.topology == "mesh" and net.vcs ~= 1 and 0.1 or 0.05) +
             2 * noise / row.plat_mean, noise)
      end
    end
  end
end

-- A hot spot behind a crossbar with one virtual channel is a queue: in a cycle
-- each of n sources brings a packet with probability rate / flits, and each
-- packet takes flits + 1 cycles.  Mean wait: of the packets of other cycles,
-- then of those of the same one that go first.
local function hot_spot_wait(n, rate, flits)
  local service, arrivals = flits + 1, n * rate / flits
  local load = arrivals * service
  local pairs_of = arrivals ^ 2 * (1 - 1 / n)
  return (service ^ 2 * (arrivals + pairs_of) - load) / (2 * (1 - load)) +
         service * pairs_of / (2 * arrivals)
end

local function hot_spot_latency()
  for _, n in ipairs { 8, 21 } do
    local net = { topology = "crossbar", radix = n, vcs = 1,
                  routing_delay = 0 }
    for _, flits in ipairs { 1, 4 } do
      for _, load in ipairs { 0.2, 0.5, 0.7 } do
        local rate = load * flits / (flits + 1) / n
        local got = rig.run(net, { pattern = "hotspot", rate = rate,
          flits = flits, warmup = 2000, measure = full and 400000 or 60000 })
        note("hot spot, latency", ("%s, %d flits"):format(name_of(net), flits),
             rate, got.latency, rig.zero_load(net, 1, flits) +
             hot_spot_wait(n, rate, flits), full and 0.03 or 0.08)
      end
    end
  end
end

-- With one virtual channel an output rests a cycle after each packet, a round
-- with speed-up; links take a flit per cycle.
function checks.closed()
  hot_spot_latency()
  local measure = full and 20000 or 4000
  local shapes = {
    { topology = "crossbar", radix = 16, vcs = 1, routing_delay = 0 },
    { topology = "point_to_point", columns = 8, vcs = 1, routing_delay = 0,
      buffer_flits = 16 },
    { topology = "butterfly", radix = 4, stages = 2, vcs = 1,
      routing_delay = 0, buffer_flits = 16 },
    { topology = "crossbar", radix = 16, vcs = 1, routing_delay = 0,
      internal_speedup = 2, buffer_flits = 64 },
    rig.one_switch(16, 1, 64), rig.one_switch(16, 2, 64),
  }
  for _, net in ipairs(shapes) do
    local n = rig.sites(net)
    for _, flits in ipairs { 1, 4, 5 } do
      local rate = math.min(1, (net.internal_speedup or 1) * flits /
                               (flits + 1))
      local got = rig.run(net, { pattern = "neighbor", rate = 64,
                                 flits = flits, measure = measure })
      if net.topology ~= "butterfly" then -- there neighbours share links
        note("permutation", ("%s, %d flits"):format(name_of(net), flits), 1,
             got.accepted, rate, 0.01)
      end
      got = rig.run(net, { pattern = "hotspot", rate = 2 / n,
                           flits = flits, measure = measure })
      note("hot spot", ("%s, %d flits"):format(name_of(net), flits), 2 / n,
           got.accepted * n, rate, 0.01)
    end
  end
end

-- Does a packet have one way and no choice of channel?
local function one_way(net) return net.vcs == (net.shared and 2 or 1) end

-- Every packet of one network under full load; the load of a case.
local function deliver(base, measure, total)
  local torus = base.topology == "torus" or base.topology == "ring"
  for _, vcs in ipairs { 1, 2, 4, 8 } do
    for _, flits in ipairs { 1, 4, 9 } do
      for _, shared in ipairs { false, true } do
        local least = (torus and 2 or 1) * (shared and 2 or 1)
        if vcs % least == 0 and (full or (vcs + flits) % 3 ~= 1) then
          local net = with(base, { vcs = vcs, shared = shared,
                                   buffer_flits = 4, eject_flits = 6 })
          -- With replies where the classes could block each other.
          local got = rig.run(net, {
            kind = shared and "read" or "write", flits = flits, rate = 64,
            warmup = 1, measure = measure, queue = 64,
            ordered = one_way(net) })
          note("delivery", ("%s, %d VCs, %d flits%s"):format(name_of(net),
               vcs, flits, shared and ", shared" or ""), 64, got.received,
               got.sent, 0)
          assert(got.cycles >= measure and got.strangers == 0)
          total.cases = total.cases + 1
          total.cycles = total.cycles + got.cycles
          total.packets = total.packets + got.received
          total.ordered = total.ordered + (one_way(net) and 1 or 0)
        end
      end
    end
  end
end

function checks.delivery()
  for i, base in ipairs(networks) do
    if one_of == 0 or one_of == i then
      local total = { cases = 0, cycles = 0, packets = 0, ordered = 0 }
      deliver(base, full and 1000000 or 1500, total)
      print(("%s%s: %d cases (%d in order), %d cycles, %d packets"):format(
            name_of(base), base.concentration and
            (" x %d"):format(base.concentration) or "", total.cases,
            total.ordered, total.cycles, total.packets))
    end
  end
end

------------------------------------------------------------------------------

checks[only]()
print(("%s: %d measurements, %d failures"):format(only, count, failures))
if csv ~= "" then
  local file = assert(io.open(csv, "w"))
  file:write(table.concat(out, "\n"), "\n")
  file:close()
end
assert(count > 0 and failures == 0, only .. " failed")
