-- What DIP and DRRIP were invented for, on micro_reuse, against closed forms:
-- a loop larger than the L1, and scans between uses of a working set.  On the
-- GTX 480's L1 of 32 sets of 4 ways with 4 leader sets of each policy, in time
-- and without.
local loom = require "warploom"

local sets, ways, leaders = 32, 4, 4
local followers = sets - leaders -- they, and the leaders of the winner
local index = loom.linear_index {}

local function timed(policy, workload)
  local gpu = loom.preset.gtx480 { sm_count = 1 }
  gpu:each "sm[*].l1d":set { replacement = policy, set_index = index }
  local run = loom.run { machine = gpu, workload = workload }
  return run.stats "gpu/sm/l1d", run, "gpu/sm/l1d/policy/"
end

local function timeless(policy, workload)
  local run = loom.run { workload = workload, machine = loom.locality {
    sms = 1, l1 = loom.cache { ways = 4, replacement = policy,
                               set_index = index } } }
  return run.stats "locality/l1", run, "locality/l1/policy/"
end

local failed = 0
local function expect(what, ok, fmt, ...)
  if ok then return end
  failed = failed + 1
  print(("%s: %s"):format(what, fmt:format(...)))
end

-- `best`: hits if all sets but those that lead for the loser do as well as
-- can be, and the others as LRU.  `share` of what that is above LRU is asked.
local function compare(what, run_on, case)
  local lru = run_on(loom.lru {}, case.workload()).hits
  expect(what, lru == case.lru, "lru hits %d, expected %d", lru, case.lru)
  for _, name in ipairs(case.policies) do
    local l1, run, group = run_on(loom[name] {}, case.workload())
    local want = case.lru + case.share * (case.best - case.lru)
    expect(what, l1.hits >= want, "%s hits %d, expected at least %.0f", name,
           l1.hits, want)
    expect(what, l1.hits <= case.all, "%s hits %d, more than can be: %d", name,
           l1.hits, case.all)
    local duel = run.stats(group .. name)
    expect(what, duel.psel >= 512, "PSEL of %s is %d, expected 512 or more",
           name, duel.psel)
    local first = name == "dip" and "lru" or "srrip"
    if case.leader_misses and name == "dip" then
      expect(what, duel.leader_misses[first] == case.leader_misses,
             "%d misses of the leaders of %s, expected %d",
             duel.leader_misses[first], first, case.leader_misses)
    end
    print(("%-30s %-6s %5d hits; lru %5d, all sets at best %5d"):format(what,
          name, l1.hits, lru, case.all))
  end
end

-- 6 blocks of each set go round, 40 times.  LRU never hits; a set that lets
-- new lines in at the end keeps ways - 1 of them, of which no one is there in
-- the first round.
local rounds, blocks = 40, 6
local kept = (ways - 1) * (rounds - 1)
local loop = {
  workload = function()
    return loom.suite.micro_reuse { bytes = sets * blocks * 128,
                                    rounds = rounds }
  end,
  policies = { "dip", "drrip" }, share = 0.95,
  lru = 0, best = followers * kept, all = sets * kept,
  leader_misses = leaders * blocks * rounds,
}

-- 2 blocks of each set are used twice, then 8 pass.  LRU hits the second use;
-- whoever keeps the two hits always but for the first time.
local set, uses = 2, 2
local hit_again = set * (uses - 1) * rounds
local hit_all = set * (uses * rounds - 1)
local scan = {
  workload = function()
    return loom.suite.micro_reuse { bytes = sets * set * 128, uses = uses,
                                    scan_bytes = sets * 8 * 128,
                                    rounds = rounds }
  end,
  policies = { "drrip", "dip" }, share = 0.9,
  lru = sets * hit_again, all = sets * hit_all,
  best = leaders * hit_again + followers * hit_all,
}

for name, run_on in pairs { timed = timed, timeless = timeless } do
  compare("a loop of 1.5 caches, " .. name, run_on, loop)
  compare("scans of 2 caches, " .. name, run_on, scan)
end

-- What fits is left alone: no policy costs a hit.
for _, name in ipairs { "lru", "dip", "drrip" } do
  local hits = timeless(loom[name] {}, loom.suite.micro_reuse {
    bytes = "8KiB", uses = 4 }).hits
  expect("a set that fits", hits == 64 * (4 * rounds - 1),
         "%s hits %d of %d", name, hits, 64 * (4 * rounds - 1))
end
if failed > 0 then error(failed .. " failed", 0) end
