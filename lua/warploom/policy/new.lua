-- `warploom new policy NAME`, `new component NAME`, `new workload NAME`: a
-- skeleton, with a test and a page.
--
--   --lua      a policy or a workload: a module for scripts
--   --plugin   a policy or a component: NAME/, a project that builds a library
--   --tree     (in the source tree) its sources, unit test and page

local import = ...
local core = import "core"
local suggest = import "base/suggest"
local templates = import "policy/templates"
local skeletons = import "policy/skeletons"
local types = import "machine/types"
local init = import "init"

local M = {}

-- The first is what it is without an option.
local kinds = { policy = { "lua", "plugin", "tree" },
                component = { "plugin", "tree" },
                workload = { "lua", "tree" } }
local things = { "policy", "component", "workload" }
local hooks = { "admit", "observe", "replacement" }

local slots = { admit = "admit", observe = "cache_observe",
                replacement = "replacement" }

local function contains(list, value)
  for _, v in ipairs(list) do
    if v == value then return true end
  end
  return false
end

-- C keywords that are words of our kind, too.
local keywords = { "auto", "break", "case", "char", "const", "continue",
  "default", "do", "double", "else", "enum", "extern", "float", "for", "goto",
  "if", "inline", "int", "long", "register", "restrict", "return", "short",
  "signed", "sizeof", "static", "struct", "switch", "typedef", "union",
  "unsigned", "void", "volatile", "while", "and", "end", "false", "function",
  "in", "local", "nil", "not", "or", "repeat", "then", "true", "until",
  "elseif", "policy", "policies" }

local function name_problem(thing, name)
  if not name then return ("new %s needs a name"):format(thing) end
  if not name:find("^[a-z][a-z0-9_]*$") or #name > 40 then
    local better = name:lower():gsub("[^a-z0-9_]+", "_"):gsub("^[^a-z]+", "")
    return ("'%s' is no name for a %s: a lower-case word%s"):format(name, thing,
      better ~= "" and #better <= 40 and ("; did you mean '%s'?"):format(better)
      or "")
  end
  if contains(keywords, name) then
    return ("'%s' is a word of C or Lua; choose another name"):format(name)
  end
  if types.find(name) then
    return ("there is a %s '%s' already; see warploom info %s"):format(
      types.find(name).kind, name, name)
  end
  if init.functions[name] or contains({ "preset", "suite", "memory" }, name)
  then
    return ("loom.%s is something else; choose another name"):format(name)
  end
end

local function fill(text, values)
  return (text:gsub("@([A-Z_]+)@", function(key)
    return assert(values[key], key)
  end))
end

-- Files of each kind: path -> text.
local function c_source(name, hook, plugin)
  local part = templates.c[hook]
  local values = { NAME = name, HOOK = part.hook, DECISIONS = part.decisions,
                   STATE = part.state, STATIC = plugin and "static " or "",
                   PLUGIN_INCLUDE = plugin and
                     '#include "engine/plugin.h"\n\n' or "" }
  return fill(templates.c_head .. part.body .. templates.c_tail ..
              (plugin and templates.c_plugin or ""), values)
end

local function test_of(name, load, construct)
  return fill(templates.test, { NAME = name, LOAD = load,
                                CONSTRUCT = construct })
end

local function page_of(name, hook, inside)
  return fill(templates.page, { NAME = name, SLOT = slots[hook],
    CACHE_LINK = inside and "[cache](../components/cache.md)" or "cache",
    REFERENCE = inside and ("**Parameters**: see the [reference]" ..
      "(../reference.md#loom%s)."):format(name) or
      ("**Parameters**: see `warploom info %s`."):format(name) })
end

local makers = { policy = {}, component = {}, workload = {} }

function makers.policy.lua(name, hook)
  local decisions = templates.c[hook].decisions
  return {
    { name .. ".lua", fill(templates.lua_head, { NAME = name,
      DECISIONS = decisions }) .. templates.lua[hook] .. "}\n" },
    { name .. "_test.lua",
      test_of(name, ("local %s = require %q\n"):format(name, name), name) },
    { name .. ".md", (page_of(name, hook, false)
      :gsub('local loom = require "warploom"\n', ("%%0local %s = require %q\n")
            :format(name, name))
      :gsub("loom%." .. name, name)) },
  }
end

function makers.policy.plugin(name, hook)
  local path = name .. "/"
  return {
    { path .. "CMakeLists.txt", fill(templates.cmake, { NAME = name }) },
    { path .. name .. ".c", c_source(name, hook, true) },
    { path .. "test.lua", test_of(name,
      ("loom.plugin \"build/lib%s.so\"\n"):format(name), "loom." .. name) },
    { path .. name .. ".md", (page_of(name, hook, false)
      :gsub('local loom = require "warploom"\n',
            ("%%0loom.plugin \"build/lib%s.so\"\n"):format(name))) },
  }
end

function makers.policy.tree(name, hook)
  return {
    { ("policies/%s/%s.c"):format(name, name), c_source(name, hook, false) },
    { ("tests/unit/%s_test.c"):format(name), fill(templates.unit_test,
      { NAME = name, HOOK = templates.c[hook].hook }) },
    { ("examples/policies/%s.lua"):format(name),
      test_of(name, "", "loom." .. name) },
    { ("docs/policies/%s.md"):format(name), page_of(name, hook, true) },
  }
end

local function component_source(name, plugin)
  local text = plugin and skeletons.component .. skeletons.component_plugin or
               skeletons.component
  return fill(text, { NAME = name, STATIC = plugin and "static " or "",
    PLUGIN_INCLUDE = plugin and '#include "engine/plugin.h"\n' or "" })
end

function makers.component.plugin(name)
  local path = name .. "/"
  return {
    { path .. "CMakeLists.txt", fill(templates.cmake, { NAME = name }) },
    { path .. name .. ".c", component_source(name, true) },
    { path .. "test.lua", fill(skeletons.component_test, { NAME = name,
      LOAD = ("loom.plugin \"build/lib%s.so\"\n"):format(name) }) },
    { path .. name .. ".md", fill(skeletons.component_page, { NAME = name,
      REFERENCE = ("**Parameters**: see `warploom info %s`."):format(name) })
      :gsub('local loom = require "warploom"\n',
            ("%%0loom.plugin \"build/lib%s.so\"\n"):format(name)) .. "" },
  }
end

function makers.component.tree(name)
  return {
    { ("components/%s/%s.c"):format(name, name), component_source(name) },
    { ("tests/unit/%s_test.c"):format(name),
      fill(skeletons.component_unit_test, { NAME = name }) },
    { ("examples/%s.lua"):format(name),
      fill(skeletons.component_test, { NAME = name, LOAD = "" }) },
    { ("docs/components/%s.md"):format(name),
      fill(skeletons.component_page, { NAME = name,
        REFERENCE = ("**Parameters**: see the [reference]" ..
                     "(../reference.md#loom%s)."):format(name) }) },
  }
end

local function workload_files(name, folder)
  local values = { NAME = name }
  return {
    { folder .. name .. ".lua", fill(skeletons.workload, values) },
    { folder .. name .. ".cu", fill(skeletons.workload_cu, values) },
    { folder .. name .. ".ptx", fill(skeletons.workload_ptx, values) },
  }
end

-- Scripts find workloads in a folder `suite` beside them.
function makers.workload.lua(name)
  local files = workload_files(name, "suite/")
  files[#files + 1] = { name .. "_test.lua",
                        fill(skeletons.workload_test, { NAME = name }) }
  files[#files + 1] = { name .. ".md",
                        fill(skeletons.workload_page, { NAME = name }) }
  return files
end

function makers.workload.tree(name)
  local files = workload_files(name, ("workloads/suite/%s/"):format(name))
  files[#files + 1] = { ("examples/%s.lua"):format(name),
                        fill(skeletons.workload_test, { NAME = name }) }
  return files
end

local plugin_steps = "cd %s && cmake -B build && cmake --build build && " ..
                     "warploom run -q --load build/lib%s.so test.lua"
local next_steps = {
  policy = {
    lua = "warploom run -q %s_test.lua",
    plugin = plugin_steps,
    tree = "cmake --build --preset release && warploom run -q " ..
           "examples/policies/%s.lua; docs/reference.md is generated " ..
           "(docs/testing.md)" },
  component = {
    plugin = plugin_steps,
    tree = "cmake --build --preset release && warploom run -q " ..
           "examples/%s.lua; docs/reference.md is generated " ..
           "(docs/testing.md)" },
  workload = {
    lua = "warploom run -q %s_test.lua",
    tree = "cmake --build --preset release && warploom run -q " ..
           "examples/%s.lua; docs/suite.md needs a section '## %s'" },
}

local function make_folders(path)
  local at = path:match("^/") and "/" or ""
  for part in path:gmatch("([^/]+)/") do
    at = at .. part
    if core.kind(at) ~= "directory" then core.mkdir(at) end
    at = at .. "/"
  end
end

local function write(files, base)
  for _, file in ipairs(files) do
    local path = base .. file[1]
    if core.kind(path) then
      return nil, ("%s is there already; nothing was written"):format(path)
    end
  end
  for _, file in ipairs(files) do
    local path = base .. file[1]
    make_folders(path)
    local ok, why = core.write(path, file[2])
    if not ok then return nil, why end
    print("wrote " .. path)
  end
  return true
end

local function kind_of(thing, options)
  local chosen
  for _, kind in ipairs(kinds.policy) do
    if options[kind] then
      if chosen then
        return nil, ("--%s and --%s: one of them"):format(chosen, kind)
      elseif not contains(kinds[thing], kind) then
        return nil, ("there is no skeleton of a %s with --%s; see --%s"):format(
                     thing, kind, table.concat(kinds[thing], ", --"))
      end
      chosen = kind
    end
  end
  return chosen or kinds[thing][1]
end

-- Exit status, or nil and what is wrong with the command.
function M.main(options, words)
  local thing = words[1]
  if not contains(things, thing) then
    return nil, thing and ("new makes a policy, a component or a workload, " ..
                           "not a '%s'%s"):format(thing,
                           suggest.hint(thing, things))
           or "new needs: new policy NAME, new component NAME or " ..
              "new workload NAME"
  end
  local kind, why = kind_of(thing, options)
  if not kind then return nil, why end
  if options.hook and thing ~= "policy" then
    return nil, ("--hook is for policies, not for a %s"):format(thing)
  end
  local hook = options.hook or "replacement"
  if not contains(hooks, hook) then
    return nil, ("there is no skeleton for '%s'%s"):format(hook,
                 suggest.hint(hook, hooks))
  end
  local name = words[2]
  local problem = name_problem(thing, name)
  if problem then
    io.stderr:write("warploom: ", problem, "\n")
    return 1
  end
  local base = options.out and options.out:gsub("/*$", "/") or ""
  if kind == "tree" and core.kind(base .. "policies/cache_hook.h") ~= "file"
  then
    io.stderr:write("warploom: --tree writes into warploom's source tree, ",
                    "and ", base == "" and "this folder" or base,
                    " is none",
                    contains(kinds[thing], "plugin") and "; see --plugin" or "",
                    "\n")
    return 1
  end
  local ok, text = write(makers[thing][kind](name, hook), base)
  if not ok then
    io.stderr:write("warploom: ", text, "\n")
    return 5
  end
  print("next: " .. next_steps[thing][kind]:format(name, name))
  return 0
end

return M
