-- Layers of neural networks for host programs of the suite (kit.net): what
-- runs on the device, and the same on the CPU.
--
-- An activation is { buffer =, maps =, side =, compute = a function that
-- returns its values on the CPU, as a table from 0 }.

local import = ...
local core = import "core"

local M = {}
local methods = {}
local meta = { __index = methods }

local widths = { f32 = 4, f64 = 8 }

-- `shape(width)` says how a layer of maps of that width is launched; `kind`
-- is the type of values, f32 or f64.
function M.new(dev, name, seed, kind, shape)
  return setmetatable({ dev = dev, name = name, seed = seed, kind = kind,
                        shape = shape }, meta)
end

local function list(array)
  local t = array:table()
  return table.move(t, 1, #t, 0)
end

-- Random values around 0.
function methods:random(count, scale)
  self.seed = self.seed + 1
  return core.array(self.kind, count):random(self.seed, -scale, scale)
end

function methods:image(maps, side)
  local values = self:random(maps * side * side, 1)
  return { buffer = self.dev:upload(values, "input"), maps = maps,
           side = side, compute = function() return list(values) end }
end

local function activation(self, maps, side, compute)
  local known
  return { maps = maps, side = side, buffer = self.dev:alloc(
             { type = self.kind, count = maps * side * side }, "input"),
           compute = function()
             known = known or compute()
             return known
           end }
end

-- One map of a convolution on the CPU, into `out` from `at` on.
local function one_map(x, from, w, l, out, at, f, bias)
  local side, k, width = from.side, l.kernel, l.width
  for oy = 0, width - 1 do
    for ox = 0, width - 1 do
      local sum = bias
      for c = 0, from.maps - 1 do
        for u = 0, k - 1 do
          local y = oy * l.stride + u - l.pad
          for v = 0, k - 1 do
            local q = ox * l.stride + v - l.pad
            if y >= 0 and y < side and q >= 0 and q < side then
              sum = sum + x[(c * side + y) * side + q] *
                    w[((f * from.maps + c) * k + u) * k + v]
            end
          end
        end
      end
      out[at + oy * width + ox] = l.rectify and sum < 0 and 0 or sum
    end
  end
end

function methods:launch(kernel, maps, width, args)
  local shape = self.shape(width)
  self.dev:launch(self.name .. kernel, { grid = shape.grid(maps),
                                         block = shape.block, args = args })
end

-- layer: { maps =, kernel =, stride =, pad =, rectify = }
function methods:convolve(from, layer)
  local l = { kernel = layer.kernel, stride = layer.stride or 1,
              pad = layer.pad or 0, rectify = layer.rectify }
  l.width = (from.side + 2 * l.pad - l.kernel) // l.stride + 1
  local inputs = from.maps * l.kernel * l.kernel
  local weight = self:random(layer.maps * inputs, 1.5 / inputs ^ 0.5)
  local bias = self:random(layer.maps, 0.1)
  local to = activation(self, layer.maps, l.width, function()
    local x, w, b, out = from.compute(), list(weight), list(bias), {}
    for f = 0, layer.maps - 1 do
      one_map(x, from, w, l, out, f * l.width * l.width, f, b[f])
    end
    return out
  end)
  self:launch("_convolve", layer.maps, l.width,
    { from.buffer, self.dev:upload(weight, "weight"),
      self.dev:upload(bias, "bias"), to.buffer, from.maps, from.side,
      l.kernel, l.stride, l.pad, l.rectify and 1 or 0 })
  return to
end

function methods:pool(from)
  local side, width = from.side, from.side // 2
  local to = activation(self, from.maps, width, function()
    local x, out = from.compute(), {}
    for i = 0, from.maps * width * width - 1 do
      local f, y, q = i // (width * width), i // width % width, i % width
      local most = -math.huge
      for u = 2 * y, math.min(2 * y + 2, side - 1) do
        for v = 2 * q, math.min(2 * q + 2, side - 1) do
          most = math.max(most, x[(f * side + u) * side + v])
        end
      end
      out[i] = most
    end
    return out
  end)
  self:launch("_pool", from.maps, width, { from.buffer, to.buffer, side })
  return to
end

-- The maps of both, one after the other.
function methods:joined(a, b)
  local size, width = a.side * a.side, widths[self.kind]
  local to = activation(self, a.maps + b.maps, a.side, function()
    local x, y = a.compute(), b.compute()
    return table.move(y, 0, b.maps * size - 1, a.maps * size,
                      table.move(x, 0, a.maps * size - 1, 0, {}))
  end)
  to.buffer:copy(a.buffer, { bytes = width * a.maps * size })
  to.buffer:copy(b.buffer, { bytes = width * b.maps * size,
                             offset = width * a.maps * size })
  return to
end

function methods:classify(from, classes)
  local inputs = from.maps * from.side * from.side
  local weight = self:random(classes * inputs, 1.5 / inputs ^ 0.5)
  local bias = self:random(classes, 0.1)
  local to = activation(self, classes, 1, function()
    local x, w, b, out = from.compute(), list(weight), list(bias), {}
    for c = 0, classes - 1 do
      local sum = b[c]
      for i = 0, inputs - 1 do sum = sum + x[i] * w[c * inputs + i] end
      out[c] = sum
    end
    return out
  end)
  self.dev:launch(self.name .. "_classify", { grid = 1, block = classes,
    args = { from.buffer, self.dev:upload(weight, "weight"),
             self.dev:upload(bias, "bias"), to.buffer, inputs } })
  return to
end

function methods:check(to, what, tolerance)
  import "host/kit".close(self.dev, what, to.buffer, to.compute(), tolerance)
end

return M
