#!/bin/sh
# require "warploom" in a plain Lua: the same bits as the program's, results
# files, mistakes as errors.
# usage: rock.sh LUA BUILD_DIR
set -eu
lua=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset WARPLOOM_LUA
export LUA_CPATH="$build/lua/?.so"
cat >same.lua <<'END'
local loom = require "warploom"
local run = loom.run {
  machine = loom.preset.tiny {},
  workload = loom.suite.atax { rows = 128, columns = 32 },
  stats = { file = "same.h5" },
}
print(run.digest, run.cycles, run.stats "gpu/sm/l1d".misses)
END
"$lua" same.lua >plain
mv same.h5 plain.h5
"$build/warploom" run -q same.lua >program
cmp plain program || { cat plain program; exit 1; }
[ "$("$build/warploom" stats plain.h5 --digest)" = \
    "$("$build/warploom" stats same.h5 --digest)" ]
cat >more.lua <<'END'
local loom = require "warploom"
assert(loom == require "warploom")
local ok, why = pcall(function()
  local gpu = loom.preset.tiny { sm = { l1d = { wayz = 2 } } }
  return loom.run { machine = gpu, workload = loom.suite.vectoradd {} }
end)
assert(not ok)
assert(tostring(why):find("more.lua:4: .*there is no parameter 'wayz'"), why)
-- The next run does not suffer, nor does the host's Lua.
local gpu = loom.preset.tiny {}
gpu:each "sm[*].l1d":attach(loom.apcm {})
local own = loom.policy { name = "mine", doc = "Goes around",
  admit = function(access) return access.kind == "load" and "bypass" or nil end }
local two = loom.preset.tiny {}
two:each "sm[*].l1d":attach(own {})
local a = loom.run { machine = gpu, workload = loom.suite.vectoradd {} }
local b = loom.run { machine = two, workload = loom.suite.vectoradd {} }
assert(a.status == "complete" and b.cycles ~= a.cycles)
assert(os.time() and undefined == nil)
print "fine"
END
"$lua" more.lua
cat >bare.lua <<'END'
local loom = require "warploom"
loom.run { machine = loom.preset.tiny { sm_cuont = 1 },
           workload = loom.suite.vectoradd {} }
END
if "$lua" bare.lua 2>said; then exit 1; fi
grep -q "bare.lua:2: tiny: there is no parameter 'sm_cuont'" said ||
    { cat said; exit 1; }
