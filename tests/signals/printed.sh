#!/bin/sh
# What cannot be printed is told, and what is printed goes nowhere else: closed
# descriptors, a full device, a pipe that nobody reads.
#
# usage: printed.sh WARPLOOM SOURCE_DIR CUDA_PROGRAM
set -eu
warploom=$1
source=$2
program=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$source/tests/signals/common.sh"
cd "$dir"
TEST_PTX=$source/tests/cuda/kernels.ptx
export TEST_PTX

cat >run.lua <<'LUA'
local loom = require "warploom"
loom.run { machine = loom.preset.tiny {}, stats = { file = "x.h5" },
           workload = loom.suite.vectoradd { size = "tiny" } }
for i = 1, 30000 do print("line", i) end
LUA
cat >quiet.lua <<'LUA'
local loom = require "warploom"
loom.run { machine = loom.preset.tiny {}, stats = { file = "x.h5" },
           workload = loom.suite.vectoradd { size = "tiny" } }
LUA
"$warploom" run -q quiet.lua
digest=$("$warploom" stats --digest x.h5)
same() {
    [ "$("$warploom" stats --digest x.h5)" = "$digest" ] || fail "$1: other results"
    whole x.h5
}

commands='run run.lua
run quiet.lua
info
info cache
info --cost lru
suite list
stats x.h5
stats --digest x.h5
stats --check x.h5
diff x.h5 x.h5
check quiet.lua
check '$source/workloads/suite/atax/atax.ptx'
graph quiet.lua
export x.h5 --csv
disasm '$source/tests/cuda/kernels.ptx'
--version
--help
doctor'
echo "$commands" | while read -r words; do
    # shellcheck disable=SC2086
    "$warploom" $words >out 2>&1 </dev/null || true
    [ -s out ] || continue # it wrote a file
    got=0
    # shellcheck disable=SC2086
    "$warploom" $words >/dev/full 2>told </dev/null || got=$?
    [ $got != 0 ] || fail "$words >/dev/full: status 0"
    grep -q 'cannot write to standard output' told || fail "$words: nothing told"
    got=0
    # shellcheck disable=SC2086
    "$warploom" $words >&- 2>told </dev/null || got=$?
    [ $got != 0 ] || fail "$words >&-: status 0"
    grep -q 'cannot write to standard output' told || fail "$words: nothing told"
    same "$words"
done

# All three closed: results are whole, and no text is in them.
"$warploom" run -q quiet.lua <&- >&- 2>&- || fail "closed: status $?"
same "all closed"
got=0
"$warploom" run quiet.lua <&- >&- 2>&- || got=$?
[ $got = 5 ] || fail "closed, printed: status $got"
same "all closed, printed"
"$warploom" cuda "$source/tests/signals/machine.lua" -o y.h5 -- "$program" \
    exit 1 <&- >&- 2>&- || fail "a program with all closed: status $?"
whole y.h5
[ "$(attribute y.h5 status)" = complete ] || fail "a program with all closed"

# A pipe that is closed is no news, and no reason to lose a run.
for words in "info --markdown" "run run.lua"; do
    # shellcheck disable=SC2086
    { got=0; "$warploom" $words 2>told || got=$?; echo $got >status; } | head -n 1 >out
    [ "$(cat status)" = 141 ] || fail "$words | head: status $(cat status)"
    [ ! -s told ] || fail "$words | head: $(cat told)"
done
same "head"
echo "printed: ok"
