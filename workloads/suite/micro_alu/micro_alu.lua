-- micro_alu: latency and throughput of one class of operations.
--
-- Two launches warm the caches, of instructions too; the fourth makes 64
-- operations more than the third.

-- Type of the operands, their values, and the result after n operations.
local function same(type, x, y)
  return { type = type, x = x, y = y, after = function() return x end }
end

local function wrap(v)
  v = v & 0xFFFFFFFF
  return v < 1 << 31 and v or v - (1 << 32)
end

local function integer(x, y, step)
  return { type = "i32", x = x, y = y, after = function(n)
    local v = x
    for _ = 1, n do v = wrap(step(v)) end
    return v
  end }
end

-- Small whole numbers, exact in single precision.
local function real(type, x, y, step)
  return { type = type, x = x, y = y, after = function(n)
    local v = x
    for _ = 1, n do v = step(v) end
    return v
  end }
end

local ops = {
  int_add = integer(1, 3, function(v) return v + 3 end),
  int_max = integer(5, 3, function(v) return v end),
  int_mul = integer(1, 3, function(v) return v * 3 end),
  int_mad = integer(1, 3, function(v) return v * 3 + 3 end),
  int_div = integer(77, 1, function(v) return v end),
  fp_add = real("f32", 1, 3, function(v) return v + 3 end),
  fp_max = same("f32", 5, 3),
  fp_mul = same("f32", 5, 1),
  fp_mad = real("f32", 1, 1, function(v) return v + 1 end),
  fp_div = same("f32", 5, 1),
  dp_add = real("f64", 1, 3, function(v) return v + 3 end),
  dp_max = same("f64", 5, 3),
  dp_mul = same("f64", 5, 1),
  dp_mad = real("f64", 1, 1, function(v) return v + 1 end),
  dp_div = same("f64", 5, 1),
  sfu = same("f32", 2, 0),     -- an even number of reciprocals
  shuffle = same("i32", -1, 0), -- all lanes of full warps vote yes
}
local names = {}
for name in pairs(ops) do names[#names + 1] = name end
table.sort(names)

local function run(dev, p)
  local op = ops[p.op]
  dev:check(op, ("there is no operation '%s'; there is %s"):format(p.op,
            table.concat(names, ", ")))
  dev:module "micro_alu.ptx"
  local threads = 32 * p.warps
  local out = dev:alloc({ type = op.type, count = threads * p.ctas }, "out")

  local function chain(kind, count)
    dev:launch(("micro_alu_%s_%s"):format(p.op, kind), {
      grid = p.ctas, block = threads, args = { out, op.x, op.y } })
    local want, got = op.after(count), out:download()
    for i = 0, #got - 1 do
      dev:check(got[i] == want, ("%s: thread %d has %s, expected %s"):format(
                p.op, i, got[i], want))
    end
  end
  chain("long", 16 + 64)
  chain("short", 16)
  chain("short", 16)
  chain("long", 16 + 64)
  dev:verified "every thread's result"
end

return {
  name = "micro_alu",
  doc = "Chains of one operation; the fourth launch makes 64 more a warp",
  sizes = { tiny = { op = "int_mad", warps = 2 } },
  params = {
    { name = "op", default = "int_add", doc = "Class of operation" },
    { name = "warps", default = 1, min = 1, max = 32,
      doc = "Warps of a CTA" },
    { name = "ctas", default = 1, min = 1, max = 1024, doc = "CTAs" },
  },
  run = run,
}
