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
  local monitor, why
  if options.monitor then monitor, why = import "run/monitor".open() end
  if why and not monitor then io.stderr:write("warploom: ", why, "\n") end
  return host.start(path, text, {
    mode = "run", monitor = monitor,
    seed = options.seed, threads = options.threads,
    interleave = options.interleave,
    devices = options.devices, budget = options.budget,
    sample = options.sample, timed = options.timed,
    races = options.races,
    set = options.set, unsafe = options.unsafe, allow = options.allow,
    load = options.load, quiet = options.quiet, json = options.json,
    out = options.out, functional = options.functional,
    record = options.record, timeline = options.timeline,
    profile = options.profile,
    checkpoint = options.checkpoint, resume = options.resume,
    window = options.window, argv = table.move(plain, 2, #plain, 1, {}),
    host = host.new(basename(core.executable() or "program"), cuda) })
end

-- For programs that have NVIDIA's runtime in them.  A list of such names ends
-- them at spaces; without a folder the name is looked for in LD_LIBRARY_PATH.
local function preloaded(folder)
  local name = "libwarploom_static.so"
  return folder:find("%s") and name or folder .. "/" .. name
end

-- The folder that has libcudart.so.*: beside the program where it was built,
-- else where it was installed.
local function library_folder()
  local here = core.executable():match("^(.*)/") or "."
  local tried = {}
  for _, folder in ipairs { here .. "/cuda",
                            here .. "/" .. core.libraries .. "/cuda" } do
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

-- What the system reads of a program: is it ELF of 64 bits, and has it an
-- interpreter (a segment of type 3), which loads libraries?
local function is_elf(text) return text:sub(1, 5) == "\127ELF\2" end

local function loads_libraries(text)
  if #text < 64 then return false end
  local at = ("<I8"):unpack(text, 33)
  local size, count = ("<I2I2"):unpack(text, 55)
  for i = 0, count - 1 do
    local start = at + i * size
    if start < 0 or start + 4 > #text then return false end
    if ("<I4"):unpack(text, start + 1) == 3 then return true end
  end
  return false
end

-- How a program gets our runtime: true if it asks for it by name, false if it
-- has NVIDIA's in it, or is a script, which may start such a program; else nil
-- and why it cannot.
local function asks_for_runtime(path)
  local text = files.read_disk(path) or ""
  if not is_elf(text) then return false end
  if not loads_libraries(text) and text:find(".nv_fatbin", 1, true) then
    return nil, ("'%s' is linked with -static, so it loads no library of " ..
                 "ours; link it without"):format(path)
  end
  return text:find("libcudart.so", 1, true) ~= nil
end

-- What the loader makes of the libraries that a program names, and that those
-- name: "NAME => PATH" a line, or "NAME => not found".
local function loaded(path, environment)
  local function quote(word) return "'" .. word:gsub("'", "'\\''") .. "'" end
  local pipe = io.popen(("LD_TRACE_LOADED_OBJECTS=1 LD_LIBRARY_PATH=%s %s " ..
                         "2>/dev/null"):format(
                        quote(environment.LD_LIBRARY_PATH),
                        quote(absolute(path))))
  local list = pipe and pipe:read "a" or ""
  if pipe then pipe:close() end
  return list
end

-- NVIDIA's compilers, which programs may call.  Ours say what to do where there
-- are none; where there are they work without a GPU, so ours must not stand
-- before them.
local compilers = { "libnvrtc%.so%.[%d.]+", "libnvJitLink%.so%.[%d.]+" }

local function lacks_compiler(list)
  return list:find(compilers[1] .. " => not found") or
         list:find(compilers[2] .. " => not found")
end

-- Libraries of NVIDIA's whose kernels are machine code, and what they are
-- called.
local others = {
  libcudnn = "cuDNN", libcufft = "cuFFT", libcufftw = "cuFFT",
  libcusparse = "cuSPARSE", libcusolver = "cuSOLVER",
  libcusolverMg = "cuSOLVER", libnccl = "NCCL", libcutensor = "cuTENSOR",
  libnvjpeg = "nvJPEG" }

-- Tells which of them there are: whether the program can start.
local function other_libraries(list)
  local able = true
  for name, file, where in list:gmatch "(lib[%w_]-)(%.so[%d.]*) => ([^\n(]+)" do
    local title = others[name] or name:find "^libnpp" and "NPP"
    if title and where:find "^not found" then
      able = false
      io.stderr:write("warploom: the program needs ", name, file, " (", title,
        " of NVIDIA), which is not installed and has no stand-in here: ",
        "docs/cuda-libraries.md\n")
    elseif title then
      io.stderr:write("warploom: ", name, file, " (", title, ") is NVIDIA's: ",
        "its kernels are machine code, so calls that launch them fail\n")
    end
  end
  return able
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
  for _, name in ipairs { "seed", "threads", "interleave", "budget",
                         "devices" } do
    if options[name] then add("--" .. name, options[name]) end
  end
  for _, name in ipairs { "functional", "quiet", "races", "monitor",
                         "profile", "json" } do
    if options[name] then add("--" .. name) end
  end
  if options.sample then
    add(options.sample == true and "--sample" or "--sample=" .. options.sample)
  end
  add(table.unpack(import "run/timed".words(options.timed)))
  add(table.unpack(import "script/access".words(options)))
  if options.out then add("-o", absolute(options.out)) end
  if options.record then add("--record", absolute(options.record)) end
  if options.timeline then add("--timeline", absolute(options.timeline)) end
  if options.window then add("--window", options.window.text) end
  add(table.unpack(import "run/checkpoint".words(options, absolute)))
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
  local asks
  if not why then asks, why = asks_for_runtime(path) end
  if why then
    io.stderr:write("warploom: ", why, "\n")
    return 1
  end
  local script, text = script_of("cuda", mine)
  if not script then return text end
  if not load(text, "=" .. script, "t") then
    return execute("check", options, mine)
  end
  local function before(name, word)
    local old = os.getenv(name)
    return old and old ~= "" and word .. ":" .. old or word
  end
  local environment = {
    LD_LIBRARY_PATH = before("LD_LIBRARY_PATH", folder),
    WARPLOOM_CUDA = command_line(mine[1], mine, options) }
  local list = ""
  if is_elf(files.read_disk(path) or "") then
    list = loaded(path, environment)
  end
  if not other_libraries(list) then return 1 end
  if lacks_compiler(list) then
    environment.LD_LIBRARY_PATH = environment.LD_LIBRARY_PATH .. ":" .. folder
                                  .. "/absent"
  end
  if not asks then
    environment.LD_PRELOAD = before("LD_PRELOAD", preloaded(folder))
  end
  local _, failed = core.exec(program, environment)
  io.stderr:write("warploom: ", failed, "\n")
  return 1
end

return M
