-- nw: alignment of two sequences, Rodinia's nw.

local kit = require "warploom.kit"

local penalty = 10

local function run(dev, p)
  local n, columns = p.n, p.n + 1
  dev:check(n % 16 == 0, "n must be a multiple of 16")
  dev:module "nw.ptx"
  local a = kit.list(dev:array("i32", columns):random(p.seed, 0, 9))
  local b = kit.list(dev:array("i32", columns):random(p.seed + 1, 0, 9))
  -- How alike two letters are: symmetric, best for equal ones.
  local similarity = dev:array("i32", columns * columns):map(function(_, i)
    local x, y = a[i % columns], b[i // columns]
    return x == y and 5 + x % 3 or (x * y) % 7 - 4
  end)
  local score = dev:array("i32", columns * columns)
  for i = 1, n do
    score[i], score[i * columns] = -penalty * i, -penalty * i
  end
  local ds, dscore = dev:upload(similarity, "similarity"),
                     dev:upload(score, "score")
  local tiles = n // 16
  for d = 1, tiles do
    dev:launch("nw_upper", { grid = d, block = 16,
                             args = { ds, dscore, columns, penalty, d } })
  end
  for d = tiles - 1, 1, -1 do
    dev:launch("nw_lower", { grid = d, block = 16,
                             args = { ds, dscore, columns, penalty, d,
                                      tiles } })
  end

  return function()
    local s, m = kit.list(similarity), kit.list(score)
    for y = 1, n do
      for x = 1, n do
        local at = y * columns + x
        m[at] = math.max(m[at - columns - 1] + s[at],
                         m[at - 1] - penalty, m[at - columns] - penalty)
      end
    end
    kit.equal(dev, "score", dscore, m)
    dev:verified "all scores"
  end
end

return {
  name = "nw",
  doc = "Alignment of two sequences (Rodinia nw)",
  suite = "Rodinia",
  source = "Needleman and Wunsch, 1970",
  classes = { twolevel = "named", loscache = "named" },
  params = { kit.param("n", 512, "Letters of a sequence", 8192, 16) },
  sizes = { tiny = { n = 48 }, paper = { n = 2048 } },
  paper = "LoSCache: \"default inputs\"",
  loads = {
    nw_upper = { similarity = "streaming coherent",
                 score = "streaming divergent" },
    nw_lower = { similarity = "inter coherent", score = "streaming divergent" },
  },
  reference = { at = { n = 512 }, minst = 6.8, lines = 2.2, hits = { 21 } },
  run = run,
}
