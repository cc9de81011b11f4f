-- `warploom cite [FILE|NAME]...`: BibTeX of the simulator, and of what runs
-- used, or what a policy or preset is from.

local import = ...
local core = import "core"
local bibliography = import "command/bibliography"
local results = import "look/results"
local types = import "machine/types"
local files = import "script/files"
local suggest = import "base/suggest"

local M = {}

local order = { "author", "title", "booktitle", "journal", "volume", "pages",
                "year", "doi", "version", "note" }

local function bibtex(entry, extra)
  local out = { ("@%s{%s,"):format(entry[1], entry[2]) }
  for _, name in ipairs(order) do
    local value = entry[name] or extra and extra[name]
    if value then out[#out + 1] = ("  %s = {%s},"):format(name, value) end
  end
  out[#out + 1] = "}"
  return table.concat(out, "\n")
end

local function has(list, name)
  for _, one in ipairs(list) do
    if one == name then return true end
  end
end

-- Names of policies and presets -> true, that the run of a file used, those
-- that a preset extends as well.
local function used(path)
  local file, why = results.open(path)
  if not file then return nil, why end
  local out = { policies = {}, presets = {} }
  if file:has "/topology/policy/class" then
    for _, name in ipairs(file:list("/topology/policy/class", "string")) do
      out.policies[name] = true
    end
  end
  if file:has "/meta/source/path" then
    for _, name in ipairs(file:list("/meta/source/path", "string")) do
      local preset = name:match "^warploom/presets/([%w_]+)%.lua$"
      if preset then out.presets[preset] = true end
    end
  end
  file:close()
  return out
end

-- The same of what is named on the command line, or nil and what is wrong.
local function asked(word)
  if core.kind(word) == "file" then return used(word) end
  local presets = files.names "presets"
  local out = { policies = {}, presets = {} }
  out.policies[word] = types.policies[word] and true
  out.presets[word] = has(presets, word)
  if next(out.policies) or next(out.presets) then return out end
  local names = table.move(presets, 1, #presets, 1, {})
  for name in next, types.policies do names[#names + 1] = name end
  return nil, ("there is no file, policy or preset '%s'%s"):format(word,
              suggest.hint(word, names))
end

-- Exit status.
function M.main(_, words)
  local who = {} -- entry -> for what
  for _, word in ipairs(words) do
    local names, why = asked(word)
    if not names then
      io.stderr:write("warploom: ", why, "\n")
      return 1
    end
    for field, set in next, names do
      for name in next, set do
        for _, entry in ipairs(bibliography.of(field, name)) do
          who[entry] = who[entry] or {}
          if not has(who[entry], name) then table.insert(who[entry], name) end
        end
      end
    end
  end
  local out = { bibtex(bibliography.software, { version = core.version }) }
  for _, entry in ipairs(bibliography.papers) do
    if who[entry] then
      table.sort(who[entry])
      out[#out + 1] = bibtex(entry, { note =
        "warploom: " .. table.concat(who[entry], ", "):gsub("_", "\\_") })
    end
  end
  print(table.concat(out, "\n\n"))
  return 0
end

return M
