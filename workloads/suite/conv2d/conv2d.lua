-- conv2d: convolution of an image with a mask of 3 x 3, PolyBench's 2DCONV.

local kit = require "warploom.kit"

local mask = { { 0.2, 0.5, -0.8 }, { -0.3, 0.6, -0.9 }, { 0.4, 0.7, 0.1 } }

local function reference(a, h, w)
  local b = {}
  for i = 0, h * w - 1 do b[i] = 0 end
  for i = 1, h - 2 do
    for j = 1, w - 2 do
      local sum = 0
      for y = 1, 3 do
        local at = (i + y - 2) * w + j - 2
        local row = mask[y]
        sum = sum + row[1] * a[at + 1] + row[2] * a[at + 2] +
              row[3] * a[at + 3]
      end
      b[i * w + j] = sum
    end
  end
  return b
end

local function run(dev, p)
  local h, w = p.rows, p.columns
  dev:module "conv2d.ptx"
  local a = kit.real(dev, h * w, p.seed)
  local b = kit.zeros(dev, "f32", h * w, "B")
  kit.plane(dev, "conv2d", w, h, { h, w, dev:upload(a, "A"), b })

  return function()
    kit.close(dev, "B", b, reference(kit.list(a), h, w), 1e-6)
    dev:verified "all elements, to 1e-6"
  end
end

return {
  name = "conv2d",
  doc = "Convolution with a mask of 3 x 3 (PolyBench 2DCONV)",
  suite = "PolyBench",
  source = "PolyBench 2DCONV",
  classes = { dacache = "coherent" },
  params = {
    kit.param("rows", 1024, "Rows of the image", 8192),
    kit.param("columns", 1024, "Columns of the image", 8192),
  },
  sizes = { tiny = { rows = 40, columns = 70 },
            paper = { rows = 4096, columns = 4096 } },
  paper = "DaCache: \"default\"",
  loads = { conv2d = { A = "mixed coherent" } },
  reference = { at = { rows = 512, columns = 512 }, minst = 12.0,
                lines = 1.6, hits = { 62, 78, 79, 79 } },
  run = run,
}
