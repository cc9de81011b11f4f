-- What a host program did, written so that a real card can do it again: see
-- docs/silicon.md.  cuda/card.c reads it.
--
-- Text lines, of which some are followed by as many bytes as they say.  All
-- runs of a script go to one file.

local import = ...
local session = import "script/session"

local M = {}

local function fail(text) session.stop("output", text) end

local function write(...)
  local ok, why = session.card_file:write(...)
  if not ok then fail(("'%s': %s"):format(session.card, why)) end
end

local function line(...) write(table.concat({ ... }, " "), "\n") end

local function word(text) return (tostring(text):gsub("%s", "_")) end

local function sorted(values)
  local names = {}
  for name in next, values do
    if type(name) == "string" then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

-- Begins with a run, if that was asked for.
function M.begin(run)
  if not session.card then return end
  if not session.card_file then
    local file, why = io.open(session.card, "wb")
    if not file then fail(why) end
    session.card_file = file
    line("warploom-card", 1)
  end
  local workload = run.spec.workload
  local known = {}
  for _, name in ipairs(sorted(workload.values or {})) do
    known[#known + 1] = word(("%s=%s"):format(name, workload.values[name]))
  end
  line("run", word(workload.name), table.concat(known, ";"))
  run.card = { modules = 0 }
end

function M.module(run, path, text)
  if not run.card then return end
  run.card.modules = run.card.modules + 1
  line("module", #text, word(path:match "[^/]*$"))
  write(text, "\n")
end

-- A module's variable that the host program copies to.
function M.symbol(run, name, address, bytes)
  if run.card then line("symbol", address, bytes, name) end
end

-- What the recording hears of, too; the rest comes with its data below.
function M.event(run, kind, address, bytes)
  if not run.card then return end
  if kind == "alloc" or kind == "free" then
    line(kind, address, bytes)
  elseif kind == "sync" or kind == "wait" then
    line "sync"
  end
end

-- What data repeat, if they have a period of 16 KiB, else all of them.
local function repeated(data)
  local period = 16384
  if #data <= period then return data end
  local once = data:sub(1, period)
  return once:rep(#data // period) .. once:sub(1, #data % period) == data and
         once or data
end

function M.copy(run, copy)
  if not run.card or copy.silent then return end
  for _, part in ipairs(copy.parts or { copy }) do
    local kind = part.kind
    if kind == "read" and session.blind then
      session.stop("config", "--blind: nothing was executed that could be " ..
                             "read back")
    elseif kind == "write" or kind == "read" then
      local data = part.data
      if type(data) ~= "string" then data = data:string() end
      local once = repeated(data)
      line(kind, part.address, #data, #once, copy.stream,
           type(part.data) == "string" and "u8" or part.data:type(),
           word(copy.name or "-"))
      write(once, "\n")
    elseif kind == "fill" then
      line("fill", part.address, part.bytes, part.value, copy.stream)
    elseif kind == "move" then
      line("move", part.address, part.from, part.bytes, copy.stream)
    end
  end
end

-- `asked`: what the program was asked for; `pointers`: where addresses are in
-- its parameters.
function M.launch(run, asked, pointers, stream)
  if not run.card then return end
  if run.spec.transform then
    session.stop("config", "a transformed kernel is not the card's")
  end
  line("launch", asked.kernel, asked.grid[1], asked.grid[2], asked.grid[3],
       asked.block[1], asked.block[2], asked.block[3], asked.shared, stream,
       asked.cooperative, #asked.params, #pointers,
       table.concat(pointers, " "))
  write(asked.params, "\n")
end

-- Whether launches are written and not executed.
function M.blind(run) return run.card and session.blind end

-- After the script; one that did not come to its end leaves no file.
function M.finish(good)
  local file = session.card_file
  if not file then return end
  session.card_file = nil
  if not good then
    file:close()
    os.remove(session.card)
    return
  end
  local ok, why = file:write "end\n"
  local closed, reason = file:close()
  if not ok or not closed then fail(("'%s': %s"):format(session.card,
                                                         why or reason)) end
end

return M
