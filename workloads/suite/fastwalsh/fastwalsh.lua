-- fastwalsh: dyadic convolution by fast Walsh transforms,
-- fastWalshTransform of the CUDA samples.
--
-- Small whole numbers and a scale that is a power of two: exact.

local kit = require "warploom.kit"

local part = 2048

local function transform(dev, data, n)
  local size = n
  while size > part do
    dev:launch("fastwalsh_global", { grid = n // 4 // 256, block = 256,
                                     args = { data, size // 4 } })
    size = size // 4
  end
  dev:launch("fastwalsh_shared", { grid = n // size, block = size // 4,
                                   args = { data, size } })
end

-- A part of the dyadic convolution.
local function convolved(a, first)
  local want = {}
  for i = first, first + part - 1 do
    local sum = 0
    for k = 0, 127 do sum = sum + k * 7 % 4 * a[i ~ k] end
    want[i - first] = sum
  end
  return want
end

local function run(dev, p)
  local n = 1 << p.bits
  dev:module "fastwalsh.ptx"
  local below = 3 * n < 1 << 24 and 4 or 2
  local data = kit.whole(dev, n, p.seed, below)
  -- The kernel of the convolution: 128 elements, the others are 0.
  local kernel = kit.array(dev, "f32", n, function(i)
    return i < 128 and i * 7 % 4 or 0
  end)
  local da, db = dev:upload(data, "data"), dev:upload(kernel, "kernel")
  transform(dev, da, n)
  transform(dev, db, n)
  kit.exact(dev, (below - 1) * n)
  dev:launch("fastwalsh_modulate", { grid = math.min(128, n // 256),
    block = 256, args = { da, db, n, 1 / n } })
  transform(dev, da, n)

  return function()
    local a, got = kit.list(data), da:download()
    local some, held = kit.some(p.seed, n // part, 128 * part)
    for q = 0, n // part - 1 do
      if not some or some[q] then
        kit.close(dev, ("data from %d on"):format(q * part),
                  got:slice(q * part, part), convolved(a, q * part), 1e-5)
      end
    end
    dev:verified(("the convolution%s, to 1e-5"):format(
      some and (", %d of %d parts of it"):format(held, n // part) or ""))
  end
end

return {
  name = "fastwalsh",
  doc = "Dyadic convolution (CUDA samples fastWalshTransform)",
  suite = "CUDA samples",
  source = "Fino and Algazi, 1976",
  classes = { loscache = "named" },
  params = { kit.param("bits", 16, "Logarithm of the elements", 23, 10) },
  sizes = { tiny = { bits = 12 }, paper = { bits = 23 } },
  paper = "LoSCache: \"default inputs\"",
  loads = {
    fastwalsh_global = { data = "streaming coherent",
                         kernel = "streaming coherent" },
    fastwalsh_shared = { data = "streaming coherent",
                         kernel = "streaming coherent" },
    fastwalsh_modulate = { data = "streaming coherent",
                           kernel = "streaming coherent" },
  },
  reference = { at = { bits = 16 }, minst = 22.8, lines = 1,
                hits = { 0, 0, 0, 0 } },
  run = run,
}
