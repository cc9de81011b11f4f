-- loom.preset.gpgpusim "gpgpusim.config": a machine from a configuration of
-- GPGPU-Sim, 3.x or 4.x, and the network file that it names.
--
--   loom.preset.gpgpusim { "gpgpusim.config", accept = { "option" .. }, .. }
--
-- Every option is known: mapped; without effect here; or not supported, which
-- is an error where it would change results, unless `accept` names it ("all"
-- accepts any).  Further fields are overrides, as for other presets.

local import = ...
local session = import "script/session"
local suggest = import "base/suggest"
local files = import "script/files"
local options = import "gpgpusim/options"
local builder = import "machine/builder"
local record = import "machine/record"
local poison = import "base/poison"

local M = {}

-- Tokens with their lines: words, and quoted texts that may span lines.
local function tokens(text)
  local out, at, line = {}, 1, 1
  while at <= #text do
    local c = text:sub(at, at)
    if c == "\n" then
      line, at = line + 1, at + 1
    elseif c:find "%s" then
      at = at + 1
    elseif c == "#" then
      at = text:find("\n", at, true) or #text + 1
    elseif c == '"' then
      local stop = text:find('"', at + 1, true)
      if not stop then return out, line end
      local inside = text:sub(at + 1, stop - 1)
      out[#out + 1] = { inside:gsub("%s+", ""), line = line, quoted = true }
      line = line + select(2, inside:gsub("\n", ""))
      at = stop + 1
    else
      local word = text:match("^[^%s#]+", at)
      out[#out + 1] = { word, line = line }
      at = at + #word
    end
  end
  return out
end

local function is_option(token)
  return token and not token.quoted and token[1]:find "^%-%-?[%a]"
end

-- The options of a file: name -> { value, file, line }, last one wins.
function M.read_options(text, file)
  local found = {}
  local list, open = tokens(text)
  if open then
    session.problem("gpgpusim", "a quotation has no end",
                    { file = file, line = open })
  end
  local i = 1
  while i <= #list do
    local token, value = list[i], list[i + 1]
    local site = { file = file, line = token.line }
    if not is_option(token) then
      session.problem("gpgpusim", ("'%s' is no option, expected -name value")
                      :format(token[1]), site)
      i = i + 1
    else
      local name = token[1]:gsub("^%-+", "")
      if value == nil or is_option(value) then
        session.problem("gpgpusim", ("option '-%s' has no value"):format(name),
                        site)
        i = i + 1
      else
        found[name] = { value[1], file = file, line = token.line }
        i = i + 2
      end
    end
  end
  return found
end

-- "key = value;" with // comments: BookSim's form.
function M.read_network(text, file)
  local found, line = {}, 0
  for row in (text .. "\n"):gmatch "([^\n]*)\n" do
    line = line + 1
    local plain = row:gsub("//.*$", ""):gsub("^%s+", ""):gsub("%s+$", "")
    if plain ~= "" then
      local key, value = plain:match "^([%w_]+)%s*=%s*(.-)%s*;$"
      if key then
        found[key] = { value, file = file, line = line }
      else
        session.problem("gpgpusim", ("'%s' is not key = value;"):format(plain),
                        { file = file, line = line })
      end
    end
  end
  return found
end

local function report(kind, name, text, entry)
  session[kind]("gpgpusim", ("%s: %s"):format(name, text),
                { file = entry.file, line = entry.line })
end

-- Options that the file gives and that say nothing here, all in one line.
local function tell_left_out(left_out, entry)
  if #left_out == 0 then return end
  session.warn("gpgpusim", ("%d %s no effect here: %s"):format(#left_out,
    #left_out == 1 and "option has" or "options have",
    table.concat(left_out, ", ")), { file = entry.file, line = 1 })
end

-- Looks up each option that the file gives.
local function classify(given, table_of, accept, dash)
  local names, left_out = options.names(table_of), {}
  local keys = record.sorted_keys(given)
  for _, name in ipairs(keys) do
    local entry = given[name]
    local known, canonical = options.find(table_of, name)
    if not known then
      report("problem", dash .. name, "there is no such option" ..
             suggest.hint(name, names), entry)
    elseif canonical ~= name then
      given[canonical] = given[canonical] or entry
    end
    if known and known.told then left_out[#left_out + 1] = dash .. name end
    if known and known.only and not known.only[entry[1]] then
      local text = ("is %s, which is not supported: %s"):format(entry[1],
                                                                known.why)
      if known.harmless or accept[canonical] or accept[name] or accept.all then
        report("warn", dash .. name, text, entry)
      else
        report("problem", dash .. name, text .. "; accept = { \"" .. name ..
               "\" } runs without it", entry)
      end
    end
  end
  tell_left_out(left_out, given[keys[1]] or {})
end

local function accepted(list, site)
  local out = {}
  if list == nil then return out end
  if list == "all" or list == true then return { all = true } end
  if type(list) ~= "table" then
    session.problem("gpgpusim", "'accept' is a list of options, or \"all\"",
                    site)
    return out
  end
  for _, name in ipairs(list) do
    local plain = tostring(name):gsub("^%-+", "")
    out[plain] = true
    if not options.find(options.simulator, plain) and
       not options.find(options.network, plain) then
      session.problem("gpgpusim", ("'accept' names '%s', which is no option%s")
        :format(plain, suggest.hint(plain, options.names(options.simulator))),
        site)
    end
  end
  return out
end

local function open(path, site)
  local text, found = files.find(path, site.file)
  if text then return text, found end
  session.problem("gpgpusim", ("there is no file '%s'; tried %s"):format(path,
                  found), site)
end

-- The description of a configuration; nil after problems.
function M.describe(path, accept, site)
  local before = #session.problems
  local text, file = open(path, site)
  if not text then return nil end
  session.add_source(file, text)
  local given = M.read_options(text, file)
  classify(given, options.simulator, accept, "-")
  local network = {}
  local mode = given.network_mode and given.network_mode[1] or "1"
  if mode == "1" then
    local name = given.inter_config_file
    if not name then
      session.problem("gpgpusim", "there is no option '-inter_config_file', " ..
                      "which network_mode 1 needs", { file = file, line = 1 })
      return nil
    end
    local here = { file = name.file, line = name.line }
    local net, net_file = open(name[1], here)
    if not net then return nil end
    session.add_source(net_file, net)
    network = M.read_network(net, net_file)
    classify(network, options.network, accept, "")
  end
  local description = import "gpgpusim/map".describe(given, network)
  if #session.problems > before then return nil end
  return description
end

function M.preset(argument, env)
  local site = session.site()
  local fields = type(argument) == "string" and { argument } or argument
  if type(fields) ~= "table" or type(fields[1]) ~= "string" then
    session.problem("gpgpusim", "needs the path of a configuration: " ..
                    "loom.preset.gpgpusim \"gpgpusim.config\"", site)
    return poison
  end
  local rest = {}
  for key, value in next, fields do rest[key] = value end
  rest[1], rest.accept, rest.sm_count = nil, nil, nil
  local description = M.describe(fields[1], accepted(fields.accept, site),
                                 site)
  if not description then return poison end
  local count = fields.sm_count or description.shape.sms[1]
  if math.type(count) ~= "integer" or count < 1 or count > 256 then
    session.problem("gpgpusim", ("'sm_count' is %s, expected a whole number " ..
                    "1..256"):format(tostring(count)), site)
    return poison
  end
  local outer = session.origin
  session.origin = "preset"
  local root = builder.build(description, count, env.require "warploom")
  session.origin = "argument"
  if root ~= poison then
    record.apply(root, rest, site, "gpgpusim")
    record.data(root).preset = fields[1]
  end
  session.origin = outer
  return root
end

return M
