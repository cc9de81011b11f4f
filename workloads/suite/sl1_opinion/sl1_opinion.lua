-- sl1_opinion: sentiment of tweets about a subject, a chunk per thread.

local kit = require "warploom.kit"

local slots = 1024

-- Scores of the lines that begin in each chunk.
local function reference(text, p, opinion, subject)
  local score = {}
  for t = 0, p.threads - 1 do score[t] = 0 end
  for at, line in text:gmatch "()([^\n]*)\n" do
    local t, sum, about = (at - 1) // p.chunk, 0, false
    for word in line:gmatch "%S+" do
      about = about or word == subject
      sum = sum + (opinion[word] or 0)
    end
    if about then score[t] = score[t] + sum end
  end
  return score
end

local function run(dev, p)
  local bytes = p.threads * p.chunk
  dev:check(p.threads % p.block == 0, "threads must be a multiple of block")
  dev:module "sl1_opinion.ptx"
  local random = kit.random(p.seed)
  local words = kit.words(random, 400)
  local text = kit.text(p.seed + 1, bytes, words)
  local key, value, opinion = dev:array("u32", slots),
                              dev:array("i32", slots), {}
  for i = 1, 200 do -- every other word has an opinion
    local word = words[2 * i]
    local at = kit.hash(word) % slots
    while key[at] ~= 0 do at = (at + 1) % slots end
    opinion[word] = random(11) - 5
    key[at], value[at] = kit.hash(word), opinion[word]
  end
  local score = kit.zeros(dev, "i32", p.threads, "score")
  kit.row(dev, "sl1_opinion", p.threads, p.block,
          { kit.bytes(dev, text, "text"), dev:upload(key, "key"),
            dev:upload(value, "opinion"), score, kit.hash(words[1]), slots,
            p.chunk, bytes })

  return function()
    kit.equal(dev, "score", score, reference(text, p, opinion, words[1]))
    dev:verified "the score of every chunk"
  end
end

return {
  name = "sl1_opinion",
  doc = "Sentiment of tweets about a subject (S-L1)",
  suite = "S-L1",
  source = "S-L1",
  classes = { sl1 = "streaming" },
  params = { kit.threads,
             kit.param("chunk", 128, "Bytes of a thread"),
             kit.block },
  sizes = { tiny = { threads = 64, chunk = 80, block = 32 } },
  paper = "none: S-L1 states no sizes",
  loads = {
    sl1_opinion = { text = "intra divergent", key = "inter divergent",
                    opinion = "inter divergent" },
  },
  run = run,
}
