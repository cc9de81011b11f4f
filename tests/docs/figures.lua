-- Figures of docs/validation.md, which are drawn of data that is kept.
--
-- usage: lua figures.lua SOURCE_DIR [draw]
--
-- The page's figures, those that tests/validate/figures.lua draws and the CSV
-- files are the same; tests/docs/links.lua takes one of them without its file,
-- and no other.  With `draw`: every row of the data has its mark, where a row
-- is missing that is seen, and legends name what they should.  Exit status 77:
-- nothing here draws.
local root, draws = arg[1], arg[2] == "draw"
local lua = "'" .. arg[-1] .. "'"
local bad = 0

local function complain(...)
  print(string.format(...))
  bad = bad + 1
end

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "a"
  file:close()
  return text
end

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

local function capture(command)
  local pipe = assert(io.popen(command .. " 2>&1"))
  local text = pipe:read "a"
  return text, select(3, pipe:close())
end

local work = capture "mktemp -d":gsub("\n", "")
local script = ("%s '%s/tests/validate/figures.lua'"):format(lua, root)

------------------------------------------------------------------------------

local function check_names()
  local page, lists = read(root .. "/docs/validation.md"), {}
  local function add(where, name)
    lists[name] = lists[name] or {}
    lists[name][where] = true
  end
  for name in page:gmatch "%]%(validation/([%w_]+)%.svg%)" do
    add("the page", name)
  end
  for name in capture(script .. " --list"):gmatch "%S+" do
    add("what is drawn", name)
  end
  for name in capture(("cd '%s/docs/validation' && ls *.csv"):format(root))
              :gmatch "(%S+)%.csv" do
    add("the data", name)
  end
  local count = 0
  for name, found in pairs(lists) do
    count = count + 1
    for _, where in ipairs { "the page", "what is drawn", "the data" } do
      if not found[where] then complain("%s is not in %s", name, where) end
    end
  end
  if count == 0 then complain "no figures" end
end

-- A tree with a figure that is drawn later, and with one that is nowhere.
local function check_links()
  os.execute(("mkdir -p '%s/docs/validation'"):format(work))
  write(work .. "/docs/validation/kept.csv", "a;b\n")
  write(work .. "/called.sh", "")
  os.execute(("chmod +x '%s/called.sh'"):format(work))
  write(work .. "/README.md", "```sh\n./called.sh\n```\n")
  local function links(page)
    write(work .. "/docs/page.md", page)
    return capture(("%s '%s/tests/docs/links.lua' '%s'"):format(lua, root,
                                                                work))
  end
  local text, status = links "![a](validation/kept.svg)\n"
  if status ~= 0 then complain("links.lua: of a figure with data\n%s", text) end
  for _, name in ipairs { "validation/gone.svg", "kept.svg",
                          "validation/kept.png" } do
    text, status = links(("![a](%s)\n"):format(name))
    if status == 0 or not text:find(name, 1, true) then
      complain("links.lua does not find that there is no %s", name)
    end
  end
end

------------------------------------------------------------------------------

-- What each row of a figure's data is called in the drawing.
local marks = {
  chase = function(row)
    return ("%s: %.6g, %.6g"):format(row[1], row[2], row[3])
  end,
  cycles = function(row)
    return ("%s: %.6g, %.6g"):format(row[1], row[5], row[4])
  end,
}

-- How many rows of `path` have no mark of their own in a drawing, and how many
-- marks have no row.
local function missing(name, path, svg)
  local left, rows, lacking = {}, 0, 0
  for label in svg:gmatch 'aria%-label="([^":]*: [%d.e+-]+, [%d.e+-]+)"' do
    left[label] = (left[label] or 0) + 1
  end
  for line in io.lines(path) do
    rows = rows + 1
    local row = {}
    for cell in (line .. ";"):gmatch "(.-);" do row[#row + 1] = cell end
    local label = rows > 1 and marks[name](row)
    if label and (left[label] or 0) > 0 then
      left[label] = left[label] - 1
    elseif label then
      lacking = lacking + 1
    end
  end
  local more = 0
  for _, count in pairs(left) do more = more + count end
  return lacking, more
end

-- The drawing of a folder's data.
local function drawn(name, folder)
  local text, status = capture(("%s '%s' '%s' %s"):format(script, folder,
                                                         work, name))
  if status == 77 then
    io.write(text)
    os.execute(("rm -r '%s'"):format(work))
    os.exit(77)
  elseif status ~= 0 then
    error(text)
  end
  return read(("%s/%s.svg"):format(work, name))
end

local function check_marks(name)
  local data = ("%s/docs/validation/%s.csv"):format(root, name)
  local svg = drawn(name, root .. "/docs/validation")
  local lacking, more = missing(name, data, svg)
  if lacking + more > 0 then
    complain("%s: %d rows without a mark, %d marks without a row", name,
             lacking, more)
  end
  local short = read(data):gsub("[^\n]*\n$", "")
  write(("%s/%s.csv"):format(work, name), short)
  lacking = missing(name, data, drawn(name, work))
  if lacking ~= 1 then
    complain("%s: one row less draws %d marks less", name, lacking)
  end
end

-- Of two panels, each has a legend of its own.
local function check_legends()
  local svg = drawn("sl1", root .. "/docs/validation")
  for _, name in ipairs { "1 to 15 blocks, 1 load under way",
                          "15 blocks, 4 under way", "L2", "DRAM",
                          "DRAM, 4 loads under way" } do
    local _, count = svg:gsub(">" .. name .. "</text>", "")
    if count ~= 1 then
      complain("sl1: %d entries of legends are %q", count, name)
    end
  end
end

if draws then
  for name in pairs(marks) do check_marks(name) end
  check_legends()
else
  check_names()
  check_links()
end
os.execute(("rm -r '%s'"):format(work))
os.exit(bad == 0)
