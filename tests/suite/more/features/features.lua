-- features: small kernels of the language's less regular parts.

local loom = require "warploom"

local threads = 96

local function i32(v)
  v = v & 0xFFFFFFFF
  return v < 1 << 31 and v or v - (1 << 32)
end

-- Division and remainder of C.
local function div(a, b)
  local q = math.abs(a) // math.abs(b)
  return (a < 0) ~= (b < 0) and -q or q
end

local function rem(a, b) return a - b * div(a, b) end

local cases = {
  [0] = function(r) return r + 7 end,
  [1] = function(r) return r ~ 0x55 end,
  [2] = function(r) return -r end,
  [3] = function(r) return (r << 2) + 11 end,
  [4] = function(r) return r + 11 end,
  [5] = function(r) return rem(r, 10) end,
  [6] = function(r) return div(r, 3) end,
  [7] = function(r) return r & 0xf0 end,
  [9] = function(r) return r | 1 end,
}

local function chosen(x)
  local case = cases[x & 15] or function(r) return r - 1 end
  return i32(case(i32(x * 3)))
end

local function fibonacci(n)
  return n < 2 and n or fibonacci(n - 1) + fibonacci(n - 2)
end

local function indirect(x, t)
  return x % 3 == 0 and x + t or x % 3 == 1 and x - t or i32(x * t)
end

local function each(dev, got, what, want)
  for i = 0, #got - 1 do
    local right = want(i)
    dev:check(got[i] == right, ("%s: element %d is %s, expected %s"):format(
              what, i, got[i], right))
  end
end

-- One argument in, one word for each thread out.
local function simple(dev, kernel, input, data, want)
  local out = dev:alloc({ type = "i32", count = threads }, kernel)
  dev:launch(kernel, { grid = 3, block = 32, args = { data, out } })
  each(dev, out:download(), kernel, function(i)
    return want(input[i], i % 32)
  end)
end

local function structures(dev)
  local out = dev:alloc({ type = "i32", count = 4 * threads }, "out")
  local scale = dev:alloc({ type = "f64", count = threads }, "scale")
  dev:launch("structures", { grid = 3, block = 32, args = {
    string.pack("<i4i2i2i2!8xxxxxxd", 1000, -7, 8, -9, 0.375), out, scale } })
  each(dev, out:download(), "structures", function(i)
    local n = i // 4
    return ({ -7, 1000 + n, -9, 8 })[i % 4 + 1]
  end)
  each(dev, scale:download(), "scale", function() return 1 / 0.375 end)
end

local function doubles(dev)
  local input = dev:array("f64", threads):random(5, 0, 100)
  local data = dev:upload(input, "doubles")
  local out = dev:alloc({ type = "f64", count = 2 * threads }, "out")
  local whole = dev:alloc({ type = "i64", count = 2 * threads }, "whole")
  dev:launch("doubles", { grid = 3, block = 32, args = { data, out, whole } })
  each(dev, whole:download(), "whole", function(i)
    local n, by = math.tointeger(input[i // 2] * 1000 // 1), i // 2 + 7
    return i % 2 == 0 and div(n, by) or rem(n, by)
  end)
  -- The compiler may fuse the product of the second.
  local got = out:download()
  for i = 0, threads - 1 do
    local x = input[i]
    dev:check(got[2 * i] == x ^ 0.5 / (x + 3), "the root of " .. x)
    local want = x * x - loom.f32(x)
    dev:check(math.abs(got[2 * i + 1] - want) <= 1e-12 * x * x, "x * x - x")
  end
end

local function warps(dev, input, data)
  local out = dev:alloc({ type = "i32", count = threads // 8 }, "out")
  dev:launch("warps", { grid = 3, block = 32, args = { data, out } })
  each(dev, out:download(), "warps", function(i)
    local sum, most, odd, any = 0, -(1 << 31), 0, 0
    for lane = 0, 31 do
      local x = input[i // 4 * 32 + lane]
      sum, most = sum + x, math.max(most, x)
      odd = odd | (x & 1) << lane
      any = x == 13 and 1 or any
    end
    return ({ i32(sum), most, i32(odd), any })[i % 4 + 1]
  end)
end

local function bits(dev, input, data)
  local out = dev:alloc({ type = "i32", count = 4 * threads }, "out")
  dev:launch("bits", { grid = 3, block = 32, args = { data, out } })
  each(dev, out:download(), "bits", function(i)
    local x = input[i // 4] & 0xFFFFFFFF
    local count, first, last, reversed = 0, 0, 0, 0
    for b = 0, 31 do
      if x >> b & 1 ~= 0 then
        count, last = count + 1, b + 1
        first = first == 0 and b + 1 or first
        reversed = reversed | 1 << (31 - b)
      end
    end
    return ({ count, 32 - last, first, i32(reversed) })[i % 4 + 1]
  end)
end

local function histogram(dev)
  local n, bins = 1000, 19
  local input = dev:array("u8", n):random(7, 0, 255)
  local out = dev:alloc({ type = "i32", count = bins }, "bins")
  dev:launch("histogram", { grid = 3, block = 64, shared = 4 * bins,
                            args = { dev:upload(input, "bytes"), out, n,
                                     bins } })
  each(dev, out:download(), "histogram", function(b)
    local count = 0
    for i = 0, n - 1 do
      count = count + (input[i] % bins == b and 1 or 0)
    end
    return count
  end)
end

local function sorted(dev)
  local input = dev:array("i32", 8 * threads):random(9, -1000, 1000)
  local out = dev:alloc({ type = "i32", count = threads }, "sums")
  dev:launch("sorted", { grid = 3, block = 32, args = {
                         dev:upload(input, "unsorted"), out } })
  each(dev, out:download(), "sorted", function(t)
    local own, sum = {}, 0
    for i = 1, 8 do own[i] = input[8 * t + i - 1] end
    table.sort(own)
    for i = 1, 8 do sum = sum + own[i] * (i % 2 == 1 and i or -i) end
    return sum
  end)
end

local function run(dev)
  dev:module "features.ptx"
  local input = dev:array("i32", threads):random(3, 0, 100000)
                   :map(function(v, i)
                     return i == 40 and 13 or i % 5 == 0 and v * 20011 or v
                   end)
  local data = dev:upload(input, "input")

  simple(dev, "choose", input, data, chosen)
  simple(dev, "recurse", input, data, function(x) return fibonacci(x % 11) end)
  simple(dev, "indirect", input, data, indirect)
  structures(dev)
  doubles(dev)
  warps(dev, input, data)
  bits(dev, input, data)
  histogram(dev)
  sorted(dev)
  dev:launch("speak", { grid = 1, block = 32, args = { data } })
  dev:verified "every element of ten kernels"
end

return {
  name = "features",
  doc = "Small kernels of the language's less regular parts",
  sizes = { tiny = {} },
  params = {},
  run = run,
}
