-- Runs the blocks of pages that are tagged `run`.
--
--   ```lua run        a script, run by `warploom run --quiet`
--   ```sh run         commands, with warploom on the PATH
--   ```sh run charts  commands that draw; SKIPPED without the library for it
--   ```lua file x.lua a file that later blocks read
--   ```text output    directly after one of these: what it must have printed
--
-- The blocks of a page run in order in one folder, which has nothing but
-- examples/, so a later block may read a file that an earlier one wrote.  With LOOM_BLESS=1 the pages' output
-- blocks are replaced by what was printed.
--
-- Scripts find docs/probe.lua by WARPLOOM_PATH.
--
-- usage: lua pages.lua WARPLOOM SOURCE_DIR [PAGE...]
local program, root = arg[1], arg[2]
local bless = os.getenv "LOOM_BLESS" == "1"
local bad, ran = 0, 0

local function read(path)
  local f = assert(io.open(path, "rb"))
  local text = f:read "a"
  f:close()
  return text
end

local function write(path, text)
  local f = assert(io.open(path, "wb"))
  f:write(text)
  f:close()
end

local function quote(s) return "'" .. s:gsub("'", "'\\''") .. "'" end

local function capture(command)
  local p = assert(io.popen(command .. " 2>&1"))
  local text = p:read "a"
  local ok = p:close()
  return text, ok
end

-- { info =, first =, text =, last = }: lines of the fences and what is inside.
local function blocks_of(lines)
  local blocks, open = {}, nil
  for i, line in ipairs(lines) do
    local info = line:match "^```(.*)$"
    if info and not open then
      open = { info = info, first = i }
    elseif info then
      open.last = i
      open.text = table.concat(lines, "\n", open.first + 1, i - 1) .. "\n"
      blocks[#blocks + 1] = open
      open = nil
    end
  end
  return blocks
end

local function run_block(block, dir)
  local lua = block.info == "lua run"
  local file = dir .. (lua and "/block.lua" or "/block.sh")
  write(file, block.text)
  return capture(("cd %s && PATH=%s:\"$PATH\" WARPLOOM_PATH=%s %s"):format(
    quote(dir), quote(program:match "^(.*)/[^/]*$"), quote(root .. "/docs"),
    lua and quote(program) .. " run --quiet block.lua" or "sh -eu block.sh"))
end

-- The output block that belongs to blocks[i], if any.
local function output_of(lines, blocks, i)
  local after = blocks[i + 1]
  if not after or after.info ~= "text output" then return nil end
  for n = blocks[i].last + 1, after.first - 1 do
    if lines[n]:find "%S" then return nil end
  end
  return after
end

-- Is there what figures are drawn with?
local charts = capture(quote(program) .. " doctor"):find "\nok +charts" and
               capture(quote(program) .. " doctor"):find "\nok +node"

local function complain(page, line, text)
  print(("%s:%d: %s"):format(page, line, text))
  bad = bad + 1
end

-- Where a page's blocks run; examples/ is there.
local function new_folder()
  local dir = capture "mktemp -d":gsub("\n", "")
  os.execute(("ln -s %s %s"):format(quote(root .. "/examples"),
                                    quote(dir .. "/examples")))
  return dir
end

local function run_page(page)
  local lines = {}
  for line in (read(root .. "/" .. page)):gmatch "([^\n]*)\n" do
    lines[#lines + 1] = line
  end
  local blocks, dir, wanted = blocks_of(lines), nil, {}
  for i, block in ipairs(blocks) do
    if block.info == "sh run charts" and not charts then
      print(("SKIPPED: %s:%d: it draws, and Vega-Lite or node is not here " ..
             "(./setup.sh charts)"):format(page, block.first))
    elseif block.info:find "^lua run$" or block.info:find "^sh run$" or
           block.info == "sh run charts" then
      dir = dir or new_folder()
      local printed, ok = run_block(block, dir)
      local output = output_of(lines, blocks, i)
      ran = ran + 1
      if not ok then
        complain(page, block.first, "fails:\n" .. printed)
      elseif output and printed ~= output.text then
        wanted[output.first] = printed
        if not bless then
          complain(page, output.first, "expected\n" .. output.text ..
                   "but it printed\n" .. printed)
        end
      end
    elseif block.info:find "^lua file " then
      dir = dir or new_folder()
      write(dir .. "/" .. block.info:match "^lua file ([%w_.-]+)$", block.text)
    elseif block.info:find "run" then
      complain(page, block.first, "unknown tag '" .. block.info .. "'")
    end
  end
  if dir then os.execute("rm -rf " .. quote(dir)) end
  if bless and next(wanted) then
    local out, i = {}, 1
    while i <= #lines do
      out[#out + 1] = lines[i]
      if wanted[i] then
        out[#out + 1] = wanted[i]:gsub("\n$", "")
        repeat i = i + 1 until lines[i] == "```"
        out[#out + 1] = lines[i]
      end
      i = i + 1
    end
    write(root .. "/" .. page, table.concat(out, "\n") .. "\n")
    print(page .. ": output blocks replaced")
  end
end

local pages = table.move(arg, 3, #arg, 1, {})
if #pages == 0 then
  local found = capture(("cd %s && find docs -name '*.md' | sort"):format(
                        quote(root)))
  for page in found:gmatch "[^\n]+" do pages[#pages + 1] = page end
end
for _, page in ipairs(pages) do run_page(page) end
print(ran .. " blocks run")
if ran == 0 or bad > 0 then os.exit(1) end
