-- Rules for luacheck: the library, presets, workloads, tests and examples.
std = "lua54"
cache = false
max_line_length = 80
files["tests/lua"] = { max_line_length = false, ignore = { "122/io" } }
-- Scripts with mistakes on purpose.
exclude_files = { "tests/lua/twenty.lua", "build/**" }
