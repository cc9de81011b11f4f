-- shfl_scan: prefix sums by shuffles, shfl_scan of the CUDA samples.

local kit = require "warploom.kit"

local function run(dev, p)
  local block, n = 256, 256 * p.blocks
  dev:module "shfl_scan.ptx"
  local data = dev:array("i32", n):random(p.seed, 0, 9)
  local ddata = dev:upload(data, "data")
  -- The sums of the blocks are scanned by one block.
  local width = kit.ceil(p.blocks, 32) * 32
  local partial = kit.zeros(dev, "i32", width, "partial")
  dev:launch("shfl_scan", { grid = p.blocks, block = block,
                            args = { ddata, partial } })
  dev:launch("shfl_scan", { grid = 1, block = width, args = { partial, 0 } })
  dev:launch("shfl_add", { grid = p.blocks, block = block,
                           args = { ddata, partial } })

  return function()
    local want, sum = {}, 0
    for i, v in ipairs(data:table()) do
      sum = sum + v
      want[i - 1] = sum
    end
    kit.equal(dev, "data", ddata, want)
    dev:verified "all sums"
  end
end

return {
  name = "shfl_scan",
  doc = "Prefix sums by shuffles (CUDA samples shfl_scan)",
  suite = "CUDA samples",
  source = "Hillis and Steele, 1986",
  classes = { twolevel = "named" },
  params = { kit.param("blocks", 1024, "Blocks of 256 elements", 1024) },
  sizes = { tiny = { blocks = 5 }, paper = { blocks = 256 } },
  paper = "the default of the CUDA sample",
  notes = "68 % of its loads miss in the L1 of the two-level paper, which " ..
          "runs the sample's integral image, too; so do lines and hits of " ..
          "the reference.",
  loads = {
    shfl_scan = { data = "streaming coherent",
                  partial = "streaming coherent" },
    shfl_add = { data = "streaming coherent", partial = "inter coherent" },
  },
  reference = { at = { blocks = 256 }, minst = 7.4, lines = 1.2,
                hits = { 0, 0, 0, 0 },
                why = "of the 4,359 loads of the scan 135 hit, all where " ..
                      "blocks load their neighbours' sums; the " ..
                      "reference's hits are those of the whole sample, " ..
                      "which executes 17 times as many instructions, " ..
                      "nearly all in its integral image: 135 are below " ..
                      "0.5 % of that" },
  run = run,
}
