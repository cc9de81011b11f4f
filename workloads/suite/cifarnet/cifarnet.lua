-- cifarnet: CifarNet with random weights, after Tango.

local kit = require "warploom.kit"
local net = kit.net

local function run(dev, p)
  local f, side = p.filters, p.side
  dev:check(side % 8 == 0 and side <= 32,
            "side must be a multiple of 8 up to 32")
  dev:module "cifarnet.ptx"
  local layers = net.new(dev, "cifarnet", p.seed, "f64",
                         function(width)
    return { block = { width, width }, grid = function(maps) return maps end }
  end)
  local image = layers:image(3, side)
  local a = layers:convolve(image, { maps = f, kernel = 5, pad = 2 })
  a = layers:pool(a)
  a = layers:convolve(a, { maps = f, kernel = 5, pad = 2, rectify = true })
  a = layers:pool(a)
  a = layers:convolve(a, { maps = 2 * f, kernel = 5, pad = 2, rectify = true })
  a = layers:pool(a)
  local classes = layers:classify(a, 10)

  return function()
    layers:check(classes, "class", 1e-9)
    dev:verified "the scores of the classes, to 1e-9"
  end
end

return {
  name = "cifarnet",
  doc = "A convolutional network, CifarNet (Tango)",
  suite = "Tango",
  source = "Krizhevsky's cuda-convnet for CIFAR-10",
  classes = { twolevel = "cache-friendly" },
  params = { kit.param("filters", 12, "Maps of the first layer", 512),
             kit.param("side", 32, "Rows and columns of the image", 32, 8) },
  sizes = { tiny = { filters = 2, side = 16 }, paper = { filters = 32 } },
  paper = "the whole network",
  notes = "4.6 % of its loads miss in the L1 of the two-level paper. " ..
          "Weights are random. Values are in double precision, as the " ..
          "published program's, which gives a layer one CTA of 32 x 32 " ..
          "threads, of which 32 x 32, 16 x 16 and 8 x 8 work in the three " ..
          "convolutions; ours has a CTA for each map: its addresses, " ..
          "compiled by nvcc, touch 6.3 lines per load in the same model, " ..
          "ours 8.0.",
  loads = {
    cifarnet_convolve = { input = "inter divergent",
                          weight = "inter coherent",
                          bias = "inter coherent" },
    cifarnet_pool = { input = "inter divergent" },
    cifarnet_classify = { input = "intra coherent",
                          weight = "intra divergent",
                          bias = "streaming coherent" },
  },
  reference = { at = { filters = 32 }, minst = 165.6, lines = 7.5,
                hits = { 99 } },
  run = run,
}
