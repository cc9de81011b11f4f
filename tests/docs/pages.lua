-- Runs the blocks of pages that are tagged `run`.
--
--   ```lua run        a script, run by `warploom run --quiet`
--   ```sh run         commands, with warploom on the PATH
--   ```sh run charts  commands that draw; SKIPPED without the library for it
--   ```sh run nvcc    commands that need nvcc; SKIPPED without it
--   ```lua file x.lua a file that later blocks read, in any language
--   ```text output    directly after one of these: what it must have printed
--
-- The blocks of a page run in order in one folder, which has the source tree's
-- examples/ and folders of headers, so a later block may read a file that an
-- earlier one wrote.  A chart that a page shows and whose file one of its
-- blocks drew must be that file (not so a graph: Graphviz' versions differ).
-- With LOOM_BLESS=1 the pages' output blocks and figures are replaced by what
-- was printed and drawn.
--
-- Scripts find docs/probe.lua by WARPLOOM_PATH.
--
-- usage: lua pages.lua WARPLOOM SOURCE_DIR [PAGE...]
-- Without pages, README.md and all but the tutorial's, which have a test of
-- their own.
local program, root = arg[1], arg[2]
local bless = os.getenv "LOOM_BLESS" == "1"
local bad, ran = 0, 0

local function read(path, may_lack)
  local f = io.open(path, "rb")
  if not f and may_lack then return nil end
  local text = assert(f, "no file " .. path):read "a"
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

-- What a block printed, without lines about how far a run is: a busy host has
-- them.
local function lasting(text)
  return (text:gsub("[^\n]*: [%d.]+ us simulated, [%d,]+ warp instructions, " ..
                    "[^\n]*/s[^\n]*\n", ""))
end

local function run_block(block, dir)
  local lua = block.info == "lua run"
  local file = dir .. (lua and "/block.lua" or "/block.sh")
  write(file, block.text)
  local text, ok = capture(
    ("cd %s && PATH=%s:\"$PATH\" WARPLOOM_PATH=%s %s"):format(
      quote(dir), quote(program:match "^(.*)/[^/]*$"), quote(root .. "/docs"),
      lua and quote(program) .. " run --quiet block.lua" or
      "sh -eu block.sh"))
  return lasting(text), ok
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

-- What some blocks need: is it there, and what to say where it is not.
local doctor = capture(quote(program) .. " doctor")
local needs = {
  ["sh run charts"] = {
    there = doctor:find "\nok +charts" and doctor:find "\nok +node",
    without = "it draws, and Vega-Lite or node is not here (./setup.sh charts)",
  },
  ["sh run nvcc"] = {
    there = capture "command -v nvcc" ~= "",
    without = "it needs nvcc, which is not here",
  },
}

local function complain(page, line, text)
  print(("%s:%d: %s"):format(page, line, text))
  bad = bad + 1
end

-- Where a page's blocks run, as if it were the source tree.
local function new_folder()
  local dir = capture "mktemp -d":gsub("\n", "")
  local folders = "docs examples engine components policies workloads"
  for folder in folders:gmatch "%a+" do
    os.execute(("ln -s %s %s"):format(quote(root .. "/" .. folder),
                                      quote(dir .. "/" .. folder)))
  end
  return dir
end

-- Charts of the page that its blocks have drawn.
local function check_figures(page, text, dir)
  for at, path in text:gmatch "()!%[[^]]*%]%(([^)%s]+)%)" do
    local shown = (page:match "^(.*/)" or "") .. path
    local new = read(dir .. "/" .. path:match "[^/]*$", true)
    local old = read(root .. "/" .. shown, true)
    local chart = new and new:find('class="marks"', 1, true)
    if new and new ~= old and (chart or bless) then
      if bless then
        write(root .. "/" .. shown, new)
        print(shown .. ": drawn anew")
      else
        local _, line = text:sub(1, at):gsub("\n", "")
        complain(page, line + 1, shown .. " is not what the page's blocks draw")
      end
    end
  end
end

local function run_page(page)
  local text, lines = read(root .. "/" .. page), {}
  for line in text:gmatch "([^\n]*)\n" do
    lines[#lines + 1] = line
  end
  local blocks, dir, wanted = blocks_of(lines), nil, {}
  for i, block in ipairs(blocks) do
    local need = needs[block.info]
    if need and not need.there then
      print(("SKIPPED: %s:%d: %s"):format(page, block.first, need.without))
    elseif need or block.info == "lua run" or block.info == "sh run" then
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
    elseif block.info:find "^%a+ file " then
      dir = dir or new_folder()
      write(dir .. "/" .. block.info:match "^%a+ file ([%w_.-]+)$", block.text)
    elseif block.info:find "run" then
      complain(page, block.first, "unknown tag '" .. block.info .. "'")
    end
  end
  if dir then
    check_figures(page, text, dir)
    os.execute("rm -rf " .. quote(dir))
  end
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
  local found = capture("cd " .. quote(root) .. " && find docs README.md -name '*.md' " ..
                        "! -path '*/tutorial/*' | sort")
  for page in found:gmatch "[^\n]+" do pages[#pages + 1] = page end
end
for _, page in ipairs(pages) do run_page(page) end
print(ran .. " blocks run")
if ran == 0 or bad > 0 then os.exit(1) end
