-- A recording cut off at every block's ends and in their middles, and with
-- every byte changed in turn: an error each time that says which block, or
-- which part of the file, is wrong.  Runs with --unsafe:
--
--     warploom --unsafe damage.lua FOLDER
local import = require "warploom.import"
local core = import "core"
local session = import "script/session"
local script = import "script/script"

local path = (...) .. "/damage.wlt"

local function record()
  session.command = { "damage" }
  local status = script.execute("damage.lua", [[
local loom = require "warploom"
loom.run { machine = loom.preset.tiny {},
           workload = loom.suite.bfs { nodes = 48, degree = 2 } }
]], { functional = true, quiet = true, mode = "run", set = {}, argv = {},
      record = path })
  if status ~= 0 then error "it cannot be recorded" end
end

local function read()
  local file = assert(io.open(path, "rb"))
  local text = file:read("a")
  file:close()
  return text
end

-- What is said of a file with this content; nil if all is well.
local function verdict(text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
  local recording, why = core.recording(path)
  if not recording then return why end
  local ok, what = recording:verify()
  recording:close()
  return not ok and what or nil
end

local named = { "block %d+", "is not a warploom recording", "footer",
                "the header", "cut off", "version" }

local function expect(text, what)
  local why = verdict(text)
  if not why then error(what .. " is not noticed", 0) end
  for _, name in ipairs(named) do
    if why:find(name) then return why end
  end
  error(("%s: '%s' does not say what is damaged"):format(what, why), 0)
end

record()
local whole = read()
assert(verdict(whole) == nil, "a whole recording is whole")

-- Headers of blocks: magic, kind, number, stored bytes; 36 bytes in all.
local cuts, blocks, at = { 0, 1, 31, 32 }, 0, 32
while whole:sub(at + 1, at + 4) == "WBlk" do
  local stored = string.unpack("<I4", whole, at + 13)
  blocks = blocks + 1
  for _, cut in ipairs { at, at + 1, at + 35, at + 36, at + 36 + stored // 2,
                         at + 36 + stored - 1 } do
    cuts[#cuts + 1] = cut
  end
  at = at + 36 + stored
end
for _, cut in ipairs { at, at + 1, #whole - 40, #whole - 1 } do
  cuts[#cuts + 1] = cut
end
assert(blocks > 5 and at == #whole - 40, "blocks were not found")
for _, cut in ipairs(cuts) do
  expect(whole:sub(1, cut), ("a file cut off at %d of %d"):format(cut, #whole))
end

local in_blocks = 0
local step = math.tointeger(arg[2] or 3)
for i = 1, #whole, step do
  local bits = 1 << (i % 8)
  local why = expect(whole:sub(1, i - 1) ..
                     string.char(whole:byte(i) ~ bits) .. whole:sub(i + 1),
                     ("byte %d changed"):format(i - 1))
  in_blocks = in_blocks + (why:find "block %d+" and 1 or 0)
end
os.remove(path)
print(("%d blocks, %d cuts, %d changed bytes (%d named by their block)")
      :format(blocks, #cuts, (#whole + step - 1) // step, in_blocks))
