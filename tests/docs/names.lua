-- Checks that what a page names exists: `path/with/slash` must be a file or
-- folder, `symbol()` must occur in the sources.  Paths under build/ and
-- patterns with <...>, * or spaces are not checked.
-- usage: lua names.lua SOURCE_DIR PAGE...
local root = arg[1]
local bad, checked = 0, 0

local function read(path)
  local f = io.open(path, "rb")
  if not f then return nil end
  local ok, text = pcall(f.read, f, "a")
  f:close()
  return ok and text or ""
end

local function exists(path)
  return os.rename(path, path) ~= nil
end

local sources
local function in_sources(symbol)
  if not sources then
    local parts = {}
    local list = assert(io.popen("cd '" .. root .. "' && find engine " ..
      "components policies workloads stats lua cuda -name '*.[ch]' -o -name " ..
      "'*.lua' | sort"))
    for file in list:lines() do
      parts[#parts + 1] = read(root .. "/" .. file)
    end
    list:close()
    sources = table.concat(parts, "\n")
  end
  return sources:find("%f[%w_]" .. symbol .. "%f[^%w_]") ~= nil
end

for i = 2, #arg do
  local text = assert(read(root .. "/" .. arg[i]), "no page " .. arg[i])
  local made = {} -- files that the page itself shows
  for path in text:gmatch("\n```%w+ (%S+)\n") do made[path] = true end
  text = text:gsub("\n```.-\n```", "\n")
  for token in text:gmatch("`([^`\n]+)`") do
    if token:find("[<>*%s{}|]") or token:find("^build/") or
       token:find("^%./") or made[token] then
      goto continue
    end
    if token:find("^[%w_]+%(%)$") then
      checked = checked + 1
      if not in_sources(token:sub(1, -3)) then
        print(arg[i] .. ": no symbol " .. token)
        bad = bad + 1
      end
    elseif token:find("^[%w_.-]+/[%w_./-]*$") then
      checked = checked + 1
      if not exists(root .. "/" .. token) then
        print(arg[i] .. ": no file " .. token)
        bad = bad + 1
      end
    end
    ::continue::
  end
end
print(checked .. " names checked")
if checked == 0 or bad > 0 then os.exit(1) end
