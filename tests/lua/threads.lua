-- What a run on one thread says that several could do: --threads-report.
-- Arguments: the program, and this folder.

local H = require "harness"
local core = H.import "core"
local test, equal, has = H.test, H.equal, H.has

local folder = os.tmpname()
os.remove(folder)
assert(core.mkdir(folder))
local call = H.caller(arg[1], folder)

local function write(name, text)
  local file = assert(io.open(folder .. "/" .. name, "w"))
  file:write(text)
  file:close()
end

write("run.lua", [[
local loom = require "warploom"
local name = loom.option { name = "name", default = "tiny", doc = "Preset" }
loom.run { machine = loom.preset[name] {},
           workload = loom.suite.vectoradd { n = 2048 } }
]])

-- A line of JSON whose strings have no quotes in them, as a value.
local function value_of(line)
  local inside, out = false, {}
  for text, quote in line:gmatch '([^"]*)("?)' do
    if not inside then
      text = text:gsub("%[", "{"):gsub("%]", "}"):gsub("null", "nil")
      text = text:gsub("^:", "]="):gsub("([{,])$", "%1[")
    end
    out[#out + 1] = text .. quote
    if quote ~= "" then inside = not inside end
  end
  -- Elements of lists are no keys.
  local chunk = table.concat(out):gsub('%[("[^"]*")([,}])', "%1%2")
  return assert(load("return " .. chunk))()
end

-- The report of a preset, and the run's digest.
local function report(name)
  local status, out, errors = call(
    ("run run.lua --json --threads-report --set name=%s"):format(name))
  equal(status, 0, errors)
  local value = value_of(out)
  return value.threads, value.digest
end

local function near(got, want, what)
  if math.abs(got - want) > 1e-6 * math.max(math.abs(want), 1e-6) then
    error(("%s is %g, expected %g"):format(what, got, want), 2)
  end
end

local parts = { "even", "one", "uneven", "steps", "meetings", "wakes",
                "together", "serial" }

local function check(given, name)
  local ticks = 0.0
  for _, part in ipairs(given.parts) do ticks = ticks + part.seconds end
  equal(#given.rows, 6, name)
  for i, row in ipairs(given.rows) do
    local sum = 0.0
    for _, part in ipairs(parts) do sum = sum + row[part] end
    local what = ("%s, %d threads: "):format(name, row.threads)
    equal(row.threads, 1 << i - 1, what .. "threads")
    near(sum, row.seconds, what .. "parts")
    near(row.even * row.threads, ticks, what .. "ticks")
    near(given.rows[1].seconds / row.seconds, row.times, what .. "times")
    assert(row.best >= row.times - 1e-6, what .. "best")
    local before = given.rows[i - 1]
    assert(i < 3 or row.best >= before.best - 1e-6, what .. "fewer are faster")
  end
  equal(given.rows[1].times, 1.0, name)
  near(given.rows[1].best, 1.0, name)
end

for _, name in ipairs { "tiny", "gtx480", "titanx", "qv100", "v100", "a100",
                        "rtx2060", "rtx3090", "rtx4090", "h100", "h200",
                        "apcm1", "dacache", "loscache" } do
  test(name, function() check(report(name), name) end)
end

test("nothing else changes", function()
  local _, digest = report "gtx480"
  local _, out = call "run run.lua --json --set name=gtx480"
  equal(value_of(out).digest, digest)
end)

test("as text", function()
  local status, out = call "run run.lua -q --threads-report"
  equal(status, 0)
  has(out, "threads  seconds  times  at best  what binds\n")
  has(out, "gpu.sm ")
  assert(out:find "\n +1 +%d+%.%d+ +1%.00 +1%.00", out)
  assert(out:find "\n +32 +%d+%.%d+ +%d+%.%d+ +%d+%.%d+ +%S", out)
end)

test("what cannot be measured", function()
  local status, _, errors = call "run run.lua --threads 2 --threads-report"
  equal(status, 2)
  has(errors, "--threads-report measures a run on one thread")
  status, _, errors = call "run run.lua --functional --threads-report"
  equal(status, 2)
  has(errors, "--functional")
  status, _, errors = call(
    "run run.lua --profile --threads-report")
  equal(status, 0)
  has(errors, "no report of others")
end)

os.execute(("rm -rf '%s'"):format(folder))
H.finish()
