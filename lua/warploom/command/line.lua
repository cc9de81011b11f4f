-- Reading the command line, and the help that is printed of it: argparse does
-- both from the tables of commands and options (decision 0059).

local import = ...
local commands = import "command/commands"
local list = import "command/options".list
local suggest = import "base/suggest"

local M = {}

local WIDTH = 80

local function names_of(option)
  local out = {}
  for name in option[1]:gmatch("%S+") do out[#out + 1] = name end
  return out
end

-- Of all options: names with a value of their own word, and who takes a name.
local valued, takers = {}, {}
for _, option in next, list do
  for _, name in ipairs(names_of(option)) do
    valued[name] = valued[name] or option.value and not option.default
  end
end
for _, name in ipairs(commands.names) do
  local command = commands.named[name]
  for _, key in ipairs(command.options) do
    for _, word in ipairs(names_of(list[key])) do
      takers[word] = takers[word] or {}
      if not command.hidden then table.insert(takers[word], name) end
    end
  end
end

-- Declares options of `keys` with a parser.
local function declare(parser, keys)
  for _, key in ipairs(keys) do
    local o = list[key]
    local made = o.value and parser:option(o[1]) or parser:flag(o[1])
    made:description(o[2]):target(o.target or key)
    if o.value then
      made:argname(o.value):convert(function(text)
        if text == "" and o.default then return o.default end
        if not o.convert then return text end
        return o.convert(text)
      end)
    end
    if o.many then made:count("*") end
  end
end

-- How many words that are no options a command takes; nil: any number.
local function most_words(command)
  if command.words:find("...", 1, true) then return nil end
  return select(2, command.words:gsub("%S+", ""))
end

local function parser_of(command)
  local parser = import "argparse"("warploom " .. command.name)
  parser:add_help(false):help_max_width(WIDTH):help_description_margin(27)
  local most = most_words(command)
  if most ~= 0 then
    parser:argument("words"):args(most and "0-" .. most or "*"):hidden(true)
  end
  declare(parser, command.options)
  declare(parser, { "help" })
  return parser
end

local function usage(command)
  return ("usage: warploom %s%s%s"):format(command.name,
    #command.options > 0 and " [OPTION]..." or "",
    command.words:gsub("^.", " %0"))
end

-- What `warploom COMMAND --help` prints.
function M.help_of(name)
  local command = commands.named[name]
  local parser = parser_of(command)
  parser:usage(usage(command)):description(command.does:gsub("^%l",
    string.upper) .. "." .. (command.more and " " .. command.more or ""))
  parser:epilog("Example: " .. command.example)
  return parser:get_help() .. "\n"
end

-- What `warploom --help` prints.
function M.help()
  local out = { "usage: warploom COMMAND [OPTION]... [ARGUMENT]...",
                "       warploom COMMAND --help", "       warploom --version" }
  for _, group in ipairs(commands.groups) do
    if group[1] then
      out[#out + 1] = "\n" .. group[1]
      for i = 2, #group do
        out[#out + 1] = ("  %-12s %s"):format(group[i].name, group[i].does)
      end
    end
  end
  return table.concat(out, "\n") .. "\n"
end

-- What a shell completes by.
function M.completion(shell)
  local parser = import "argparse"("warploom")
  parser:add_help(false)
  declare(parser, { "help" })
  parser:flag("--version"):description("the program's version")
  for _, name in ipairs(commands.names) do
    local command = commands.named[name]
    if not command.hidden then
      local sub = parser:command(name):add_help(false)
      sub:summary(command.does):argument("words"):args("*")
      declare(sub, command.options)
      declare(sub, { "help" })
    end
  end
  local write = parser[("get_%s_complete"):format(shell)]
  return write and write(parser)
end

-- Takes the command out of the words: the first that is no option, nor the
-- value of one; a script stands for run.  Nil, and the word that is none.
local function take_command(words)
  local i = 1
  while words[i] and words[i] ~= "--" do
    local word = words[i]
    if commands.named[word] then
      return table.remove(words, i)
    elseif word:find("%.lua$") or word:find("%.h5$") then
      return "run"
    elseif word:find("^%-.") and not takers[word:match("^[^=]+")] and
           not word:find("^%-%a") and word ~= "--version" then
      return -- argparse says what is wrong with it
    elseif not word:find("^%-.") then
      return nil, ("there is no command '%s'%s"):format(word,
        suggest.hint(word, commands.names))
    end
    i = i + (valued[word] and 2 or 1)
  end
end

-- What argparse found wrong, and where an option is known.
local function mistake(name, text)
  if text == "too many arguments" then
    return text .. "; " .. usage(commands.named[name])
  end
  local option = text:match("^unknown option '(.-)'")
  local who = option and takers[option]
  if who and #who > 0 then
    return ("%s has no option %s, which %s ha%s"):format(name, option,
      table.concat(who, ", "), #who == 1 and "s" or "ve")
  end
  return (text:gsub("\nDid", "; did"))
end

-- Which launches are timed, and what is wrong with options beside each other.
local function choose_timed(options)
  local first, last, timed = options.first, options.last, import "run/timed"
  for _, key in ipairs(timed.fields) do
    if options[key] then
      options.timed = options.timed or {}
      options.timed[key] = options[key]
    end
  end
  if options.timeline and options.functional then
    return "--timeline needs time, and --functional has none"
  elseif options.profile and options.functional then
    return "--profile needs time, and --functional has none"
  elseif (options.devices or 1) > 1 and
         (options.sample or options.record or options.checkpoint or
          options.resume) then
    return ("--devices is %d: with several, a run is neither sampled, " ..
            "recorded nor saved"):format(options.devices)
  elseif first and last and first > last then
    return ("--first is %d, expected at most --last, which is %d"):format(
      first, last)
  elseif options.kernels then
    options.timed.kernels = timed.names(options.kernels)
    for i = 1, math.max(#options.timed.kernels, 1) do
      local name = options.timed.kernels[i] or ""
      local wrong = timed.wrong(name)
      if wrong then return ("--kernels has '%s', %s"):format(name, wrong) end
    end
  end
end

-- Reads words.  Returns the command (nil if they name none), its options, and
-- the words that are no options; of those after -- the first is options.rest.
-- Or nil, nil, what is wrong, and the command that it is wrong with.
function M.parse(given)
  local words = table.move(given, 1, #given, 1, {})
  local name, why = take_command(words)
  if why then return nil, nil, why end
  local command = commands.named[name or "run"]
  local alone = {}
  for _, key in ipairs(command.options) do
    if list[key].default then alone[list[key][1]] = true end
  end
  local after
  for i, word in ipairs(words) do
    if word == "--" then
      after = table.move(words, i + 1, #words, 1, {})
      for k = #words, i, -1 do words[k] = nil end
      break
    elseif alone[word] then
      words[i] = word .. "="
    end
  end
  local parser = parser_of(command)
  if not name then parser:flag("--version") end
  local ok, options = parser:pparse(words)
  if not ok then return nil, nil, mistake(command.name, options), name end
  local plain, set = options.words or {}, {}
  if type(plain) == "string" then plain = { plain } end -- at most one
  for _, text in ipairs(options.set or {}) do
    local key, value = text:match("^([^=]+)=(.*)$")
    set[key] = value
  end
  options.words, options.set = nil, set
  if after then
    options.rest = #plain + 1
    table.move(after, 1, #after, #plain + 1, plain)
  end
  why = choose_timed(options)
  if why then return nil, nil, why, name end
  return name, options, plain
end

return M
