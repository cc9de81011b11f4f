-- Latency of a pointer chase over footprints, for the plot in
-- docs/validation.md: measured, and the plateaus that parameters give.
--   warploom run -q tests/validate/curve.lua --set csv=curve.csv
local loom = require "warploom"
local parts = require "parts"
local shapes = require "shapes"

local csv = loom.option { name = "csv", default = "curve.csv",
                          doc = "File for the rows" }

local wanted = { small = true, gtx480 = true, ["gtx480, changed"] = true }

-- What a chase through `bytes` finds: a cache holds all of it or none.
local function expected(m, gpu, bytes)
  if bytes <= gpu.sm[0].l1d.size_bytes then return m:l1_hit() end
  if bytes <= gpu.l2[0].size_bytes * #gpu.l2 then return m:l2_hit() end
  local found = {}
  for i = 1, 256 do found[i] = i % 32 == 1 and "other" or "open" end
  return m:misses(found)
end

local out = { "machine;bytes;measured;expected" }
for _, shape in ipairs(shapes.list) do
  local bytes = 512
  while wanted[shape.name] and bytes <= 4 << 20 do
    local gpu = shape.make {}
    local run = loom.run { machine = gpu, workload = loom.suite.micro_chase {
      bytes = bytes } }
    local k = run.kernels
    local each = (k[#k].seconds - k[#k - 1].seconds) * gpu.clock / 256
    local m = parts.of(gpu, run.description)
    out[#out + 1] = ("%s;%d;%.4f;%.4f"):format(shape.name, bytes, each,
                                               expected(m, gpu, bytes))
    bytes = bytes & bytes - 1 == 0 and bytes * 3 // 2 or bytes * 4 // 3
  end
end
local file = assert(io.open(csv, "w"))
file:write(table.concat(out, "\n"), "\n")
file:close()
