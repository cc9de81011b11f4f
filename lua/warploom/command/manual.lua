-- `warploom manual`: man pages, from the tables of commands and options.

local import = ...
local core = import "core"
local commands = import "command/commands"
local list = import "command/options".list

local M = {}

-- As roff: a backslash, a minus, and a dot where a request would begin.
local function plain(text)
  return (text:gsub("\\", "\\e"):gsub("%-", "\\-"):gsub("^([.'])", "\\&%1")
              :gsub("\n([.'])", "\n\\&%1"))
end

local function sentence(text) return (text:gsub("^%l", string.upper)) end

local function head(name, does)
  return { (".TH %s 1 \"\" \"warploom %s\" \"User Commands\""):format(
             plain(name:upper()), plain(core.version)),
           ".SH NAME", ("%s \\- %s"):format(plain(name), plain(does)) }
end

local function add(out, ...)
  for _, line in ipairs { ... } do out[#out + 1] = line end
end

-- "-o --out" with FILE: -o FILE, --out FILE
local function names_of(option)
  local out = {}
  for name in option[1]:gmatch("%S+") do
    local text = "\\fB" .. plain(name) .. "\\fR"
    if option.default then
      text = ("%s[=\\fI%s\\fR]"):format(text, plain(option.value))
    elseif option.value then
      text = ("%s \\fI%s\\fR"):format(text, plain(option.value))
    end
    out[#out + 1] = text
  end
  return table.concat(out, ", ")
end

local function options_of(out, keys)
  for _, key in ipairs(keys) do
    local option = list[key]
    add(out, ".TP", names_of(option), plain(sentence(option[2])) .. "." ..
        (option.many and " May be given several times." or ""))
  end
end

local function command_page(command)
  local out = head("warploom-" .. command.name, command.does)
  local has = #command.options > 0
  add(out, ".SH SYNOPSIS", ("\\fBwarploom %s\\fR%s %s"):format(
      plain(command.name), has and " [\\fIOPTION\\fR]..." or "",
      plain(command.words)), ".SH DESCRIPTION",
      plain(sentence(command.does)) .. ".")
  if command.more then add(out, plain(command.more)) end
  add(out, ".SH OPTIONS")
  options_of(out, command.options)
  options_of(out, { "help" })
  add(out, ".SH EXAMPLE", ".nf", plain(command.example), ".fi", ".SH SEE ALSO",
      ".BR warploom (1)")
  return table.concat(out, "\n") .. "\n"
end

local statuses = {
  { "0", "done" }, { "1", "the script or the machine is wrong" },
  { "2", "the command line is wrong" },
  { "3", "the workload failed, its results are wrong or it has races" },
  { "4", "deadlock" }, { "5", "a result could not be written" },
  { "6", "the host has no more memory" },
  { "70", "a fault of the simulator itself" },
  { "128+N", "stopped by signal N" },
}

local environment = {
  { "WARPLOOM_PATH", "folders with modules of scripts, separated by colons" },
  { "WARPLOOM_LUA", "a folder whose Lua library is used in place of the " ..
                    "program's own" },
  { "WARPLOOM_CHARTS", "the folder with what draws figures" },
}

local function table_of(out, rows)
  for _, row in ipairs(rows) do
    add(out, ".TP", "\\fB" .. plain(row[1]) .. "\\fR", plain(row[2]))
  end
end

local function overview()
  local out = head("warploom", "a cycle-level, modular simulator of GPUs")
  add(out, ".SH SYNOPSIS", "\\fBwarploom\\fR \\fICOMMAND\\fR " ..
      "[\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]...", ".br",
      "\\fBwarploom\\fR \\fISCRIPT.lua\\fR", ".SH DESCRIPTION",
      "Runs GPU programs, described by Lua scripts, on a simulated GPU and " ..
      "writes every statistic to an HDF5 file.",
      "Each command has a page of its own: \\fBman warploom\\-run\\fR.")
  for _, group in ipairs(commands.groups) do
    if group[1] then
      add(out, ".SH " .. plain(group[1]:upper()))
      for i = 2, #group do
        add(out, ".TP", (".BR warploom\\-%s (1)"):format(plain(group[i].name)),
            plain(sentence(group[i].does)) .. ".")
      end
    end
  end
  add(out, ".SH EXIT STATUS")
  table_of(out, statuses)
  add(out, ".SH ENVIRONMENT")
  table_of(out, environment)
  return table.concat(out, "\n") .. "\n"
end

-- Writes FOLDER/warploom.1, FOLDER/warploom-run.1 .. Returns how many, or nil
-- and why not.
function M.write(folder)
  if core.kind(folder) ~= "directory" and not core.mkdir(folder) then
    return nil, "cannot make folder " .. folder
  end
  local ok, why = core.write(folder .. "/warploom.1", overview())
  local count = 1
  for _, name in ipairs(commands.names) do
    local command = commands.named[name]
    if ok and not command.hidden then
      ok, why = core.write(("%s/warploom-%s.1"):format(folder, name),
                           command_page(command))
      count = count + 1
    end
  end
  if not ok then return nil, why end
  return count
end

return M
