-- sl1_wc: words and lines of a text, a chunk of bytes per thread.

local kit = require "warploom.kit"

local function run(dev, p)
  local bytes = p.threads * p.chunk
  dev:check(p.threads % p.block == 0, "threads must be a multiple of block")
  dev:module "sl1_wc.ptx"
  local text = kit.text(p.seed, bytes)
  local words, lines = kit.zeros(dev, "i32", p.threads, "words"),
                       kit.zeros(dev, "i32", p.threads, "lines")
  kit.row(dev, "sl1_wc", p.threads, p.block,
          { kit.bytes(dev, text, "text"), words, lines, p.chunk })

  return function()
    local w, l = {}, {}
    for t = 0, p.threads - 1 do w[t], l[t] = 0, 0 end
    for at in text:gmatch "()%S+" do
      local t = (at - 1) // p.chunk
      w[t] = w[t] + 1
    end
    for at in text:gmatch "()\n" do
      local t = (at - 1) // p.chunk
      l[t] = l[t] + 1
    end
    kit.equal(dev, "words", words, w)
    kit.equal(dev, "lines", lines, l)
    dev:verified "words and lines of every chunk"
  end
end

return {
  name = "sl1_wc",
  doc = "Words and lines of a text (S-L1)",
  suite = "S-L1",
  source = "S-L1",
  classes = { sl1 = "streaming" },
  params = { kit.threads, kit.param("chunk", 128, "Bytes of a thread"),
             kit.block },
  sizes = { tiny = { threads = 64, chunk = 40, block = 32 } },
  paper = "none: S-L1 states no sizes",
  loads = {
    sl1_wc = { text = "intra divergent" },
  },
  run = run,
}
