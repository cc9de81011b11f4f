-- Results files that were cut off or have wrong bytes: every command that
-- looks at files reads them or says what is wrong, and none crashes, hangs or
-- calls it an error of its own.
--
--   warploom --unsafe damaged.lua PROGRAM FOLDER_OF_LUA_TESTS [COUNT [SEED]]

local H = require "harness"
local core = H.import "core"

local program, here = arg[1], arg[2]
local count, seed = tonumber(arg[3] or "40"), tonumber(arg[4] or "1")
local folder = os.tmpname()
os.remove(folder)
assert(core.mkdir(folder))

local function shell(line)
  local pipe = assert(io.popen(("cd '%s' && (%s) 2>&1"):format(folder, line)))
  local out = pipe:read("a")
  local _, what, status = pipe:close()
  return what == "signal" and 128 + status or status or 0, out
end

local function write(name, text)
  local file = assert(io.open(folder .. "/" .. name, "wb"))
  assert(file:write(text))
  file:close()
end

local function read(name)
  local file = assert(io.open(folder .. "/" .. name, "rb"))
  local text = file:read("a")
  file:close()
  return text
end

-- Numbers from a seed: the same on every host.
local state = seed * 2654435761 % 2^32 | 1
local function random(n)
  state = state ~ (state << 13) & 0xffffffff
  state = state ~ state >> 17
  state = state ~ (state << 5) & 0xffffffff
  return state % n
end

-- One to four wrong bytes, a page of zeros, a cut, or two pages exchanged.
local function damage(text)
  local kind = random(8)
  if kind == 0 then
    local size = random(#text)
    return text:sub(1, size), ("cut off at %d"):format(size)
  elseif kind == 1 then
    local at = random(#text // 512) * 512
    return text:sub(1, at) .. ("\0"):rep(math.min(512, #text - at)) ..
           text:sub(at + 513), ("zeros from %d"):format(at)
  end
  local what = {}
  for i = 1, 1 + random(4) do
    local at, byte = random(#text), random(256)
    text = text:sub(1, at) .. string.char(byte) .. text:sub(at + 2)
    what[i] = ("%d=%d"):format(at, byte)
  end
  return text, table.concat(what, " ")
end

local commands = { "stats bad.h5", "stats bad.h5 --all --csv",
  "stats bad.h5 --series bw", "stats bad.h5 --check", "diff bad.h5 one.h5",
  "diff one.h5 bad.h5", "merge -q bad.h5 one.h5 -o merged.h5",
  "export -q bad.h5 -o bad.csv", "plot -q bad.h5 gpu.sm.l1d.misses -o bad.json",
  "plot -q bad.h5 bw:gpu.dram.bytes -o bad.json", "energy bad.h5",
  "kernels bad.h5", "kernels bad.h5 --csv",
  "plot -q bad.h5 gpu.sm.l1d.miss_ratio --by kernel -o bad.json" }
local sources = {
  one = ("-q '%s/looking_runs.lua' -o one.h5"):format(here),
  both = "merge -q one.h5 two.h5 -o both.h5",
}
assert(shell(("'%s' %s"):format(program, sources.one)) == 0)
assert(shell(("'%s' -q '%s/looking_runs.lua' --set size=8KiB -o two.h5")
             :format(program, here)) == 0)
assert(shell(("'%s' %s"):format(program, sources.both)) == 0)
if shell(("'%s' report -q one.h5 -o bad.html"):format(program)) == 0 then
  commands[#commands + 1] = "report -q bad.h5 -o bad.html"
else
  print "SKIPPED: reports: no Vega-Lite here (./setup.sh charts)"
end

local wrong, said, read_on = 0, 0, 0

local function try(what, command)
  local status, out = shell(("timeout 300 '%s' %s"):format(program, command))
  local refused = status ~= 0 and not command:find "^diff" or status == 2
  if status > 5 or status < 0 or out:find "internal error" or
     out:find "stack traceback" or out:find "bug:" or
     refused and not out:find("bad.h5", 1, true) and
     not out:find "there is no axis" and not out:find "^%d+ datasets" and not out:find "problems\n$" then
    wrong = wrong + 1
    print(("%s, %s: status %d\n%s"):format(what, command, status,
                                           out:sub(-600)))
  end
  said = said + (refused and 1 or 0)
  read_on = read_on + (refused and 0 or 1)
end

for _, name in ipairs { "one.h5", "both.h5" } do
  local text = read(name)
  for _ = 1, name == "one.h5" and count or count // 4 do
    local bad, what = damage(text)
    write("bad.h5", bad)
    for _, command in ipairs(commands) do try(name .. ": " .. what, command) end
  end
end

print(("%d damaged files; %d times refused, %d times read"):format(
      count + count // 4, said, read_on))
os.execute(("rm -r '%s'"):format(folder))
if wrong > 0 then error(("%d commands failed"):format(wrong), 0) end
