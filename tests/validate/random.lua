-- Random machines run random kernels without a broken law, a hang or a wrong
-- result, and the same with two threads, with ticks in another order and with a
-- series.
--
--   warploom --unsafe run tests/validate/random.lua --set count=1000
--
-- --set seed=N --set count=1 --set show=true prints the script of a seed.
local loom = require "warploom"
local H = require "harness"
local machine = require "random_machine"
local session = H.import "script/session"

local first = loom.option { name = "seed", default = 1, doc = "The first" }
local count = loom.option { name = "count", default = 40,
                            doc = "How many machines" }
local show = loom.option { name = "show", default = false,
                           doc = "Print the scripts" }
local threads = loom.option { name = "threads", default = true,
                              doc = "Some of them with threads as well" }
local outer = session.script

-- Runs the script of a seed until it is not refused.
local function start(m, options)
  for round = 1, 30 do
    local text = machine.text(m)
    if show then io.write("-- round ", round, "\n", text):flush() end
    local problems, _, status = H.run(text, options)
    if #problems == 0 then return text, status, round - 1 end
    if not machine.repair(m, problems) then
      error(("refused without naming a part of it: %s\n%s"):format(
            problems[1], text), 0)
    end
  end
  error("refused again and again:\n" .. machine.text(m), 0)
end

local function expect(seed, how, status)
  local run = H.runs()[1]
  if status ~= 0 or not run or run.status ~= "complete" then
    local laws = {}
    for i, law in ipairs(run and run.violations or {}) do
      laws[i] = ("%s: %s"):format(law.path, law.text)
    end
    error(("seed %d, %s: status %d, %s: %s\n%s"):format(seed, how, status,
          run and run.status or "no run", run and run.reason or "",
          table.concat(laws, "\n")), 0)
  end
  return run.digest, run.cycles
end

local total, refused, insts, failed = 0, 0, 0, 0

-- Threads are slow where machines are this small, more so on a busy host: a
-- part of the seeds only.
local series = os.tmpname()
local others = {
  { how = "ticks in another order", options = { shuffle = 1 }, every = 1 },
  -- Reading counters on the way must not change them.
  { how = "a series", options = {}, every = 5, stats = ("file = %q, " ..
    "series = { all = { every = '97ns', select = '**.*cycles*' } }"):format(
    series) },
  { how = "two threads", options = { threads = 2 }, every = 25 },
  { how = "four threads", options = { threads = 4 }, every = 100 },
}

-- What is passed over is executed all the same, nothing is lost on the way, and
-- it is the same whatever the order of ticks.
local passed = 0
local function pass_over(seed, text, wanted)
  local passing = { every = 200 + seed * 37 % 900,
                    ctas = 1 + seed * 101 % 23, warm = seed % 3 * 8,
                    time = seed % 4 }
  local how = ("passing over every %d cycles"):format(passing.every)
  local _, _, status = H.run(text, { passing = passing })
  local digest = expect(seed, how, status)
  passed = passed + session.passed
  if H.runs()[1].warp_insts ~= wanted then
    error(("seed %d: %d warp instructions, %d %s"):format(seed, wanted,
          H.runs()[1].warp_insts, how), 0)
  end
  local other = { passing = passing, shuffle = 1 }
  if threads and seed % 25 == 0 then other.threads = 2 end
  _, _, status = H.run(text, other)
  if expect(seed, how .. " and ticks in another order", status) ~= digest then
    error(("seed %d: other results %s"):format(seed, how), 0)
  end
end

-- Sampled, CTAs and launches are left out; results and instructions are what
-- they are in full.
local sampled = 0
local function sample(seed, text)
  local more = seed % 2 == 0 and "ctas = 150, launches = 1"
                              or "ctas = 4, launches = 40"
  text = text:gsub("kernel.workload%(%d+", "%0, { " .. more .. " }", 1)
  local _, _, status = H.run(text, {})
  expect(seed, "with " .. more, status)
  local wanted, digest = H.runs()[1].warp_insts, nil
  text = text:gsub("loom.run {", "loom.run { sample = { window = 50, " ..
                   "ramp = 10, lives = 1, windows = 1, waves = 1 },", 1)
  for _, options in ipairs { {}, { shuffle = 1 } } do
    _, _, status = H.run(text, options)
    local got = expect(seed, "sampled", status)
    local run = H.runs()[1]
    if run.warp_insts ~= wanted or digest and digest ~= got then
      error(("seed %d: %d warp instructions, sampled %d, state %s"):format(
            seed, wanted, run.warp_insts, got), 0)
    end
    digest = got
    sampled = sampled + (run.sampled > 0 and 1 or 0)
  end
end

local function one(seed)
  local m = machine.new(seed)
  local text, status, rounds = start(m, {})
  refused = refused + rounds
  local digest, cycles = expect(seed, "one thread", status)
  local own = H.runs()[1].warp_insts
  insts = insts + own
  total = total + cycles
  for _, other in ipairs(others) do
    local wanted = threads or not other.options.threads
    if wanted and seed % other.every == 0 then
      local same = other.stats and text:gsub("(loom.run {.*) }%s*$",
        "%1, stats = { " .. other.stats .. " } }\n") or text
      local _, _, again = H.run(same, other.options)
      if expect(seed, other.how, again) ~= digest then
        error(("seed %d: other results with %s"):format(seed, other.how), 0)
      end
    end
  end
  pass_over(seed, text, own)
  if seed % 5 == 0 then sample(seed, text) end
end

for seed = first, first + count - 1 do
  io.stdout:write(("seed %d\n"):format(seed))
  io.stdout:flush()
  local ok, why = pcall(one, seed)
  if not ok then
    failed = failed + 1
    io.stdout:write(("FAILED seed %d: %s\n"):format(seed, tostring(why)))
  end
end
os.remove(series)
session.reset { script = outer, set = {} }
print(("%d machines, %d cycles, %d warp instructions, %d more left out; " ..
       "%d descriptions refused on the way, %d failures"):format(count, total,
      insts, passed, refused, failed))
print(sampled .. " runs were sampled")
if count >= 40 and sampled == 0 then error("none is sampled", 0) end
if failed > 0 then error(failed .. " machines failed", 0) end
