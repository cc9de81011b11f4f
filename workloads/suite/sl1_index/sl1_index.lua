-- sl1_index: links in HTML files, a chunk per thread.

local kit = require "warploom.kit"

local function html(seed, bytes)
  local random = kit.random(seed)
  local words = kit.words(random, 300)
  local function word() return words[1 + random(#words)] end
  return kit.lines(bytes, function()
    if random(2) == 0 then
      return ("<p>%s %s %s</p>\n"):format(word(), word(), word())
    end
    return ('<a href="http://%s.org/%s">%s</a>\n'):format(word(), word(),
                                                          word())
  end)
end

local function run(dev, p)
  local bytes = p.threads * p.chunk
  local room = p.chunk // 30 + 2 -- a link is longer than 30 bytes
  dev:check(p.threads % p.block == 0, "threads must be a multiple of block")
  dev:module "sl1_index.ptx"
  local text = html(p.seed, bytes)
  local target = kit.zeros(dev, "u32", 2 * p.threads * room, "target")
  local count = kit.zeros(dev, "i32", p.threads, "count")
  kit.row(dev, "sl1_index", p.threads, p.block,
          { kit.bytes(dev, text, "html"), target, count, p.chunk, bytes,
            room })

  return function()
    local links, counts = {}, {}
    for i = 0, 2 * p.threads * room - 1 do links[i] = 0 end
    for t = 0, p.threads - 1 do counts[t] = 0 end
    for at, url in text:gmatch 'href="()([^"]*)"' do
      local t = (at - 2) // p.chunk -- where the quotation mark is
      local to = 2 * (t * room + counts[t])
      links[to], links[to + 1] = kit.hash(url), at - 1
      counts[t] = counts[t] + 1
    end
    kit.equal(dev, "count", count, counts)
    kit.equal(dev, "target", target, links)
    dev:verified "all links"
  end
end

return {
  name = "sl1_index",
  doc = "Inverted index of HTML files (S-L1)",
  suite = "S-L1",
  source = "S-L1",
  classes = { sl1 = "streaming" },
  params = { kit.threads,
             kit.param("chunk", 64, "Bytes of a thread"),
             kit.block },
  sizes = { tiny = { threads = 64, chunk = 80, block = 32 } },
  paper = "none: S-L1 states no sizes",
  loads = {
    sl1_index = { html = "intra divergent" },
  },
  run = run,
}
