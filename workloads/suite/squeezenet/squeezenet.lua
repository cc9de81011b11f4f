-- squeezenet: SqueezeNet with random weights, after Tango.

local kit = require "warploom.kit"
local net = kit.net

-- Squeezes to s maps and expands to 4 s and 4 s.
local function fire(layers, a, s)
  a = layers:convolve(a, { maps = s, kernel = 1, rectify = true })
  return layers:joined(
    layers:convolve(a, { maps = 4 * s, kernel = 1, rectify = true }),
    layers:convolve(a, { maps = 4 * s, kernel = 3, pad = 1, rectify = true }))
end

local function run(dev, p)
  dev:module "squeezenet.ptx"
  local layers = net.new(dev, "squeezenet", p.seed, "f32",
                         function(width)
    return { block = width, grid = function(maps) return { width, maps } end }
  end)
  local a = layers:convolve(layers:image(3, p.side), { maps = 4 * p.squeeze,
    kernel = 3, stride = 2, rectify = true })
  a = layers:pool(a)
  for i = 1, p.modules do
    a = fire(layers, a, p.squeeze)
    if i % 2 == 0 then a = layers:pool(a) end
  end

  return function()
    layers:check(a, "map", 1e-4)
    dev:verified "the last maps, to 1e-4"
  end
end

return {
  name = "squeezenet",
  doc = "A convolutional network, the beginning of SqueezeNet (Tango)",
  suite = "Tango",
  source = "Iandola et al., 2016",
  classes = { twolevel = "bypass" },
  params = { kit.param("side", 79, "Rows and columns of the image", 227, 15),
             kit.param("squeeze", 4, "Maps that a module squeezes to", 64),
             kit.param("modules", 3, "Fire modules", 4) },
  sizes = { tiny = { side = 31, squeeze = 1, modules = 2 },
            paper = { side = 227, squeeze = 16, modules = 4 } },
  paper = "the input of the network",
  notes = "Every fire module squeezes to the same number of maps; the " ..
          "published network doubles it. Weights are random.",
  loads = {
    squeezenet_convolve = { input = "mixed coherent",
                            weight = "mixed coherent",
                            bias = "inter coherent" },
    squeezenet_pool = { input = "intra coherent" },
  },
  run = run,
}
