-- micro_locality: loads of known locality, for techniques that classify them.

local kinds = { stream = 1, own = 2, table = 4, mixed = 7 }

local function run(dev, p)
  local warps = p.warps * p.ctas
  local own = (p.rounds * warps + 15) // 16 * 32 -- in lines
  local shared = own + warps * 32
  local kind = kinds[p.kind]
  dev:check(kind ~= nil, "kind is stream, own, table or mixed")
  local module = dev:module "micro_locality.ptx"
  local host = dev:array("u32", (shared + 32) * 32)
    :map(function(_, i) return i end)
  local data = dev:upload(host, "data")
  local out = dev:alloc({ type = "u32", count = warps * 32 }, "out")
  dev:launch(module.micro_locality, {
    grid = p.ctas, block = p.warps * 32,
    args = { data, out, p.rounds, p.lines, own, shared, kind },
  })

  local function sum_of(warp, lane)
    local sum = 0
    local function add(line) sum = sum + line * 32 + lane end
    for r = 0, p.rounds - 1 do
      local n = r * warps + warp
      if kind & 1 ~= 0 then add(n // 16 * 32 + 16 + n % 16) end
      for k = 0, p.lines - 1 do
        if kind & 2 ~= 0 then add(own + warp * 32 + k) end
        if kind & 4 ~= 0 then add(shared + 8 + k) end
      end
    end
    return sum & 0xFFFFFFFF
  end
  local got = out:download()
  for warp = 0, warps - 1 do
    local lane = warp * 7 % 32
    dev:check(got[warp * 32 + lane] == sum_of(warp, lane),
              ("the sum of warp %d is %d"):format(warp,
                                                  got[warp * 32 + lane]))
  end
  dev:verified "the sum of a lane of each warp"
end

return {
  name = "micro_locality",
  doc = "Loads whose lines are streamed, a warp's own, shared, or all three",
  sizes = { tiny = { ctas = 2, rounds = 4 } },
  params = {
    { name = "kind", default = "mixed",
      doc = "stream, own, table or mixed: what is loaded" },
    { name = "rounds", default = 12, min = 1, max = 1000,
      doc = "Times that a warp goes over its lines" },
    { name = "lines", default = 8, min = 1, max = 8,
      doc = "Lines of a warp, and of the table" },
    { name = "warps", default = 8, min = 1, max = 32, doc = "Warps of a CTA" },
    { name = "ctas", default = 30, min = 1, max = 1024, doc = "CTAs" },
  },
  run = run,
}
