-- Pages, and parts of pages between `<!-- generated: NAME -->` and `<!-- end
-- -->`, that are made from the program and the sources: compares, or with
-- LOOM_BLESS=1 writes.
--
-- usage: lua generated.lua WARPLOOM SOURCE_DIR
local program, root = arg[1], arg[2]
local bless = os.getenv "LOOM_BLESS" == "1"
local bad, made = 0, 0

local function read(path)
  local f = assert(io.open(path, "rb"))
  local text = f:read "a"
  f:close()
  return text
end

local function run(arguments)
  local p = assert(io.popen(("'%s' %s"):format(program, arguments)))
  local text = p:read "a"
  assert(p:close(), "warploom " .. arguments .. " fails")
  return text
end

local function compare(page, found, wanted)
  made = made + 1
  if found == wanted then return end
  if bless then
    local f = assert(io.open(root .. "/" .. page, "wb"))
    f:write(wanted)
    f:close()
    print(page .. ": written")
    return
  end
  print(page .. " is not what is generated; LOOM_BLESS=1 writes it")
  bad = bad + 1
end

local function rows(head)
  local columns = select(2, head:gsub("|", "|")) - 1
  return { head, "|" .. ("---|"):rep(columns) }
end

local parts = {}

-- Policies, by hook, with links to their pages.
function parts.policies()
  local out = rows "| hook | policy | what it does |"
  local found, inside = {}, false
  for line in run "info":gmatch "[^\n]*" do
    local name, hooks, doc = line:match "^  ([%w_]+) +([%w_ ]-)  +(%S.*)$"
    if line:find "^%S" then inside = line == "policies" end
    if inside and name then
      found[#found + 1] = ("| %s | [%s](%s.md) | %s |"):format(hooks, name,
                                                               name, doc)
    end
  end
  table.sort(found)
  return table.move(found, 1, #found, #out + 1, out)
end

-- Functions of some files of cuda/: those of each, and those that are missing.
local function functions(files)
  local out = rows "| about | provided |"
  local function names(...)
    local list, text = {}, ""
    for _, file in ipairs { ... } do
      text = text .. read(("%s/cuda/%s.c"):format(root, file))
    end
    text = text:gsub("\nFIELD%((cublas[%w_]+),%s*(cublas[%w_]+)",
                     "\nLOOM_CUDA(int, %1\nLOOM_CUDA(int, %2")
    -- One definition for both types.
    text = text:gsub("\n +(LOOM_CUDA%(%w+, cublas)##L##([%w_]+)",
                     "\n%1S%2\n%1D%2")
    text = text:gsub("\n +(LOOM_CUDA%(%w+, cublasI)##l##([%w_]+)",
                     "\n%1s%2\n%1d%2")
    for name in text:gmatch "\nLOOM_CUDA%([^,]+,%s*([%w_]+)" do
      list[#list + 1] = "`" .. name .. "`"
    end
    for name in text:gmatch "\n[MR][IE][SF]%u+%(([%w_]+)%)" do
      list[#list + 1] = "`" .. name .. "`"
    end
    table.sort(list)
    assert(#list > 0, ... .. ".c has no functions")
    return table.concat(list, ", ")
  end
  for _, row in ipairs(files) do
    out[#out + 1] = ("| %s | %s |"):format(row[1],
                                       names(table.unpack(row, 2)))
  end
  return out
end

function parts.cuda()
  return functions {
    { "programs", "image", "start" }, { "launches", "launch" },
    { "kernels", "function" }, { "device memory", "memory" },
    { "memory pools", "pool" },
    { "memory of host and device", "host_memory" },
    { "copies and fills", "copy" }, { "arrays and textures", "array" },
    { "texture references", "reference" },
    { "modules", "library" },
    { "streams and events", "stream" }, { "captured streams", "capture" },
    { "graphs", "graph", "graph_edges", "graph_nodes", "graph_others",
      "graph_run", "graph_condition", "graph_update" },
    { "the device", "device" },
    { "errors", "runtime" }, { "", "error" },
    { "not provided: cudaErrorNotSupported and a message, or the program ends",
      "missing" } }
end

function parts.driver()
  return functions {
    { "contexts", "driver/context" },
    { "the device, versions, errors", "driver/device", "driver/error" },
    { "modules, libraries, kernels", "driver/module", "driver/link" },
    { "launches, occupancy", "driver/launch" },
    { "memory", "driver/memory" }, { "copies and fills", "driver/copy" },
    { "arrays, textures, surfaces", "driver/array", "driver/reference" },
    { "streams and events", "driver/stream" },
    { "graphs", "driver/graph", "driver/graph_twins" },
    { "captured streams, memory pools", "driver/pool" },
    { "virtual memory management", "driver/virtual" },
    { "functions by their names", "driver/entry" },
    { "not provided: CUDA_ERROR_NOT_SUPPORTED and a message",
      "driver/missing" } }
end

function parts.libraries()
  return functions {
    { "handles, versions", "blas/handle" },
    { "matrices", "blas/gemm_calls" }, { "vectors", "blas/vector", "blas/rotate" },
    { "a matrix and vectors, triangular systems", "blas/matrix" },
    { "symmetric, triangular, band and packed matrices; LU",
      "blas/structured", "blas/lu" },
    { "copies", "blas/transfer" },
    { "without handles (`cublas.h`)", "blas/legacy" },
    { "cublasLt", "blas/lt", "blas/lt_matmul" } }
end

function parts.random()
  return functions {
    { "generators", "rand/generator" }, { "numbers", "rand/generate" } }
end

for _, page in ipairs { "docs/policies/README.md", "docs/cuda.md",
                        "docs/cuda-libraries.md" } do
  local found = read(root .. "/" .. page)
  local wanted = found:gsub(
    "(<!%-%- generated: ([%w_]+) %-%->\n)(.-)(<!%-%- end %-%->)",
    function(head, name, _, tail)
      return head .. table.concat(parts[name](), "\n") .. "\n" .. tail
    end)
  compare(page, found, wanted)
end

for page, arguments in pairs { ["docs/reference.md"] = "info --markdown",
                               ["docs/suite.md"] = "suite list --markdown" } do
  local file = io.open(root .. "/" .. page, "rb")
  compare(page, file and file:read "a" or "", run(arguments))
  if file then file:close() end
end
if bad > 0 or made == 0 then os.exit(1) end
