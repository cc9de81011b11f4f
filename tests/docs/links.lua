-- Links between pages: the file exists, and the heading that a #fragment
-- names, as forges make them (lower case, punctuation gone, spaces to -).  And
-- scripts that a page calls by their path can be called: they are executable.
-- A figure that is built (tests/validate/figures.lua) may be its data.
--
-- usage: lua links.lua SOURCE_DIR
local root = arg[1]
local bad, checked, called = 0, 0, 0

local function read(path)
  local f = io.open(path, "rb")
  if not f then return nil end
  local ok, text = pcall(f.read, f, "a")
  f:close()
  return ok and text or "" -- a folder
end

local join = dofile(arg[0]:match "^(.*/)" .. "paths.lua").join

local function headings(text)
  local found = {}
  for title in ("\n" .. text):gmatch "\n#+ ([^\n]*)" do
    found[title:lower():gsub("[^%w_ -]", ""):gsub(" ", "-")] = true
  end
  return found
end

-- Lines of a page's shell blocks, a call continued with \ as one, whose first
-- word, after settings of the environment, is a script of this repository.
local function check_calls(page, text)
  for block in ("\n" .. text):gmatch "\n```sh\n(.-)\n```" do
    for line in (block:gsub("\\\n", " ") .. "\n"):gmatch "([^\n]*)\n" do
      local script = line:gsub("^%s*", ""):gsub("^[%u_]+=%S*%s+", "")
                         :match "^[%w_./-]+%.sh%f[^%w]"
      if script and read(root .. "/" .. script) then
        called = called + 1
        if not os.execute(("test -x '%s/%s'"):format(root, script)) then
          print(("%s: %s is not executable"):format(page, script))
          bad = bad + 1
        end
      end
    end
  end
end

-- A file; of a figure that is drawn later, what it is drawn of.
local function there_is(path)
  local data = path:match "^(docs/validation/[%w_]+)%.svg$"
  return read(root .. "/" .. path) or data and read(root .. "/" .. data ..
                                                    ".csv")
end

local list = assert(io.popen("cd '" .. root ..
  "' && { ls *.md && find docs -name '*.md'; } | sort"))
for page in list:lines() do
  local whole = read(root .. "/" .. page)
  local text = whole:gsub("\n```.-\n```", "\n")
  local folder = page:match "^(.*)/[^/]*$" or "."
  check_calls(page, whole)
  for target in text:gmatch "%]%(([^)%s]+)%)" do
    if not target:find "^%a+:" then
      local path, fragment = target:match "^([^#]*)#?(.*)$"
      local file = path == "" and page or join(folder, path)
      local there = there_is(file)
      checked = checked + 1
      if not there then
        print(("%s: no file for the link %s"):format(page, target))
        bad = bad + 1
      elseif fragment ~= "" and not headings(there)[fragment] then
        print(("%s: no heading for the link %s"):format(page, target))
        bad = bad + 1
      end
    end
  end
end
list:close()
print(("%d links and %d calls of scripts checked"):format(checked, called))
if checked == 0 or called == 0 or bad > 0 then os.exit(1) end
