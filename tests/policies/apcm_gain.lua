-- What apcm must gain, by hand. CTAs of 8 warps, one after the other, each warp
-- 12 times over 8 lines of its own, one load at a time. All lines are in 8
-- sets of 4 ways: there is room for those of 4 warps. LRU finds none again.
-- The first CTA is monitored and gains nothing. In each later one 4 warps get
-- all ways in the first round and hit in the other 11; the rest goes around
-- until they have left the loop, loads their lines once, and then hits, too.
-- The lines are used again by the outer one of two loops. If the exit from the
-- inner one ends a protection, it ends with each round.
local loom = require "warploom"

local ctas, rounds, lines, warps = 11, 12, 8, 8

local function run(policy, count)
  local gpu = loom.preset.gtx480 { sm_count = 1, sm_ctas = 1, sm = {
    scheduler = loom.lrr {},
    l1d = { size_bytes = "16KiB", ways = 4,
            set_index = loom.linear_index {} } } }
  if policy then gpu:each "sm[*].l1d":attach(policy) end
  local done = loom.run { machine = gpu, workload = loom.suite.micro_locality {
    kind = "own", rounds = rounds, lines = lines, warps = count or warps,
    ctas = ctas } }
  return done.cycles, done.stats "gpu/sm/l1d", done
end

local function expect(what, ok, ...)
  print(("%-62s %s"):format(what:format(...), ok and "yes" or "NO"))
  return ok and 0 or 1
end

local failed = 0
local lru, l1 = run()
failed = failed + expect("LRU: no line is found again (%d)", l1.hits == 0,
                         l1.hits)

-- A miss is a round's share of the baseline; a hit is what remains of a CTA
-- of 4 warps, which has room.
local miss = lru / ctas / rounds / lines
local four = run(nil, 4)
local hit = (four / ctas / lines - miss) / (rounds - 1)

local cycles, with, done = run(loom.apcm { manage = "protect",
                                              loop_release = "outermost" })
local later = ctas - 1
local least = later * 4 * lines * (rounds - 1)
failed = failed + expect(
  "protect: 4 of 8 warps hit in 11 of 12 rounds (%d >= %d)",
  with.hits >= least, with.hits, least)
failed = failed + expect("at most all of them do (%d)",
                         with.hits <= 2 * least, with.hits)

-- The first four: a round of misses, 11 of hits. The others are then in round
-- `gone`, get their lines in the next one, and hit in what is left. They do not
-- all come to that round at once, so the machine gains less: at least half.
local first = lines * (miss + (rounds - 1) * hit)
local gone = math.ceil(first / (lines * miss))
local second = lines * (miss + (rounds - gone - 1) * hit)
local by_hand = lru / ctas + later * (first + second)
failed = failed + expect(
  "protect: %d cycles of %d, by hand %d (a miss %d, a hit %d)",
  cycles > by_hand and lru - cycles > (lru - by_hand) / 2, cycles, lru,
  by_hand // 1, miss // 1, hit // 1)
failed = failed + expect("all protected hits are the warps' own",
  done.stats "gpu/sm/l1d/policy/apcm".protected_hits == with.hits +
  with.pending_hits)

local short, few, ends = run(loom.apcm { manage = "protect" })
failed = failed + expect(
  "innermost: protection ends in each round, less is gained",
  ends.stats "gpu/sm/l1d/policy/apcm".released.loop >
  done.stats "gpu/sm/l1d/policy/apcm".released.loop and
  few.hits < least and short > cycles)

local both = run(loom.apcm { loop_release = "outermost" })
failed = failed + expect("both: the same, as no load is streaming (%d)",
                         both == cycles, both)

if failed > 0 then error(failed .. " gains are not there", 0) end
