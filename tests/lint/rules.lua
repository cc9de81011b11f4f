-- The house rules that a program can check.  Prints `file:line: rule: text`
-- for each violation and fails if there is one.
--
-- usage: lua rules.lua SOURCE_DIR [near]
--
-- With `near` it lists the files that are within 5 % of their limit, too: the
-- next change would have to split them.
--
-- A file may claim an exception in the lines above the place that needs it:
--     /* lint: allow size: a decoder is one switch */
-- Exceptions are counted, and one that is not needed is a violation.
--
-- The rules, with the limits in one place:

local limits = {
  c_lines = 600,
  h_lines = 250,
  lua_lines = 600, -- of the product; luacheck does the rest
  function_lines = 60,
  columns = 80,
  parameters = 6,
  nesting = 4,
  ops = 8, -- functions in an ops struct; hooks may have as many as questions
}

-- Which files may include which.  A path is classified by the first pattern
-- that matches.  `own` stands for the folder of the including file.  Headers
-- directly under components/, policies/ and workloads/ are contracts; folders
-- under them are implementations, and nobody includes an implementation.  What
-- policies share is in policies/lib/, which only they include; what is built
-- upon streams is in folders under workloads/, which components do not see.
-- The folders of a front end have an order of their own.
local layers = {
  { "engine",        "^engine/" },
  { "component",     "^components/[^/]+/" },
  { "lib",           "^policies/lib/" },
  { "policy",        "^policies/[^/]+/" },
  { "streams",       "^workloads/ir/" },
  { "streams",       "^workloads/locality/" },
  { "streams",       "^workloads/recording/" },
  { "streams",       "^workloads/streams/" },
  { "ptx_parse",     "^workloads/ptx/parse/" },
  { "ptx_analysis",  "^workloads/ptx/analysis/" },
  { "ptx_lanes",     "^workloads/ptx/lanes/" },
  { "ptx_exec",      "^workloads/ptx/exec/" },
  { "ptx_decode",    "^workloads/ptx/decode/" },
  { "ptx",           "^workloads/ptx/" },
  { "workload",      "^workloads/[^/]+/" },
  { "protocol",      "^components/[^/]+%.[ch]$" },
  { "hook",          "^policies/[^/]+%.[ch]$" },
  { "stream",        "^workloads/[^/]+%.[ch]$" },
  { "stats",         "^stats/" },
  { "lua",           "^lua/" },
  { "cuda",          "^cuda/" },
  { "policy",        "^tests/policies/[^/]+/" },
  { "tests",         "^tests/" },
}

local may_include = {
  engine    = { "engine" },
  protocol  = { "engine", "protocol", "stream" },
  stream    = { "engine", "protocol", "stream" },
  streams   = { "engine", "protocol", "stream", "streams" },
  hook      = { "engine", "hook", "protocol", "stream", "streams" },
  lib       = { "engine", "hook", "protocol", "stream", "lib" },
  component = { "own", "engine", "protocol", "hook", "stream" },
  policy    = { "own", "engine", "hook", "protocol", "stream", "streams",
                "lib" },
  workload  = { "own", "engine", "stream", "streams", "hook", "protocol" },
  ptx       = { "own", "engine", "stream", "streams", "hook", "protocol",
                "ptx_parse", "ptx_analysis", "ptx_exec", "ptx_decode" },
  ptx_parse    = { "own", "engine", "streams" },
  ptx_analysis = { "own", "engine", "stream", "streams", "protocol" },
  ptx_lanes    = { "own", "engine", "stream", "streams" },
  ptx_exec     = { "own", "engine", "stream", "streams", "protocol",
                   "ptx_analysis", "ptx_lanes" },
  ptx_decode   = { "own", "engine", "stream", "streams", "protocol",
                   "ptx_analysis", "ptx_lanes", "ptx_exec" },
  stats     = { "engine", "stats" },
  lua       = { "engine", "stats", "hook", "protocol", "stream", "streams",
                "lua" },
  cuda      = { "engine", "lua", "cuda" },
  tests     = { "engine", "component", "policy", "lib", "workload",
                "ptx", "ptx_parse", "ptx_analysis", "ptx_exec", "protocol",
                "hook", "stream", "streams", "stats", "lua", "cuda", "tests" },
}

-- Headers of the engine that only the code that builds machines may use.
local builders_only = {
  ["engine/machine.h"] = true, ["engine/registry.h"] = true,
}
local builders = { engine = true, lua = true, stats = true, tests = true }

-- System headers tied to one layer.
local system = {
  { "^lua", "lua" }, { "^lauxlib", "lua" }, { "^hdf5", "stats" },
  { "^math%.h", "tests" }, -- libm differs between machines
  { "^nettle/", "engine" }, -- docs/decisions/0021
}

-- Calls tied to one place; every other file is refused.
local memory = { "engine/", "stats/", "lua/", "workloads/", "cuda/",
                 "tests/" }
local calls = {
  { "printf",  { "lua/", "tests/" } },
  { "fprintf", { "engine/error.c", "engine/report.c", "stats/print",
                 "workloads/ir/print", "lua/", "tests/" } },
  { "exit",    { "lua/main.c", "cuda/runtime.c", "cuda/start.c",
                 "tests/" } },
  { "abort",   { "engine/error.c", "tests/fuzz/",
               "cuda/shim.c", "tests/signals/" } },
  { "malloc",  memory }, { "calloc", memory }, { "realloc", memory },
  { "getenv",  { "lua/", "cuda/start.c", "tests/cuda/", "tests/fault/",
                "tests/bench/stretches.c" } },
  { "assert", {} }, { "rand", {} }, { "srand", {} },
  { "time", { "stats/provenance", "lua/" } },
  { "clock", {} }, { "strcpy", {} }, { "strcat", {} }, { "sprintf", {} },
  { "strtok", {} }, { "atoi", {} }, { "sscanf", {} }, { "alloca", {} },
  { "setjmp", { "lua/" } }, { "longjmp", { "lua/" } },
}

local root = assert(arg[1], "usage: lua rules.lua SOURCE_DIR")
local found, excused = 0, 0
local allowed = {} -- line -> rule, for the file being checked

local function report(file, line, rule, text)
  for above = line, math.max(line - 5, 1), -1 do
    if allowed[above] == rule then
      allowed[above] = "used"
      excused = excused + 1
      return
    end
  end
  print(("%s:%d: %s: %s"):format(file, line, rule, text))
  found = found + 1
end

local function layer_of(path)
  for _, layer in ipairs(layers) do
    if path:find(layer[2]) then return layer[1] end
  end
end

local function contains(list, value)
  for _, v in ipairs(list) do
    if v == value then return true end
  end
  return false
end

local function starts_with_any(path, prefixes)
  for _, prefix in ipairs(prefixes) do
    if path:sub(1, #prefix) == prefix then return true end
  end
  return false
end

-- Blanks comments and strings, keeping line breaks and columns.
local function strip(text)
  local blank = function(s) return (s:gsub("[^\n]", " ")) end
  text = text:gsub("/%*.-%*/", blank)
  text = text:gsub("'\\\\?[^\n]'", blank)
  text = text:gsub("\\\\.", "  ")
  text = text:gsub('"[^"\n]*"', blank)
  return text
end

local function check_include(file, line, target)
  local layer = layer_of(file)
  local other = layer_of(target)
  if target:find("^%.%.?/") then
    report(file, line, "include", "paths start at the root: " .. target)
  elseif other then
    local own = file:match("^(.*)/") == target:match("^(.*)/")
    local list = may_include[layer]
    if not (contains(list, other) or (own and contains(list, "own"))) then
      report(file, line, "layer", layer .. " may not include " .. target)
    end
    if builders_only[target] and not builders[layer] then
      report(file, line, "layer", layer .. " may not build: " .. target)
    end
    if target:find("_private%.h$") and not own and layer ~= "tests" then
      report(file, line, "layer", "private header: " .. target)
    end
  end
end

local function check_system(file, line, target)
  for _, rule in ipairs(system) do
    if target:find(rule[1]) and layer_of(file) ~= rule[2] then
      report(file, line, "layer", "<" .. target .. "> belongs to " .. rule[2])
    end
  end
end

local function check_calls(file, line, code)
  for _, rule in ipairs(calls) do
    local name, where = rule[1], rule[2]
    if code:find("%f[%w_]" .. name .. "%s*%(") and
       not starts_with_any(file, where) then
      report(file, line, "call", name .. "() is not allowed here")
    end
  end
end

local function check_shape(file, lines, text)
  local is_header = file:find("%.h$")
  local limit = is_header and limits.h_lines or limits.c_lines
  if #lines > limit then
    report(file, #lines, "size", #lines .. " lines, limit " .. limit)
  elseif arg[2] == "near" and #lines >= 0.95 * limit then
    print(("%s: %d lines, limit %d"):format(file, #lines, limit))
  end
  if not text:find("^/%*\n %* %S") then
    report(file, 1, "comment", "a file starts by saying what it is for")
  end
  if is_header then
    local guard = file:upper():gsub("[/.]", "_")
    if not text:find("#ifndef " .. guard .. "\n#define " .. guard, 1, true) then
      report(file, 1, "guard", "expected " .. guard)
    end
  end
end

-- Counts the parameters of the function whose body opens at line `start`.
local function parameters(code, start)
  local head = {}
  for i = start - 1, math.max(start - 12, 1), -1 do
    table.insert(head, 1, code[i])
    if code[i]:find("^[%a_]") and code[i]:find("%(") then break end
  end
  -- Functions of the CUDA runtime have the parameters that NVIDIA gave them.
  if head[1] and head[1]:find("^LOOM_CUDA%(") then return 0 end
  local list = table.concat(head, " "):match("%((.*)%)")
  if not list or list:find("^%s*void%s*$") then return 0 end
  list = list:gsub("%b()", "")
  local _, commas = list:gsub(",", "")
  return commas + 1
end

-- A function body runs from a `{` in column 1 to the next `}` in column 1.
local function check_functions(file, lines, code)
  local start, depth, deepest
  for i, line in ipairs(lines) do
    if line == "{" then
      start, depth, deepest = i, 0, 0
      local count = parameters(code, i)
      if count > limits.parameters then
        report(file, i, "size", count .. " parameters, limit " ..
               limits.parameters)
      end
    elseif line == "}" and start then
      if i - start + 1 > limits.function_lines then
        report(file, start, "size", "function of " .. (i - start + 1) ..
               " lines, limit " .. limits.function_lines)
      end
      if deepest > limits.nesting then
        report(file, start, "size", "nesting of " .. deepest ..
               ", limit " .. limits.nesting)
      end
      start = nil
    elseif start then
      local _, opened = code[i]:gsub("{", "")
      local _, closed = code[i]:gsub("}", "")
      depth = depth + opened - closed
      deepest = math.max(deepest, depth)
    end
  end
end

-- An ops struct outside the hooks has a bounded number of functions.
local function check_ops(file, lines)
  if not file:find("%.h$") or layer_of(file) == "hook" then return end
  local start, count
  for i, line in ipairs(lines) do
    if line:find("^struct [%w_]+_ops {") then
      start, count = i, 0
    elseif start and line == "};" then
      if count > limits.ops then
        report(file, start, "size", count .. " functions in an ops struct, " ..
               "limit " .. limits.ops)
      end
      start = nil
    elseif start and line:find("%(%*[%w_]+%)") then
      count = count + 1
    end
  end
end

local function check_file(file)
  local handle = assert(io.open(root .. "/" .. file))
  local text = handle:read("a")
  handle:close()
  local lines, code = {}, {}
  for line in text:gmatch("([^\n]*)\n") do lines[#lines + 1] = line end
  for line in strip(text):gmatch("([^\n]*)\n") do code[#code + 1] = line end

  allowed = {}
  for i, line in ipairs(lines) do
    allowed[i] = line:match("/%* lint: allow (%w+): %S")
  end
  for i, line in ipairs(lines) do
    local target = line:match('^%s*#%s*include%s+"([^"]+)"')
    if target then check_include(file, i, target) end
    target = line:match("^%s*#%s*include%s+<([^>]+)>")
    if target then check_system(file, i, target) end
    if #line > limits.columns then
      report(file, i, "size", #line .. " columns, limit " .. limits.columns)
    end
    if line:find("TODO") and not line:find("TODO%(#%d+%)") then
      report(file, i, "comment", "a TODO names its issue: TODO(#12)")
    end
    if line:find("^%s*/%* ?%.%. ") or line:find("%s/%* ?%.%. ") or
       line:find("%w %.%. ?%*/$") then
      report(file, i, "comment", "a sentence ends where it begins, not in '..'")
    end
    check_calls(file, i, code[i])
  end
  check_shape(file, lines, text)
  check_functions(file, lines, code)
  check_ops(file, lines)
  for i = 1, #lines do
    if allowed[i] and allowed[i] ~= "used" then
      local rule = allowed[i]
      allowed[i] = nil
      report(file, i, "allow", "the exception for " .. rule .. " is unused")
    end
  end
end

local function files_of(what)
  local list = assert(io.popen("cd '" .. root .. "' && find " .. what ..
                               " 2>/dev/null | sort"))
  local files = {}
  for file in list:lines() do files[#files + 1] = file end
  list:close()
  return files
end

local files = files_of("engine components policies workloads stats lua cuda " ..
  "tests -name '*.[ch]' -not -path 'tests/lint/bad/*' " ..
  "-not -path 'workloads/suite/*'")
if #files == 0 then
  print("no files under " .. root)
  os.exit(1)
end
for _, file in ipairs(files) do check_file(file) end
for _, file in ipairs(files_of "lua -name '*.lua'") do
  local count = 0
  for _ in io.lines(root .. "/" .. file) do count = count + 1 end
  if count > limits.lua_lines then
    report(file, count, "size", count .. " lines, limit " .. limits.lua_lines)
  end
end
print(#files .. " files checked")
print(excused .. " exceptions")
if found > 0 then
  print(found .. " violations")
  os.exit(1)
end
