-- sl1_pageview: hits of each URL in a web log, a chunk per thread.

local kit = require "warploom.kit"

local function run(dev, p)
  local bytes, slots = p.threads * p.chunk, 4096
  dev:check(p.threads % p.block == 0, "threads must be a multiple of block")
  dev:module "sl1_pageview.ptx"
  local random = kit.random(p.seed)
  local words = kit.words(random, 1000)
  local log = kit.lines(bytes, function()
    -- Some pages are read more often than others.
    local page = words[1 + random(1 + random(#words))]
    return ("www.%s.com 10.0.%d.%d %d\n"):format(page, random(256),
                                                 random(256), random(10000))
  end)
  local key, count = kit.zeros(dev, "i32", slots, "key"),
                     kit.zeros(dev, "i32", slots, "count")
  kit.row(dev, "sl1_pageview", p.threads, p.block,
          { kit.bytes(dev, log, "log"), key, count, slots, p.chunk, bytes })

  return function()
    local want, keys, counts = {}, kit.list(key), kit.list(count)
    for url in log:gmatch "([^\n ]*)[^\n]*\n" do
      local h = kit.hash(url)
      h = h >= 1 << 31 and h - (1 << 32) or h
      want[h] = (want[h] or 0) + 1
    end
    for s = 0, slots - 1 do
      dev:check(keys[s] == 0 and counts[s] == 0 or
                counts[s] == want[keys[s]], "a count differs")
      want[keys[s]] = nil
    end
    dev:check(next(want) == nil, "a URL is missing")
    dev:verified "the hits of every URL"
  end
end

return {
  name = "sl1_pageview",
  doc = "Hits of each URL in a web log (S-L1)",
  suite = "S-L1",
  source = "S-L1",
  classes = { sl1 = "streaming" },
  params = { kit.threads, kit.param("chunk", 128, "Bytes of a thread"),
             kit.block },
  sizes = { tiny = { threads = 64, chunk = 80, block = 32 } },
  paper = "none: S-L1 states no sizes",
  loads = {
    sl1_pageview = { log = "intra divergent", key = "inter divergent" },
  },
  run = run,
}
