-- micro_shared: bank conflicts of shared memory.
--
-- Two launches warm the caches, of instructions too; the fourth makes 128
-- loads of each chain more than the third.

local function run(dev, p)
  dev:module "micro_shared.ptx"
  local threads = 32 * p.warps
  local out = dev:alloc({ type = "u32", count = threads }, "out")
  local kernel = p.chains == 2 and "micro_shared_pair_" or "micro_shared_"
  for _, kind in ipairs { "long", "short", "short", "long" } do
    dev:launch(kernel .. kind, { grid = 1, block = threads,
                                 args = { out, p.stride } })
    local got = out:download()
    for i = 0, threads - 1 do
      local want = i % 32 * p.stride % 4096
      dev:check(got[i] == want, ("thread %d reads word %d, expected %d")
                :format(i, got[i], want))
    end
  end
  dev:verified "every lane's word"
end

return {
  name = "micro_shared",
  doc = "Loads from shared memory by a stride; the fourth launch makes 128 " ..
        "loads more a warp and chain",
  sizes = { tiny = { stride = 3 } },
  params = {
    { name = "stride", default = 1, min = 0, max = 127,
      doc = "Words from lane to lane; 0: all lanes read one word" },
    { name = "chains", default = 1, min = 1, max = 2,
      doc = "Loads of a thread that are under way" },
    { name = "warps", default = 1, min = 1, max = 32, doc = "Warps" },
  },
  run = run,
}
