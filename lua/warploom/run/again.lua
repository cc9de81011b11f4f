-- `warploom run FILE.h5`: the run that a results file is of, made again from
-- what the file has: the script with all that it loaded, the command line, and
-- the digests of what else was read.
--
-- Nothing of the file gives a script more than scripts have: what the run was
-- allowed (--allow, --load, --unsafe) has to be allowed again.

local import = ...
local core = import "core"
local line = import "command/line"
local results = import "look/results"
local session = import "script/session"

local M = {}

local function fail(fmt, ...)
  io.stderr:write("warploom: ", fmt:format(...), "\n")
  return 1
end

function M.is_record(path)
  local file = core.kind(path) == "file" and io.open(path, "rb")
  local head = file and file:read(8)
  if file then file:close() end
  return head == "\137HDF\r\n\26\n"
end

-- Columns of a group as rows.
local function rows(file, group, names)
  local out = {}
  if not file:has(group .. "/" .. names[1]) then return out end
  for _, name in ipairs(names) do
    for i, value in ipairs(file:values(group .. "/" .. name)) do
      out[i] = out[i] or {}
      out[i][name] = value
    end
  end
  return out
end

-- What the file says of its run.
local function read(path)
  local file, why = results.open(path)
  if not file then return nil, why end
  if not file:has("/meta/config_lua") then
    file:close()
    return nil, ("'%s' is not of one run: of a sweep's, %s"):format(path,
      "FOLDER/points/KEY.h5 are (warploom sweep --list)")
  end
  local ok, record = pcall(function()
    return { path = path, root = file.attributes, meta = file.meta,
             sources = rows(file, "/meta/source", { "path", "text" }),
             inputs = rows(file, "/meta/inputs", { "path", "sha256" }) }
  end)
  file:close()
  if ok then return record end
  return nil, tostring(record.text or record)
end

------------------------------------------------------------------------------
-- The command line

local made_again = { run = true, point = true }

-- Options and words of the run, or nil and why it cannot be made again.
local function command_of(record)
  local argv = record.meta.argv
  argv = type(argv) == "table" and argv or { argv }
  local name, options, plain = line.parse(table.move(argv, 2, #argv, 1, {}))
  if not name or not plain[1] then
    return nil, ("its command line is '%s'"):format(table.concat(argv, " "))
  end
  if name == "host" or name == "cuda" then
    return nil, ("its host program is '%s', a CUDA program, which is not in " ..
      "the file; run: warploom cuda %s -- PROGRAM"):format(
      record.root.workload, plain[1])
  end
  if not made_again[name] or plain[1] ~= record.root.experiment then
    return nil, ("it was made by the program's command '%s'"):format(name)
  end
  record.argv = argv
  return options, plain
end

-- What the run was allowed and this one is not.
local function not_allowed(then_, now)
  if then_.unsafe and not now.unsafe then
    return "its script had all of Lua; if you trust it: --unsafe"
  end
  for _, name in ipairs { "load", "allow" } do
    for _, path in ipairs(then_[name] or {}) do
      local given = now.unsafe
      for _, one in ipairs(now[name] or {}) do
        given = given or core.resolve(one) == core.resolve(path)
      end
      if not given then
        return ("it was made with --%s %s; if you trust that, say so again")
               :format(name, path)
      end
    end
  end
end

------------------------------------------------------------------------------
-- Files

-- Recordings that a sweep keeps of streams hold nothing of their own.
local function is_cache(path, options)
  local folder = options.cache and options.cache .. "/"
  return folder and path:sub(1, #folder) == folder
end

-- Path -> where it is, and what is wrong, if relative paths begin here.
local function find_inputs(record, options)
  local found, wrong = {}, {}
  for _, input in ipairs(record.inputs) do
    local path = input.path
    local text = core.source(path)
    if core.kind(path) == "file" and
       core.file_digest(path) == input.sha256 then
      found[path] = "disk"
    elseif text and core.sha256(text) == input.sha256 then
      found[path] = "program"
    elseif not is_cache(path, options) and path ~= "(text)" then
      local is_there = core.kind(path) == "file" or text
      wrong[#wrong + 1] = ("'%s' %s (SHA-256 then: %s)"):format(path,
        is_there and "has changed since" or "is missing", input.sha256)
    end
  end
  return found, wrong
end

-- Paths are relative to where the run was made, or to where it is now.
local function enter(record, options)
  local here = core.cwd()
  local found, wrong = find_inputs(record, options)
  if #wrong == 0 then return found end
  if record.meta.cwd and core.chdir(record.meta.cwd) then
    local there, missing = find_inputs(record, options)
    if #missing == 0 then return there end
    if #missing < #wrong then wrong = missing end
    core.chdir(here)
  end
  return nil, table.concat(wrong, "\nwarploom: ")
end

local function absolute(path)
  return path and not path:find("^/") and core.cwd() .. "/" .. path or path
end

------------------------------------------------------------------------------

-- Options of this command line that would make another run.
local function other_run(options, plain)
  if plain[2] then return plain[2] end
  if next(options.set) then return "--set" end
  for _, name in ipairs { "seed", "functional", "record", "interleave",
                         "sample", "kernels", "first", "last", "skip",
                         "time" } do
    if options[name] ~= nil then return "--" .. name end
  end
end

-- Was it replayed from streams that a sweep's points share?  Then its state
-- digest has other memory than that of a run that executes (recordings.md), and
-- the numbers are compared.
local function was_replayed(record, options)
  for _, input in ipairs(record.inputs) do
    if is_cache(input.path, options) then return true end
  end
  return false
end

local function scratch()
  local path = os.tmpname()
  os.remove(path)
  return path .. ".h5"
end

-- `file`: of the numbers, where they are compared; nil: the state.
local function compare(record, again, status, file, quiet)
  local what = file and "results" or "state"
  local was, now = record.root.state_digest or "", again.digest
  if file and now then
    was = core.results_digest(record.path) or ""
    now = core.results_digest(file)
  end
  if not now then
    return status ~= 0 and status or
           fail("'%s': the script has made %d runs, and this was number %d",
                record.path, session.run_count, again.run)
  elseif was == "" then
    return fail("'%s' has no digest to compare with: its run is '%s'",
                record.path, record.root.status or "?")
  elseif was ~= now then
    local other = record.meta.version ~= core.version and
      ("; it was made by warploom %s, this is %s"):format(
        record.meta.version, core.version) or ""
    fail("'%s' is not repeated: its %s digest is %s, now it is %s%s",
         record.path, what, was, now, other)
    return 3
  end
  if not quiet then
    print(("repeated: the %s digest is that of %s"):format(what, record.path))
  end
  return status
end

-- Makes the run again; the exit status is the run's, or 3 if it is another.
function M.main(path, options, plain)
  local other = other_run(options, plain)
  if other then
    return fail("'%s' is run as it was: '%s' would make another run of it",
                path, other)
  end
  local record, why = read(path)
  if not record then return fail("%s", why) end
  local given, words = command_of(record)
  if not given then
    return fail("'%s' cannot be repeated: %s", path, words)
  end
  why = not_allowed(given, options)
  if why then return fail("'%s' cannot be repeated: %s", path, why) end
  for _, name in ipairs { "allow", "load" } do
    for i, one in ipairs(options[name] or {}) do
      options[name][i] = absolute(one)
    end
  end
  options.out = absolute(options.out)
  local again = { run = math.max(record.meta.run or 1, 1), sources = {},
                  source_names = {} }
  for i, source in ipairs(record.sources) do
    again.source_names[i] = source.path
    again.sources[source.path] = source.text
  end
  again.here = core.cwd()
  again.inputs, why = enter(record, given)
  if not again.inputs then
    return fail("'%s' cannot be repeated:\nwarploom: %s", path, why)
  end
  local script = words[1]
  if not again.sources[script] then
    return fail("'%s' cannot be repeated: it does not have its script", path)
  end
  session.command = record.argv
  local runner = import "script/script"
  local file = was_replayed(record, given) and (options.out or
                                                scratch()) or nil
  local out = options.out or file
  local status = runner.execute(script, again.sources[script], {
    mode = "run", seed = given.seed, interleave = given.interleave,
    races = given.races, sample = given.sample, timed = given.timed,
    budget = options.budget or given.budget, set = given.set, again = again,
    threads = options.threads or given.threads,
    threads_report = options.threads_report, unsafe = options.unsafe,
    allow = options.allow, load = options.load, quiet = options.quiet,
    out = out, functional = given.functional,
    point = given.number and { number = given.number, file = out },
    argv = table.move(words, 2, #words, 1, {}) })
  if not runner.report() then
    status = compare(record, again, status, file, options.quiet)
  end
  if file and not options.out then core.remove(file) end
  return status
end

return M
