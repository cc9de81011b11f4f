-- Vega, Vega-Lite and vega-embed, which draw figures: files beside the
-- program, fetched by ./setup.sh charts, and never by the program.

local import = ...
local core = import "core"
local files = import "script/files"
local results = import "look/results"

local M = {}

-- Folders that may have it.
local function places()
  local list = { os.getenv("WARPLOOM_CHARTS") }
  local program = core.executable()
  if program then
    list[#list + 1] = program:match("^(.*)/[^/]*$") ..
                      "/../share/warploom/charts"
  end
  return list
end

-- The folder, or nil and the places that were tried.
function M.find()
  for _, folder in ipairs(places()) do
    if core.kind(folder .. "/versions.txt") == "file" then return folder end
  end
  return nil, table.concat(places(), " and ")
end

local function need()
  local folder, tried = M.find()
  if not folder then
    results.refuse("figures are drawn by Vega-Lite, which is not in %s: " ..
      "'./setup.sh charts' fetches it (plot -o FILE.json works without)", tried)
  end
  return folder
end

-- The text of one of its files.
function M.read(name)
  local path = need() .. "/" .. name
  return files.read_disk(path) or results.refuse("cannot read '%s'", path)
end

function M.versions() return (M.read("versions.txt"):gsub("%s+$", "")) end

-- A file of ours that is for the library, from $WARPLOOM_LUA or the program.
function M.own(name)
  local folder = os.getenv("WARPLOOM_LUA")
  name = "warploom/look/" .. name
  return folder and files.read_disk(folder .. "/" .. name) or core.source(name)
end

local function quote(s) return "'" .. s:gsub("'", "'\\''") .. "'" end

local function has(program)
  return (os.execute("command -v " .. program .. " >/dev/null 2>&1"))
end

-- What rsvg-convert is told for a kind of file.  A PDF is as large as the SVG
-- is in pixels of 1/96 inch, says no time of its making unless it is told one,
-- and has its fonts in it.
local conversions = {
  png = "--zoom 2",
  pdf = "--format pdf",
}

-- Draws a specification (JSON) into a file: SVG, PDF, or PNG of twice the size.
-- Refuses what it cannot draw.
function M.draw(specification, path, kind)
  local folder, how = need(), conversions[kind]
  if not has "node" then
    results.refuse("SVG, PDF and PNG are drawn in Node.js, which is not " ..
      "installed (Debian: nodejs); plot -o FILE.html needs only a browser")
  elseif how and not has "rsvg-convert" then
    results.refuse("%s is made of SVG by rsvg-convert, which is not " ..
                   "installed (Debian: librsvg2-bin)", kind:upper())
  end
  local pipe = io.popen(("node -e %s %s %s"):format(quote(M.own("draw.js")),
                        quote(folder), quote(path)), "w")
  pipe:write(specification)
  if not pipe:close() then results.refuse("node could not draw '%s'", path) end
  if how then
    local working = path .. "." .. kind
    local ok = os.execute(("SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-0} " ..
      "rsvg-convert %s -o %s %s"):format(how, quote(working), quote(path)))
    os.remove(path)
    if not ok then
      os.remove(working)
      results.refuse("rsvg-convert could not write '%s'", path)
    end
    os.rename(working, path)
  end
end

return M
