-- btree: queries of a B+ tree, Rodinia's b+tree.
--
-- The keys are 0, 2, 4 .., the record of key 2 i is number i.

local kit = require "warploom.kit"

local order = 256
local largest = 0x7fffffff

-- Nodes as bytes, the root's number, and how many levels are above leaves.
local function build(count)
  local level, nodes, height = {}, {}, 0
  local function add(keys, indices, leaf)
    local at = #nodes
    local body = table.move(keys, 1, order + 1, order + 2,
                            table.move(indices, 1, order + 1, 1, {}))
    for i = 1, order + 1 do
      body[i] = body[i] or indices[#indices]
      body[order + 1 + i] = body[order + 1 + i] or largest
    end
    body[2 * order + 3], body[2 * order + 4] = leaf and 1 or 0, #keys
    nodes[at + 1] = ("<" .. ("i4"):rep(2 * order + 5)):pack(at,
                                                            table.unpack(body))
    return { at = at, key = keys[1] }
  end
  for first = 0, count - 1, order - 1 do
    local keys, indices = {}, {}
    for i = first, math.min(first + order - 2, count - 1) do
      keys[#keys + 1], indices[#indices + 1] = 2 * i, i
    end
    level[#level + 1] = add(keys, indices, true)
  end
  while #level > 1 do
    local above = {}
    height = height + 1
    for first = 1, #level, order - 1 do
      local keys, indices = {}, {}
      for i = first, math.min(first + order - 2, #level) do
        keys[#keys + 1] = #keys == 0 and first == 1 and -largest or
                          level[i].key
        indices[#indices + 1] = level[i].at
      end
      above[#above + 1] = add(keys, indices, false)
      above[#above].key = level[first].key
    end
    level = above
  end
  return table.concat(nodes), level[1].at, height
end

local function run(dev, p)
  local n, q, r = p.keys, p.queries, p.ranges
  local random = kit.random(p.seed)
  local nodes, root, height = build(n)
  dev:module "btree.ptx"
  local dnodes = kit.bytes(dev, nodes, "node")
  local record = kit.array(dev, "i32", n, function(i) return 7 * i + 3 end)
  local function ints(name, count, f)
    return dev:upload(kit.array(dev, "i32", count, f), name)
  end
  local function start(name, count)
    return ints(name, count, function() return root end)
  end
  local wanted, from, to = {}, {}, {}
  for i = 0, q - 1 do wanted[i] = random(2 * n) end
  for i = 0, r - 1 do
    from[i] = 2 * random(n)
    to[i] = from[i] + 2 * random(math.min(1000, n - from[i] // 2))
  end
  local function of(t) return function(i) return t[i] end end
  local answer = ints("answer", q, function() return -1 end)
  dev:launch("btree_find", { grid = q, block = order, args = {
    height, dnodes, start("current", q), start("offset", q),
    ints("wanted", q, of(wanted)), answer, dev:upload(record, "record") } })
  local first, length = kit.zeros(dev, "i32", r, "start"),
                        kit.zeros(dev, "i32", r, "length")
  dev:launch("btree_range", { grid = r, block = order, args = {
    height, dnodes, start("current", r), start("offset", r),
    start("last", r), start("last_offset", r), ints("from", r, of(from)),
    ints("to", r, of(to)), first, length } })

  return function()
    local found, lengths, starts = {}, {}, {}
    for i = 0, q - 1 do
      found[i] = wanted[i] % 2 == 0 and 7 * (wanted[i] // 2) + 3 or -1
    end
    for i = 0, r - 1 do
      starts[i], lengths[i] = from[i] // 2, (to[i] - from[i]) // 2 + 1
    end
    kit.equal(dev, "answer", answer, found)
    kit.equal(dev, "start", first, starts)
    kit.equal(dev, "length", length, lengths)
    dev:verified "all answers and ranges"
  end
end

return {
  name = "btree",
  doc = "Queries of a B+ tree (Rodinia b+tree)",
  suite = "Rodinia",
  source = "Fix, Wilkes and Skadron, 2011",
  classes = { twolevel = "cache-friendly" },
  params = { kit.param("keys", 100000, "Keys of the tree", 10000000),
             kit.param("queries", 400, "Queries of one key", 65535),
             kit.param("ranges", 200, "Queries of ranges", 65535) },
  sizes = { tiny = { keys = 1000, queries = 12, ranges = 6 },
            paper = { keys = 1000000, queries = 10000, ranges = 6000 } },
  paper = "the default of Rodinia",
  loads = {
    btree_find = { node = "inter coherent", current = "inter coherent",
                   wanted = "inter coherent", offset = "inter coherent",
                   record = "streaming coherent" },
    btree_range = { node = "inter coherent", current = "inter coherent",
                    last = "inter coherent", offset = "inter coherent",
                    last_offset = "inter coherent",
                    from = "inter coherent", to = "inter coherent",
                    start = "inter coherent" },
  },
  reference = { at = { queries = 1000, ranges = 600 }, minst = 37.7,
                lines = 1.3, hits = { 83, 85, 86, 86 } },
  run = run,
}
