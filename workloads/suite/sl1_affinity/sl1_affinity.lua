-- sl1_affinity: merchants that customers of merchant 0 visit, a chunk of
-- records per thread.

local kit = require "warploom.kit"

local function run(dev, p)
  local records = p.threads * p.chunk
  local random = kit.random(p.seed)
  local text, card, merchant = {}, {}, {}
  dev:check(p.threads % p.block == 0, "threads must be a multiple of block")
  for r = 1, records do
    card[r] = random(p.cards)
    merchant[r] = random(1 + random(p.merchants)) -- some are visited more
    text[r] = ("%08d %06d\n"):format(card[r], merchant[r])
  end
  dev:module "sl1_affinity.ptx"
  local drecords = kit.bytes(dev, table.concat(text), "record")
  local marked = kit.zeros(dev, "u8", p.cards, "marked")
  local visits = kit.zeros(dev, "i32", p.merchants, "visits")
  kit.row(dev, "sl1_affinity_mark", p.threads, p.block,
          { drecords, marked, 0, p.chunk })
  kit.row(dev, "sl1_affinity_count", p.threads, p.block,
          { drecords, marked, visits, p.chunk })

  return function()
    local is_marked, want = {}, {}
    for m = 0, p.merchants - 1 do want[m] = 0 end
    for r = 1, records do
      if merchant[r] == 0 then is_marked[card[r]] = true end
    end
    for r = 1, records do
      if is_marked[card[r]] then
        want[merchant[r]] = want[merchant[r]] + 1
      end
    end
    kit.equal(dev, "visits", visits, want)
    dev:verified "the visits of every merchant"
  end
end

return {
  name = "sl1_affinity",
  doc = "Merchants that customers of a merchant visit (S-L1)",
  suite = "S-L1",
  source = "S-L1",
  classes = { sl1 = "streaming" },
  params = { kit.threads, kit.param("chunk", 8, "Records of a thread"),
             kit.param("cards", 65536, "Customers", 100000000),
             kit.param("merchants", 2000, "Merchants", 1000000),
             kit.block },
  sizes = { tiny = { threads = 64, chunk = 3, cards = 50, merchants = 20,
                     block = 32 } },
  paper = "none: S-L1 states no sizes",
  loads = {
    sl1_affinity_mark = { record = "intra divergent" },
    sl1_affinity_count = { record = "intra divergent",
                           marked = "inter divergent" },
  },
  run = run,
}
