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

local function crc_of(array) return ("%08x"):format(array:crc32()) end

-- What the rules of a content make of it, in double precision.
local rules = {}
local function plain(n) return loom.array("f64", n) end
function rules.zero(_, n) return plain(n) end
function rules.iota(c, n) return plain(n):iota(c.first, c.step) end
function rules.lcg(c, n)
  return plain(n):lcg(c.seed or 0, c.mod):add(c.add):mul(c.scale)
end
function rules.prefix(c, n)
  return plain(n):lcg(c.seed or 0, c.mod):add(c.add):scan()
end
function rules.pick(c, n)
  local drawn = loom.array("u32", n):lcg(c.seed or 0, #c.table)
  return loom.array("f64", c.table):gather(drawn)
end
-- A random order of nodes, which lie `pitch` apart.
function rules.ring(c, n)
  local order, x = {}, c.seed or 0
  for i = 0, c.nodes - 1 do order[i + 1] = i end
  for i = c.nodes - 1, 1, -1 do
    x = (x * 1664525 + 1013904223) & 0xFFFFFFFF -- as array:lcg
    local j = (x >> 8) % i
    order[i + 1], order[j + 1] = order[j + 1], order[i + 1]
  end
  local places = loom.array("u32", c.nodes):iota(0, c.pitch)
  return plain(n):scatter(places, loom.array("f64", order):mul(c.pitch))
end
function rules.constant_except(c, n)
  local all = plain(n):fill(c.value)
  all[c.at] = c.value_there
  return all
end

local element = { u8 = "u8", u32 = "u32", s32 = "i32", s64 = "i64",
                  f32 = "f32", f64 = "f64" }

local function content(op, buffer)
  local rule = rules[op.content.rule] or
               error("no rule " .. tostring(op.content.rule))
  return rule(op.content, buffer.elements):as(element[buffer.type])
end

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
  local values = content(op, b)
  state.dev:check(crc_of(values) == op.crc32,
                  op.buffer .. ": content differs")
  b.handle:upload(values)
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
  state.crc = crc_of(state.buffers[op.buffer].handle:download())
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
  local sum = state.buffers[op.result].handle:download():sum()
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
