-- Links of a built site: each href and src that is no address of the web is a
-- file of the site, and what stands behind # is an id in it.  Every page is
-- linked from somewhere.
--
-- usage: lua links.lua FOLDER
local root = arg[1]
local bad, checked = 0, 0

local function read(path)
  local f = io.open(root .. "/" .. path, "rb")
  local text = f and f:read "a" -- nil of a folder
  if f then f:close() end
  return text
end

local join = dofile(arg[0]:match "^(.*/)" .. "../docs/paths.lua").join

local function unescape(text)
  return (text:gsub("%%(%x%x)", function(x)
    return string.char(tonumber(x, 16))
  end):gsub("&amp;", "&"))
end

local pages, ids, linked = {}, {}, {}
local list = assert(io.popen(("cd '%s' && find . -name '*.html' | sort")
                             :format(root)))
for path in list:lines() do
  local page = path:sub(3)
  local text = read(page):gsub("(<script[^>]*>).-</script>", "%1")
                         :gsub("<!%-%-.-%-%->", "")
  ids[page] = { [""] = true }
  for id in text:gmatch '[%s"]id="([^"]*)"' do ids[page][id] = true end
  pages[#pages + 1] = { path = page, text = text }
end
list:close()

local function complain(page, target, what)
  print(("%s: %s for the link %s"):format(page, what, target))
  bad = bad + 1
end

for _, page in ipairs(pages) do
  local folder = page.path:match "^(.*)/[^/]*$" or "."
  for target in page.text:gmatch '[%s](%l+="[^"]*")' do
    local kind, value = target:match '^(%l+)="(.*)"$'
    if (kind == "href" or kind == "src") and not value:find "^%a+:" then
      local path, fragment = unescape(value):match "^([^#?]*)[^#]*#?(.*)$"
      local file = path == "" and page.path or join(folder, path)
      checked = checked + 1
      if file ~= page.path then linked[file] = true end
      if not ids[file] and not read(file) then
        complain(page.path, value, "no file")
      elseif ids[file] and not ids[file][fragment] then
        complain(page.path, value, "no heading")
      end
    end
  end
end
for _, page in ipairs(pages) do
  if not linked[page.path] then
    print(page.path .. ": no page has a link to it")
    bad = bad + 1
  end
end
print(("%d links of %d pages checked"):format(checked, #pages))
if #pages == 0 or checked == 0 or bad > 0 then os.exit(1) end
