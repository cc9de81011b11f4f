-- sl1_dna: assembly of DNA fragments, a chunk of them per thread.
--
-- Fragments overlap by `overlap` bases and are shuffled; the check follows
-- the links from the first fragment and compares with the sequence.

local kit = require "warploom.kit"

local length = 64

local function sequence(random, bases)
  local out = {}
  for i = 1, bases do out[i] = ("ACGT"):byte(1 + random(4)) end
  for i = 1, bases, 4096 do
    out[#out + 1] = string.char(table.unpack(out, i,
                                             math.min(i + 4095, bases)))
  end
  return table.concat(out, "", bases + 1)
end

local function run(dev, p)
  local count, step = p.threads * p.chunk, length - p.overlap
  local random, slots = kit.random(p.seed), 1
  while slots < 4 * count do slots = slots * 2 end
  dev:check(p.threads % p.block == 0, "threads must be a multiple of block")
  dev:module "sl1_dna.ptx"
  local dna = sequence(random, count * step + p.overlap)
  local order = {} -- where in the sequence fragment f is
  for f = 0, count - 1 do
    local other = random(f + 1)
    order[f] = order[other]
    order[other] = f
  end
  local fragments = {}
  for f = 0, count - 1 do
    fragments[f + 1] = dna:sub(order[f] * step + 1, order[f] * step + length)
  end
  local dfragments = kit.bytes(dev, table.concat(fragments), "fragment")
  local dtable = kit.zeros(dev, "i32", slots, "table")
  local before = kit.zeros(dev, "i32", count, "before")
  kit.row(dev, "sl1_dna_enter", p.threads, p.block,
          { dfragments, dtable, slots, length, p.overlap, p.chunk })
  kit.row(dev, "sl1_dna_merge", p.threads, p.block,
          { dfragments, dtable, before, slots, length, p.overlap, p.chunk })

  return function()
    local got, after, made = kit.list(before), {}, {}
    local f = -1
    for i = 0, count - 1 do
      dev:check(got[i] < 0 or not after[got[i]], "two follow one fragment")
      if got[i] < 0 then f = i else after[got[i]] = i end
    end
    made[1] = fragments[f + 1]:sub(1, p.overlap)
    while f do
      made[#made + 1] = fragments[f + 1]:sub(p.overlap + 1)
      f = after[f]
    end
    dev:check(table.concat(made) == dna, "the sequence differs")
    dev:verified "the whole sequence"
  end
end

return {
  name = "sl1_dna",
  doc = "Assembly of DNA fragments (S-L1)",
  suite = "S-L1",
  source = "S-L1",
  classes = { sl1 = "streaming" },
  notes = "Two random fragments that share 24 bases by chance are not " ..
          "expected below a million fragments.",
  params = { kit.threads, kit.param("chunk", 2, "Fragments of a thread"),
             kit.param("overlap", 24, "Bases that neighbours share", 63, 16),
             kit.block },
  sizes = { tiny = { threads = 64, chunk = 2, block = 32 } },
  paper = "none: S-L1 states no sizes",
  loads = {
    sl1_dna_enter = { fragment = "intra divergent" },
    sl1_dna_merge = { fragment = "intra divergent",
                      table = "streaming divergent" },
  },
  run = run,
}
