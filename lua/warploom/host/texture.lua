-- Textures and surfaces: views of buffers that kernels use by handle.
--
-- What a fetch does is said in workloads/texture.h and, in the words of the
-- CUDA guide, in docs/workloads.md.

local import = ...
local suggest = import "base/suggest"
local unit = import "base/unit"

local M = {}

local texture_meta = { __name = "texture" }

local formats = { u8 = 0, u16 = 1, u32 = 2, s8 = 3, s16 = 4, s32 = 5, f16 = 6,
                  f32 = 7 }
local filters = { point = 0, linear = 1 }
local modes = { clamp = 0, border = 1, wrap = 2, mirror = 3 }
local reads = { element = 0, normalized = 1 }
local fields = { "address", "buffer", "channels", "depth", "filter", "format",
                 "height", "layers", "normalized", "offset", "pitch", "read",
                 "slice", "width" }

local function names_of(choices)
  local names = {}
  for name in pairs(choices) do names[#names + 1] = name end
  table.sort(names)
  return names
end

local function choose(fail, what, value, choices)
  local number = choices[value]
  if number == nil then
    fail("texture: %s is %s, expected one of %s%s", what, unit.quote(value),
         table.concat(names_of(choices), ", "),
         suggest.hint(tostring(value), names_of(choices)))
  end
  return number
end

-- A whole number of at least `least`, or the default.
local function whole(fail, what, value, default, least)
  if value == nil then return default end
  local number = math.tointeger(value)
  if not number or number < least then
    fail("texture: '%s' is %s, expected a whole number of at least %d", what,
         unit.quote(value), least)
  end
  return number
end

-- dev:texture{ buffer =, width =, height =, depth =, layers =, format =,
-- channels =, filter =, address =, normalized =, read =, pitch =, slice =,
-- offset = }: `make` is the memory's function, `is_buffer` tells buffers.
function M.new(fail, is_buffer, make, spec)
  if type(spec) ~= "table" then
    fail("texture: got %s, expected { buffer =, width =, ... }",
         unit.quote(spec))
  end
  for key in pairs(spec) do
    local known = false
    for _, name in ipairs(fields) do known = known or name == key end
    if not known then
      fail("texture: there is no field '%s'%s", tostring(key),
           suggest.hint(tostring(key), fields))
    end
  end
  local buffer = spec.buffer
  if not is_buffer(buffer) then
    fail("texture: 'buffer' is %s, expected a buffer", unit.quote(buffer))
  end
  if buffer.freed then fail("texture: 'buffer' was freed") end
  local offset = whole(fail, "offset", spec.offset, 0, 0)
  local address = spec.address == nil and "clamp" or spec.address
  if type(address) ~= "table" then address = { address, address, address } end
  local function mode(i)
    return choose(fail, "'address'", address[i] == nil and address[1] or
                  address[i], modes)
  end
  local handle = make {
    base = buffer.address + offset,
    width = whole(fail, "width", spec.width, buffer.count, 1),
    height = whole(fail, "height", spec.height, 0, 1),
    depth = whole(fail, "depth", spec.depth, 0, 1),
    layers = whole(fail, "layers", spec.layers, 0, 1),
    pitch = whole(fail, "pitch", spec.pitch, 0, 1),
    slice = whole(fail, "slice", spec.slice, 0, 1),
    format = choose(fail, "'format'", spec.format or "f32", formats),
    channels = whole(fail, "channels", spec.channels, 1, 1),
    address_x = mode(1), address_y = mode(2), address_z = mode(3),
    linear = choose(fail, "'filter'", spec.filter or "point", filters),
    normalized = spec.normalized and 1 or 0,
    normalized_read = choose(fail, "'read'", spec.read or "element", reads),
  }
  return setmetatable({ handle = handle, buffer = buffer }, texture_meta)
end

function M.is(value) return getmetatable(value) == texture_meta end

texture_meta.__tostring = function(texture)
  return ("texture 0x%x of %s"):format(texture.handle,
                                       tostring(texture.buffer))
end

return M
