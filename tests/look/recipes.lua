-- Runs the recipes of docs/post-processing.md in one language and compares
-- what they print with what the program says.
--
-- usage: lua recipes.lua WARPLOOM SOURCE_DIR NAME
-- Exit status 77 (skipped) where the language or a package is not installed.
local program, root, name = arg[1], arg[2], arg[3]

local python = "python3"
if os.execute "test -x /usr/bin/python3" then python = "/usr/bin/python3" end

-- How a recipe is run, and what must succeed for it to be run at all.
local ways = {
  helper = { "py", python, python .. " -c 'import h5py, pandas'" },
  h5py = { "py", python, python .. " -c 'import h5py'" },
  xarray = { "py", python, python .. " -c 'import xarray, h5netcdf'" },
  pandas = { "py", python, python .. " -c 'import pandas'" },
  octave = { "m", "octave-cli -q", "octave-cli --version && h5dump --version" },
  rhdf5 = { "R", "Rscript", "Rscript -e 'library(rhdf5)'" },
  hdf5r = { "R", "Rscript", "Rscript -e 'library(hdf5r)'" },
  julia = { "jl", "julia", "julia -e 'using HDF5'" },
  h5dump = { "sh", "sh -eu", "h5dump --version" },
}
local way = assert(ways[name], "no recipe " .. name)

local function capture(command, errors)
  local pipe = assert(io.popen(command .. (errors or " 2>&1")))
  local text = pipe:read "a"
  return text, pipe:close()
end

local function quote(s) return "'" .. s:gsub("'", "'\\''") .. "'" end

local function write(path, text)
  local f = assert(io.open(path, "wb"))
  f:write(text)
  f:close()
end

local why, there = capture(way[3])
if not there then
  print(("SKIPPED: recipe %s: this fails: %s\n%s"):format(
        name, way[3], why:sub(1, 200)))
  os.exit(77)
end

local f = assert(io.open(root .. "/docs/post-processing.md", "rb"))
local page = f:read "a"
f:close()
local dir = capture "mktemp -d":gsub("\n", "")

local function inside(command)
  return capture(("cd %s && PATH=%s:\"$PATH\" PYTHONPATH=%s " ..
    "PYTHONDONTWRITEBYTECODE=1 %s"):format(quote(dir),
    quote(program:match "^(.*)/[^/]*$"), quote(root .. "/python"),
    command), " 2>errors")
end

local recipe
for info, text in page:gmatch "\n```([^\n]+)\n(.-\n)```" do
  if info == "lua run" then
    write(dir .. "/run.lua", text)
    local said, ok = inside(quote(program) .. " run --quiet run.lua")
    assert(ok, said)
  elseif info:match "^%w+ file " then
    write(dir .. "/" .. info:match "file (.*)$", text)
  elseif info:match "recipe (.*)$" == name then
    recipe = text
  end
end
assert(recipe, "the page has no recipe " .. name)
write(dir .. "/recipe." .. way[1], recipe)

-- What the program says.
local function total(stat, sample)
  local text = inside(("%s stats atax.h5 gpu.sm.l1d.%s --csv --sample %s")
    :format(quote(program), stat, sample))
  return assert(tonumber(text:match "\n[^,]+,%d+,([^,]+),"), text)
end
local want = { ("request %d"):format(total("misses", "last")) }
local misses, lookups = 0, 0
for _, kernel in ipairs { "atax_rows", "atax_columns" } do
  local m, l = total("misses", kernel), total("lookups", kernel)
  want[#want + 1] = ("%s %.6f"):format(kernel, (m - misses) / (l - lookups))
  misses, lookups = m, l
end
local printed, ok = inside(way[2] .. " recipe." .. way[1])
local errors = capture("cat " .. quote(dir .. "/errors"))
os.execute("rm -rf " .. quote(dir))

local got = {}
for line in printed:gmatch "[^\n]+" do
  got[#got + 1] = line:gsub("%s+$", "")
end
if not ok or table.concat(got, "\n") ~= table.concat(want, "\n") then
  print(("%s: expected\n%s\nbut it printed\n%s%s"):format(name,
        table.concat(want, "\n"), printed, errors))
  os.exit(1)
end
print(table.concat(want, "\n"))
