-- `warploom cuda SCRIPT [OPTION].. -- PROGRAM [ARG]..`: becomes the program,
-- with our library in place of NVIDIA's.  The library starts `host`, with the
-- same script and options, at the program's first call of the CUDA runtime.

local import = ...
local core = import "core"
local files = import "script/files"

local M = {}

local function basename(path) return path:match("([^/]+)$") or path end

local function absolute(path)
  return path:find("^/") and path or core.cwd() .. "/" .. path
end

-- In the program's process: the function that C calls, or an exit status.
function M.host(path, text, options, plain)
  local cuda, host = import "cuda/cuda", import "cuda/host"
  return host.start(path, text, {
    mode = "run", seed = options.seed, threads = options.threads,
    interleave = options.interleave,
    budget = options.budget, sample = options.sample, timed = options.timed,
    races = options.races,
    set = options.set, unsafe = options.unsafe, allow = options.allow,
    load = options.load, quiet = options.quiet,
    out = options.out, functional = options.functional,
    record = options.record, argv = table.move(plain, 2, #plain, 1, {}),
    host = host.new(basename(core.executable() or "program"), cuda.open,
                    cuda.calls) })
end

-- The folder that has libcudart.so.*: beside the program where it was built,
-- else where it was installed.
local function library_folder()
  local here = core.executable():match("^(.*)/") or "."
  local tried = {}
  for _, folder in ipairs { here .. "/cuda",
                            here .. "/../lib/warploom/cuda",
                            here .. "/../lib64/warploom/cuda" } do
    if core.kind(folder .. "/libcudart.so.13") then return folder end
    tried[#tried + 1] = folder
  end
  return nil, ("no libcudart.so.13 of ours in %s; in a build, make it with: " ..
               "cmake --build %s --target cuda_runtimes (./setup.sh build " ..
               "makes it, too)"):format(table.concat(tried, ", "), here)
end

local function find_program(name)
  if name:find("/", 1, true) then
    return core.kind(name) == "file" and name or nil
  end
  for folder in (os.getenv("PATH") or ""):gmatch("[^:]+") do
    local path = folder .. "/" .. name
    if core.kind(path) == "file" then return path end
  end
end

-- Why a program cannot be run, or nil: it has kernels and brings NVIDIA's
-- runtime along.
local function refused(path)
  local text = files.read_disk(path) or ""
  if text:sub(1, 4) ~= "\127ELF" or
     not text:find(".nv_fatbin", 1, true) or
     text:find("libcudart.so", 1, true) then
    return nil
  end
  return ("'%s' has NVIDIA's CUDA runtime linked into it, which nothing can " ..
          "stand in for; build it with: nvcc -cudart shared"):format(path)
end

-- The words of WARPLOOM_CUDA: a command line, one word a line.
local function command_line(path, plain, options)
  local words = { absolute(path) }
  table.move(plain, 2, #plain, 2, words)
  local function add(...)
    for _, word in ipairs { ... } do words[#words + 1] = tostring(word) end
  end
  local names = {}
  for name in next, options.set do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    add("--set", name .. "=" .. options.set[name])
  end
  for _, name in ipairs { "seed", "threads", "interleave", "budget" } do
    if options[name] then add("--" .. name, options[name]) end
  end
  for _, name in ipairs { "functional", "quiet", "races" } do
    if options[name] then add("--" .. name) end
  end
  if options.sample then
    add(options.sample == true and "--sample" or "--sample=" .. options.sample)
  end
  add(table.unpack(import "run/timed".words(options.timed)))
  add(table.unpack(import "script/access".words(options)))
  if options.out then add("-o", absolute(options.out)) end
  if options.record then add("--record", absolute(options.record)) end
  return table.concat(words, "\n") .. "\n"
end

-- The script is read and compiled; its other mistakes are told by the program's
-- first call, which runs it, so that nothing is done twice.
function M.main(options, plain, script_of, execute)
  if not options.rest or options.rest < 2 or #plain < options.rest then
    return nil, "cuda needs a script, -- and a program"
  end
  local program = table.move(plain, options.rest, #plain, 1, {})
  local mine = table.move(plain, 1, options.rest - 1, 1, {})
  local path = find_program(program[1])
  local folder, why = library_folder()
  if not path then why = ("there is no program '%s'"):format(program[1]) end
  why = why or refused(path)
  if why then
    io.stderr:write("warploom: ", why, "\n")
    return 1
  end
  local script, text = script_of("cuda", mine)
  if not script then return text end
  if not load(text, "=" .. script, "t") then
    return execute("check", options, mine)
  end
  local old = os.getenv "LD_LIBRARY_PATH"
  local _, failed = core.exec(program, {
    LD_LIBRARY_PATH = folder .. (old and old ~= "" and ":" .. old or ""),
    WARPLOOM_CUDA = command_line(mine[1], mine, options) })
  io.stderr:write("warploom: ", failed, "\n")
  return 1
end

return M
