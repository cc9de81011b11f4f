-- Programs that another simulator was measured with: a list of what each does
-- (allocate, upload, launch, download, check) with the CRC-32 of every buffer,
-- and its PTX.  This module makes a workload of them that repeats the program
-- and compares.
--
-- The repository's are the sixteen calibration programs, CUDA programs of our
-- own.  Any others come from a folder with NAME/launches.json and
-- NAME/NAME.ptx, or NAME.json and NAME.ptx.
local loom = require "warploom"
local json = require "json"

local M = {}

M.programs = { "alu_chains", "bank_conflicts", "chase", "collatz", "gemm_tile",
               "hist_global", "kmeans_assign", "local_table", "matvec",
               "reduce_tree", "sfu_wave", "spmv_csr", "stencil5",
               "stream_saxpy", "strided", "warp_private" }

local table_of = {}
for i = 0, 255 do
  local c = i
  for _ = 1, 8 do
    c = c & 1 == 1 and 0xEDB88320 ~ (c >> 1) or c >> 1
  end
  table_of[i] = c
end

local function crc32(bytes)
  local c = 0xFFFFFFFF
  for at = 1, #bytes, 4096 do
    local chunk = { bytes:byte(at, math.min(at + 4095, #bytes)) }
    for i = 1, #chunk do
      c = table_of[(c ~ chunk[i]) & 255] ~ (c >> 8)
    end
  end
  return ("%08x"):format(c ~ 0xFFFFFFFF)
end

-- draw(m): x = 1664525 x + 1013904223 mod 2^32, then (x >> 8) mod m.
local function generator(seed)
  local x = seed or 0
  return function(m)
    x = (x * 1664525 + 1013904223) & 0xFFFFFFFF
    return (x >> 8) % m
  end
end

local rules = {}
function rules.zero(_, n) return function() return 0 end, n end
function rules.iota(c) return function(i) return c.first + i * c.step end end
function rules.lcg(c, _, draw)
  return function() return (draw(c.mod) + c.add) * c.scale end
end
function rules.prefix(c, _, draw)
  local sum = 0
  return function()
    local now = sum
    sum = sum + draw(c.mod) + c.add
    return now
  end
end
function rules.pick(c, _, draw)
  return function() return c.table[draw(#c.table) + 1] end
end
function rules.ring(c, _, draw)
  local order, at = {}, {}
  for i = 0, c.nodes - 1 do order[i] = i end
  for i = c.nodes - 1, 1, -1 do
    local j = draw(i)
    order[i], order[j] = order[j], order[i]
  end
  for i = 0, c.nodes - 1 do at[i * c.pitch] = order[i] * c.pitch end
  return function(i) return at[i] or 0 end
end
function rules.constant_except(c)
  return function(i) return i == c.at and c.value_there or c.value end
end

local formats = { u8 = "B", u32 = "<I4", s32 = "<i4", s64 = "<i8",
                  f32 = "<f", f64 = "<d" }

local function content(op, buffer)
  local c = op.content
  local rule = rules[c.rule] or error("no rule " .. tostring(c.rule))
  local at = rule(c, buffer.elements, generator(c.seed))
  local real = buffer.type:sub(1, 1) == "f"
  local out, format = {}, formats[buffer.type]
  for i = 0, buffer.elements - 1 do
    local v = at(i)
    if not real then v = math.tointeger(v) or v // 1 | 0 end
    out[i + 1] = string.pack(format, v)
  end
  return table.concat(out)
end

local function bytes_of(buffer)
  local array, out = buffer.handle:download(), {}
  local format = formats[buffer.type]
  for i = 0, buffer.elements - 1 do
    out[i + 1] = string.pack(format, array[i])
  end
  return table.concat(out)
end

local element = { u8 = "u8", u32 = "u32", s32 = "i32", s64 = "i64",
                  f32 = "f32", f64 = "f64" }

local function read(path)
  local file = io.open(path, "rb") or
               error(path .. " cannot be opened", 0)
  local text = file:read("a")
  file:close()
  return text
end

local function argument(buffers, arg)
  if arg.buffer then
    local b = buffers[arg.buffer]
    return string.pack("<I8", b.handle.address + arg.byte_offset)
  end
  return arg.value
end

local steps = {}

function steps.alloc(state, op)
  local b = { type = op.type, elements = op.elements }
  b.handle = state.dev:alloc({ type = element[op.type], count = op.elements },
                             op.buffer)
  state.buffers[op.buffer] = b
  state.dev:check(not state.packed or
                  b.handle.address == tonumber(op.address),
                  ("%s is at %x, not at %s"):format(op.buffer,
                   b.handle.address, op.address))
end

function steps.upload(state, op)
  local b = state.buffers[op.buffer]
  local bytes = content(op, b)
  state.dev:check(crc32(bytes) == op.crc32, op.buffer .. ": content differs")
  b.handle:upload(bytes)
end

function steps.launch(state, op)
  local args = {}
  for i, arg in ipairs(op.args) do args[i] = argument(state.buffers, arg) end
  local facts = state.kernels[op.kernel]
  local done = state.dev:launch(op.kernel, {
    grid = op.grid, block = op.block, shared = op.dynamic_shared_bytes,
    registers = facts.registers_per_thread, args = args })
  state.launches[#state.launches + 1] = done
  if state.after then state.after(op.index, done) end
end

function steps.download(state, op)
  state.crc = crc32(bytes_of(state.buffers[op.buffer]))
end

function steps.check(state, op)
  if op.bit_exact then
    state.dev:check(state.crc == op.crc32_gpgpusim,
                    ("%s: checksum %s, GPGPU-Sim has %s"):format(
                    op.result, state.crc, op.crc32_gpgpusim))
    state.exact = state.exact + 1
    return
  end
  -- Approximate functions: compare the sum, which the CPU computed.
  local sum = 0
  local array = state.buffers[op.result].handle:download()
  for i = 0, #array - 1 do sum = sum + array[i] end
  state.dev:check(math.abs(sum - op.sum) <=
                  math.max(math.abs(op.sum), 1) * op.tolerance,
                  ("%s: the sum is %.9g, expected %.9g"):format(
                  op.result, sum, op.sum))
  state.close = state.close + 1
end

local function exists(path)
  local file = io.open(path, "rb")
  if file then file:close() end
  return file ~= nil
end

-- The list of what a program does, and its PTX.
local function files(root, folder, name)
  if folder == "" then
    return ("%s/tests/validate/reference/%s.json"):format(root, name),
           ("%s/tests/data/ptx/%s.ptx"):format(root, name)
  end
  local own = ("%s/%s/launches.json"):format(folder, name)
  if exists(own) then return own, ("%s/%s/%s.ptx"):format(folder, name, name)
  end
  return ("%s/%s.json"):format(folder, name),
         ("%s/%s.ptx"):format(folder, name)
end

-- The names in a list with commas; `all` if there are none in it.
function M.names(list, all)
  local out = {}
  for name in list:gmatch "[^,%s]+" do out[#out + 1] = name end
  return #out > 0 and out or all
end

-- A workload that repeats `name`, of `folder` or, if that is "", of the
-- repository.  `after(index, launch)` is told each launch.
function M.workload(root, folder, name, after)
  local list, ptx = files(root, folder, name)
  local program = json.parse(read(list))
  return loom.workload {
    name = name,
    run = function(dev)
      local state = { dev = dev, buffers = {}, launches = {}, exact = 0,
                      close = 0, kernels = program.kernels, packed = true,
                      after = after }
      dev:module(ptx)
      for _, op in ipairs(program.ops) do
        local step = steps[op.op] or error("no step " .. op.op)
        step(state, op)
      end
      dev:verified(("%d checksums of GPGPU-Sim, %d within tolerance"):format(
                   state.exact, state.close))
    end,
  }
end

return M
