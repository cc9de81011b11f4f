-- sl1_grep: lines that match a pattern, a chunk per thread.

local kit = require "warploom.kit"

local pattern, lua_pattern = "*a?b*c*", "a.b.*c"
local longest = 64

local function run(dev, p)
  local bytes, room = p.threads * p.chunk, p.chunk // 3 + 1
  dev:check(p.threads % p.block == 0, "threads must be a multiple of block")
  dev:module "sl1_grep.ptx"
  local text = kit.text(p.seed, bytes)
  local found = kit.zeros(dev, "i32", p.threads * room, "found")
  local count = kit.zeros(dev, "i32", p.threads, "count")
  kit.row(dev, "sl1_grep", p.threads, p.block,
          { kit.bytes(dev, text, "text"),
            kit.bytes(dev, pattern .. ("\0"):rep(longest - #pattern),
                      "pattern"), found, count, p.chunk, room })

  return function()
    local places, counts = {}, {}
    for i = 0, p.threads * room - 1 do places[i] = 0 end
    for t = 0, p.threads - 1 do counts[t] = 0 end
    for at, line in text:gmatch "()([^\n]*)\n" do
      local t = (at - 1) // p.chunk
      if line:find(lua_pattern) then
        places[t * room + counts[t]] = at - 1
        counts[t] = counts[t] + 1
      end
    end
    kit.equal(dev, "count", count, counts)
    kit.equal(dev, "found", found, places)
    dev:verified "all lines that match"
  end
end

return {
  name = "sl1_grep",
  doc = "Lines that match a pattern (S-L1)",
  suite = "S-L1",
  source = "S-L1",
  classes = { sl1 = "streaming" },
  notes = "The matcher goes back in a loop; the paper's is recursive.",
  params = { kit.threads,
             kit.param("chunk", 64, "Bytes of a thread"),
             kit.block },
  sizes = { tiny = { threads = 64, chunk = 80, block = 32 } },
  paper = "none: S-L1 states no sizes",
  loads = {
    sl1_grep = { text = "intra divergent", pattern = "inter coherent" },
  },
  run = run,
}
