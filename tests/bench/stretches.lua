-- Programs beside each other on a host that others use, too, to a percent.
--
-- usage: lua stretches.lua RUNS PROGRAM... [-- OPTION...]
--
-- Each PROGRAM, warploom built with -DLOOM_STRETCHES=ON, runs
-- tests/bench/run.lua with the OPTIONs (default: atax of 128 columns) RUNS
-- times, all of them in random turns on one processor. A run says when it has
-- come how far; of each such stretch the fastest run counts, and the sum of
-- these is compared with that of the first program: what slows the host down
-- seldom hits the same stretch each time. Give a program twice to see what
-- the host's noise leaves. Another order of functions in memory changes 2 to
-- 3 % (docs/decisions/0026).
local here = arg[0]:match "^(.*)/[^/]*$" or "."
local runs = math.tointeger(arg[1])
local programs, options = {}, {}
local into = programs

for i = 2, #arg do
  if arg[i] == "--" and into == programs then
    into = options
  else
    into[#into + 1] = arg[i]
  end
end
if not runs or runs < 1 or #programs == 0 then
  io.stderr:write "usage: stretches.lua RUNS PROGRAM... [-- OPTION...]\n"
  os.exit(2)
end
if #options == 0 then
  options = { "--set", "columns=128" }
end

local function quoted(word)
  return "'" .. word:gsub("'", "'\\''") .. "'"
end

for i, option in ipairs(options) do
  options[i] = quoted(option)
end

local file = os.tmpname()

-- The times of a run's stretches, and the time from the first to the last.
local function measure(program)
  local command = ("LOOM_STRETCHES_FILE=%s taskset -c 0 %s run --quiet %s %s")
    :format(quoted(file), quoted(program), quoted(here .. "/run.lua"),
            table.concat(options, " "))
  local times, last, first = {}, nil, nil

  assert(io.open(file, "w")):close()
  if not os.execute(command .. " >/dev/null") then
    os.remove(file)
    io.stderr:write("stretches: it failed: " .. command .. "\n")
    os.exit(1)
  end
  for line in io.lines(file) do
    local now = math.tointeger(line)

    if last then times[#times + 1] = now - last end
    first = first or now
    last = now
  end
  if #times == 0 then
    os.remove(file)
    io.stderr:write("stretches: no times from " .. program ..
      ": build it with -DLOOM_STRETCHES=ON, or let it run longer\n")
    os.exit(1)
  end
  return times, last - first
end

local best = {}
for i = 1, #programs do
  best[i] = { whole = math.huge }
end
for _ = 1, runs do
  local turn = {}
  for i = 1, #programs do
    table.insert(turn, math.random(#turn + 1), i)
  end
  for _, i in ipairs(turn) do
    local times, whole = measure(programs[i])

    best[i].whole = math.min(best[i].whole, whole)
    for n, time in ipairs(times) do
      best[i][n] = math.min(best[i][n] or math.huge, time)
    end
  end
end
os.remove(file)

local sums = {}
for i, times in ipairs(best) do
  if #times ~= #best[1] then
    io.stderr:write(("stretches: %d of %s, but %d of %s: different work\n")
      :format(#times, programs[i], #best[1], programs[1]))
    os.exit(1)
  end
  sums[i] = 0
  for _, time in ipairs(times) do
    sums[i] = sums[i] + time
  end
end
print(("%9s %9s %11s %9s  %s"):format("stretches", "new/first", "fastest run",
                                      "new/first", "program"))
for i, program in ipairs(programs) do
  print(("%7.3f s %9.3f %9.3f s %9.3f  %s"):format(
    sums[i] / 1e9, sums[i] / sums[1], best[i].whole / 1e9,
    best[i].whole / best[1].whole, program))
end
