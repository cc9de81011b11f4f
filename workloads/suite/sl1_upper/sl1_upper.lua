-- sl1_upper: text in upper case, a chunk of bytes per thread.

local kit = require "warploom.kit"

local function run(dev, p)
  local bytes = p.threads * p.chunk
  dev:check(p.threads % p.block == 0, "threads must be a multiple of block")
  dev:module "sl1_upper.ptx"
  local text = kit.text(p.seed, bytes)
  local out = kit.zeros(dev, "u8", bytes, "out")
  kit.row(dev, "sl1_upper", p.threads, p.block,
          { kit.bytes(dev, text, "in"), out, p.chunk })

  return function()
    dev:check(out:download():string() == text:upper(), "the text differs")
    dev:verified "all bytes"
  end
end

return {
  name = "sl1_upper",
  doc = "Text in upper case (S-L1)",
  suite = "S-L1",
  source = "S-L1",
  classes = { sl1 = "streaming" },
  params = { kit.threads, kit.param("chunk", 128, "Bytes of a thread"),
             kit.block },
  sizes = { tiny = { threads = 64, chunk = 40, block = 32 } },
  paper = "none: S-L1 states no sizes",
  loads = {
    sl1_upper = { ["in"] = "intra divergent" },
  },
  run = run,
}
