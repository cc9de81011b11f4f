-- conv3d: convolution of a volume plane by plane, PolyBench's 3DCONV.
--
-- Whole numbers in and out, compared bit for bit.

local kit = require "warploom.kit"

local mask = { { -1, -1, -1, 2 }, { 1, -1, -1, 4 }, { 0, -1, 0, 5 },
               { 0, 0, 0, 6 }, { 0, 1, 0, 7 }, { -1, -1, 1, -3 },
               { 1, -1, 1, -8 }, { -1, 0, 1, 1 }, { 1, 0, 1, -9 },
               { -1, 1, 1, 10 }, { 1, 1, 1, -2 } }

local function reference(a, n)
  local b, shift = {}, {}
  for q, m in ipairs(mask) do
    shift[q] = { (m[1] * n + m[2]) * n + m[3], m[4] }
  end
  for i = 0, n * n * n - 1 do b[i] = 0 end
  for i = 1, n - 2 do
    for j = 1, n - 2 do
      for k = 1, n - 2 do
        local at, sum = (i * n + j) * n + k, 0
        for q = 1, #shift do sum = sum + shift[q][2] * a[at + shift[q][1]] end
        b[at] = sum
      end
    end
  end
  return b
end

local function run(dev, p)
  local n = p.n
  dev:module "conv3d.ptx"
  local a = kit.whole(dev, n * n * n, p.seed)
  local da, b = dev:upload(a, "A"), kit.zeros(dev, "f32", n * n * n, "B")
  for i = 1, n - 2 do kit.plane(dev, "conv3d", n, n, { n, n, da, b, i }) end

  return function()
    kit.equal(dev, "B", b, reference(kit.list(a), n))
    dev:verified "all elements, bit for bit"
  end
end

return {
  name = "conv3d",
  doc = "Convolution of a volume plane by plane (PolyBench 3DCONV)",
  suite = "PolyBench",
  source = "PolyBench 3DCONV",
  classes = { dacache = "coherent" },
  params = { kit.param("n", 64, "Edge of the volume", 512, 3) },
  sizes = { tiny = { n = 12 }, paper = { n = 256 } },
  paper = "DaCache: \"default\"",
  loads = { conv3d = { A = "inter coherent" } },
  reference = { at = { n = 64 }, minst = 15.9, lines = 1.4,
                hits = { 83, 83, 84, 84 } },
  run = run,
}
