-- What a CUDA program wants of its device: the calls of cuda/ (C), one
-- function each.
--
-- A call gets integers, and at most one text as its last argument; it returns
-- one of CUDA's error numbers (driver_types.h, enum cudaError), integers and
-- perhaps a text, which is the answer or, beside an error, what is wrong.  A
-- kernel that fails ends the run; host.failure is the number that all later
-- calls get.

local import = ...
local core = import "core"
local errors = import "cuda/errors"
local memory = import "cuda/memory"
local devices = import "machine/devices"
local session = import "script/session"
local record = import "machine/record"
local queue = import "host/queue"
local running = import "host/running"
local types = import "machine/types"

local guarded = errors.guarded
local M = {}

function M.open(dev, host)
  return { dev = dev, run = dev.run, host = host, memory = dev.run.memory,
           programs = {}, kernels = {}, events = {}, event_count = 0,
           used = {}, launched = 0, adopted = {}, owner = {}, variables = {},
           common = {}, peers = false }
end

local calls = {}
M.calls = calls
for name, call in next, memory do calls[name] = call end
calls.window = nil

-- Somebody asks where it is, while the program is busy with something else.
function calls.where(state)
  running.heed(state.run)
  return 0
end

------------------------------------------------------------------------------
-- The device

-- Devices are alike: what is told is the first one's.
local function parts(description) return devices.parts(description, 0) end

local function param(description, kind, name)
  for _, c in ipairs(parts(description)) do
    if c.type == kind then
      if c.params[name] ~= nil then return c.params[name] end
      return types.components[kind].param[name].default
    end
  end
  return 0
end

-- Bytes of the caches outside of SMs.
local function shared_cache(description)
  local bytes = 0
  for _, c in ipairs(parts(description)) do
    if c.type == "cache" and not c.path:find("sm[", 1, true) then
      bytes = bytes + math.tointeger(c.params.size_bytes or 0)
    end
  end
  return bytes
end

-- Bits of all data buses, and transfers per second of each.
local function buses(description)
  local function number(c, name)
    return math.tointeger(c.params[name] or
                          types.components.dram.param[name].default)
  end
  local bits, rate = 0, 0
  for _, c in ipairs(parts(description)) do
    if c.type == "dram" then
      bits = bits + 8 * number(c, "bus_bytes") * number(c, "pseudo_channels")
      rate = c.hertz * number(c, "data_rate")
    end
  end
  return bits, rate
end

-- SMs; threads, registers, bytes of shared memory and CTAs of each; hertz;
-- bytes of memory, of the caches outside of SMs; engines for copies, kernels
-- at a time; bits of the memory's buses and transfers per second; name.
function calls.facts(state)
  local run = state.run
  local d = run.description
  local facts = run.facts or {}
  local root = d.root
  local bits, rate = buses(d)
  return 0, facts.sms or 1, (facts.warps or 48) * 32,
         facts.registers or 65536, facts.shared or 49152, facts.ctas or 8,
         math.tointeger(record.clock(root).value) or 1000000000,
         run.spec.memory, shared_cache(d),
         math.tointeger(param(d, "host", "copy_engines")) or 1,
         math.tointeger(param(d, "host", "concurrent_kernels")) or 1, bits,
         rate,
         record.data(root).preset or tostring(root)
end

------------------------------------------------------------------------------
-- Programs and kernels

-- device; the PTX's module on another one, or 0; PTX -> module
function calls.load(state, device, like, text)
  local run = state.run
  guarded(state, queue.join, run, device)
  memory.window(state, device)
  local number = #state.programs + 1
  local name = ("%s (module %d)"):format(state.host.name, number)
  local program, why = core.program(state.memory, "ptx", name, text,
    (run.facts or {}).scheduled, (state.programs[like] or {}).managed)
  if not program then return errors.invalid_ptx, why end
  local kernels, names = {}, {}
  for _, info in ipairs(program:kernels()) do
    kernels[info.name] = { info = info, program = program, path = name,
                           siblings = kernels }
    names[#names + 1] = info.name
  end
  run.programs[#run.programs + 1] = program
  run.inputs[#run.inputs + 1] = { path = name, text = text }
  state.programs[number] = { program = program, kernels = kernels,
                             device = device, managed = {} }
  state.dev.modules[name] = { program = program, kernels = kernels,
                              names = names }
  state.dev.module_names[#state.dev.module_names + 1] = name
  return 0, number
end

-- Compute capabilities of the devices that presets are of, times ten.
local capabilities = {
  gtx480 = 20, gtx480_v322 = 20, apcm1 = 20, apcm2 = 35, dacache = 20,
  loscache = 20, titan_black = 35, titanx = 61, gtx1080_56 = 61, qv100 = 70,
  v100 = 70, rtx2060 = 75, a100 = 80, rtx3090 = 86, rtx4090 = 89,
  h100 = 90, h100_pcie = 90, h100_sxm = 90, h200 = 90 }

-- Bytes of memory that the devices have which presets are of.
local memories = {
  gtx480 = 1536 << 20, gtx480_v322 = 1536 << 20, titan_black = 6 << 30,
  titanx = 12 << 30, gtx1080_56 = 8 << 30, qv100 = 32 << 30, rtx2060 = 6 << 30,
  v100 = 16 << 30, a100 = 40 << 30, rtx3090 = 24 << 30, rtx4090 = 24 << 30,
  h100 = 80 << 30, h100_pcie = 80 << 30, h100_sxm = 80 << 30,
  h200 = 141 << 30 }

-- What a machine has where the script does not say; nil: what runs have.
function M.memory_of(machine)
  return memories[record.data(machine).preset]
end

-- The machine's compute capability; what the PTX is for where nobody says.
function calls.capability(state, ptx)
  local preset = record.data(state.run.description.root).preset
  return 0, capabilities[preset] or ptx
end

-- module; registers, static shared and local bytes of its machine code for the
-- architecture, or zeros; name -> kernel, registers, static shared and local
-- bytes, most threads, bytes of parameters, how many, CTAs of its clusters (11
-- bits each dimension) and the most (0: nothing is said), offset and bytes of
-- each parameter as text
function calls.kernel(state, module, registers, shared, bytes, arch, name)
  local kernel = state.programs[module].kernels[name]
  if not kernel then return errors.not_found end
  local info = kernel.info
  local places = {}
  for i, p in ipairs(info.params) do
    places[i] = string.pack("<I4I4", p.offset, p.bytes)
  end
  local known = arch ~= 0
  if known then
    kernel.compiled, kernel.source = registers, ("sm_%d"):format(arch)
  end
  state.kernels[#state.kernels + 1] = kernel
  return 0, #state.kernels, known and registers or info.registers,
         known and shared or info.shared_bytes,
         known and bytes or info.local_bytes, info.max_threads,
         info.param_bytes, #info.params, info.cluster, info.max_cluster,
         table.concat(places)
end

-- module -> how many kernels, and their names, a line each
function calls.kernels(state, module)
  local names = {}
  for _, info in ipairs(state.programs[module].program:kernels()) do
    names[#names + 1] = info.name .. "\n"
  end
  return 0, #names, table.concat(names)
end

-- module, name -> address and bytes of a variable
function calls.symbol(state, module, name)
  local address, bytes = state.programs[module].program:symbol(name)
  if not address then return errors.invalid_symbol, bytes end
  state.variables[address] = state.programs[module].device
  return 0, address, bytes
end

-- The same of one that all devices share: later modules like this one have it
-- where it is.
function calls.managed(state, module, name)
  local error, address, bytes = calls.symbol(state, module, name)
  if error == 0 then
    state.programs[module].managed[name] = address
    state.common[address] = true
  end
  return error, address, bytes
end

-- Is all of a kernel known?  Of one that cannot be executed nothing is.
function calls.ready(state, kernel)
  local found = state.kernels[kernel]
  local ok, why = found.program:ready(found.info.name)
  if not ok then return errors.not_supported, why end
  return 0
end

-- kernel, threads, dynamic shared bytes -> CTAs that an SM holds
function calls.resident(state, kernel, threads, shared)
  local found = state.kernels[kernel]
  local ok, why = found.program:ready(found.info.name)
  if not ok then return errors.not_supported, why end
  return 0, found.program:resident {
    kernel = found.info.name, grid = { 1, 1, 1 }, block = { threads, 1, 1 },
    shared = shared, params = "", compiled = found.compiled,
    machine = state.run.description.host and state.run.machine,
    host = state.run.description.host, facts = state.run.facts }
end

-- What a launch that does not fit an SM is, and what an SM has.
local function unfit(found, spec, facts)
  local info, threads = found.info, spec.block[1] * spec.block[2] *
                                    spec.block[3]
  return ("kernel '%s': a CTA of %d threads with %d registers each (%s) and " ..
          "%d bytes of shared memory does not fit an SM, which has %d " ..
          "threads, %d registers and %d bytes"):format(info.name, threads,
          found.compiled or info.registers,
          found.source and "as in machine code for " .. found.source or
          "counted in PTX", info.shared_bytes + spec.shared, facts.warps * 32,
          facts.registers, facts.shared)
end

------------------------------------------------------------------------------
-- Textures

-- Formats of workloads/texture.h, by kind of channel and its bits.
local formats = { [0] = { [8] = 3, [16] = 4, [32] = 5 },
                  { [8] = 0, [16] = 1, [32] = 2 }, { [16] = 6, [32] = 7 } }
-- Its address modes, in CUDA's order: wrap, clamp, mirror, border.
local modes = { [0] = 2, 0, 3, 1 }

function calls.texture(state, base, pitch, width, height, depth, layers, kind,
                       bits, channels, x, y, z, linear, normalized_read,
                       normalized, smaller, between, bias, least, most)
  local format = formats[kind] and formats[kind][bits]
  if not format then return errors.invalid_channel end
  local handle, text = state.memory:texture {
    base = base, pitch = pitch, width = width, height = height, depth = depth,
    layers = layers, format = format, channels = channels,
    address_x = modes[x] or 0, address_y = modes[y] or 0,
    address_z = modes[z] or 0, linear = linear, normalized = normalized,
    normalized_read = normalized_read, smaller = smaller, between = between,
    bias = bias, least = least, most = most }
  if not handle then return errors.invalid_value, text end
  return 0, handle
end

function calls.texture_free(state, handle)
  guarded(state, queue.join, state.run)
  local ok, text = state.memory:texture_free(handle)
  if not ok then return errors.invalid_value, text end
  return 0
end

------------------------------------------------------------------------------
-- Launches

-- kernel, grid, block, dynamic shared bytes, stream, 1 if cooperative, CTAs of
-- a cluster (11 bits each; 0: the kernel's own), 1 if it begins without
-- a gap and 2 if it begins early, parameters
local begins = { [0] = "late", "soon", "early" }

-- A launch, which is not given yet; or nil, an error and why.  `spec`: grid,
-- block, shared, params, stream and what else program:launch() takes.
local function launch_of(state, found, spec)
  local run, info = state.run, found.info
  spec.kernel, spec.name, spec.number = info.name, info.name, state.launched
  spec.turn, spec.watch = session.interleave, run.watch
  spec.pool, spec.folder = run.spec.stream_pool, os.getenv "TMPDIR"
  spec.budget = run.spec.budget or session.budget
  spec.machine = run.description.host and run.machine
  spec.host = run.hosts[devices.of(spec.stream)]
  spec.facts, spec.compiled = run.facts, found.compiled
  if run.facts and found.program:resident(spec) == 0 then
    return nil, errors.out_of_resources, unfit(found, spec, run.facts)
  end
  memory.window(state, devices.of(spec.stream)) -- its device heap
  local in_time = queue.in_time(run, spec)
  spec.timed = in_time and 1 or 0
  local made, why = found.program:launch(spec)
  if not made then
    return nil, not found.program:ready(info.name) and errors.not_supported or
                spec.cooperative == 1 and errors.cooperative_too_large or
                errors.invalid_configuration, why
  end
  state.launched = state.launched + 1
  state.dev.launches = state.launched
  return { kernel = made, name = info.name, grid = spec.grid,
           block = spec.block, number = spec.number, stream = spec.stream,
           buffers = {}, in_time = in_time,
           registers_from = why and found.source,
           child = function(item, stream)
             local child, _, text = launch_of(state,
               found.siblings[item.name], {
                 grid = item.grid, block = item.block, shared = item.shared,
                 params = item.params, stream = stream, cooperative = 0 })
             return child or session.stop("workload", ("a launch by kernel " ..
                                          "'%s': %s"):format(info.name, text))
           end }
end

function calls.launch(state, kernel, gx, gy, gz, bx, by, bz, shared, stream,
                      cooperative, cluster, begin, params)
  local launch, code, why = launch_of(state, state.kernels[kernel], {
    grid = { gx, gy, gz }, block = { bx, by, bz }, shared = shared,
    params = params, stream = stream, cooperative = cooperative,
    cluster = cluster ~= 0 and { cluster & 0x7ff, cluster >> 11 & 0x7ff,
                                 cluster >> 22 & 0x7ff } or nil })
  if not launch then return code, why end
  launch.begins = begins[begin]
  guarded(state, queue.launch, state.run, launch)
  return 0
end

------------------------------------------------------------------------------
-- Streams and events

function calls.sync(state, device)
  guarded(state, queue.sync, state.run, nil, state.run.hosts[1] and device)
  return 0
end

function calls.stream_sync(state, stream)
  guarded(state, queue.sync, state.run, stream)
  return 0
end

-- Is a stream at its end?  Asking lets the machine run a little, so that
-- programs that ask until it is see an end.
function calls.stream_query(state, stream)
  local run = state.run
  local ready = guarded(state, queue.answer, run, function()
    queue.poll(run)
    for _, entry in ipairs(run.pending) do
      if entry.stream == stream then return false end
    end
    return true
  end)
  return ready and 0 or errors.not_ready
end

-- stream -> event
function calls.mark(state, stream)
  local handle = guarded(state, queue.mark, state.run, stream)
  state.event_count = state.event_count + 1
  state.events[state.event_count] = handle
  return 0, state.event_count
end

function calls.forget(state, event)
  state.events[event] = nil
  return 0
end

function calls.event_sync(state, event)
  local handle = state.events[event]
  guarded(state, handle.sync, handle)
  return 0
end

local function over(state, event)
  return queue.entry_of(state.events[event]).done
end

function calls.event_query(state, event)
  local ready = guarded(state, queue.answer, state.run, function()
    if not over(state, event) then queue.poll(state.run) end
    return over(state, event)
  end)
  return ready and 0 or errors.not_ready
end

-- start, stop -> femtoseconds
function calls.elapsed(state, start, stop)
  local ready = guarded(state, queue.answer, state.run, function()
    return over(state, start) and over(state, stop)
  end)
  if not ready then return errors.not_ready end
  return 0, queue.moment(state.events[stop]) -
            queue.moment(state.events[start])
end

function calls.wait(state, stream, event)
  guarded(state, queue.wait, state.run, stream, state.events[event])
  return 0
end

return M
