#!/bin/sh
# `warploom cuda`: its options, its messages, whose output is whose.
#
# usage: options.sh WARPLOOM SOURCE_DIR API_TEST
set -eu
warploom=$1
here=$2/tests/cuda
program=$3
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$out"
TEST_PTX=$here/kernels.ptx
export TEST_PTX

. "$here/want.sh"

cat >run.lua <<'LUA'
local loom = require "warploom"
local option = loom.option
local recording = option { name = "recording", default = "", doc = "Replay" }
local limit = option { name = "limit", default = 1000000, doc = "Stop" }
local run = loom.run {
  machine = loom.preset.gtx480 { sm_count = 4 },
  workload = recording ~= "" and loom.replay(recording) or function() end,
  stats = { file = "default.h5" }, stop = { warp_insts = limit } }
print("script: " .. #run.kernels)
LUA

# Whose output is whose.
"$warploom" cuda run.lua -- "$program" basic >stdout 2>stderr
[ "$(cat stdout)" = "basic passed" ] || fail "stdout is not the program's"
grep -q "^script: 2$" stderr || fail "no print of the script"
grep -q "takes the place of the script's workload" stderr || fail "no word of it"
grep -q "warp instructions" stderr || fail "no summary"
[ -f default.h5 ] || fail "no default.h5"
"$warploom" kernels default.h5 >list || fail "kernels default.h5"
[ "$(grep -c "^  [01]  scale .* GB/s" list)" = 2 ] || fail "no list"
sed 1d list >list.rows # the first line has the path, here another one
grep -Fxf list.rows stderr | cmp -s - list.rows || fail "no list after the run"
"$warploom" cuda run.lua --quiet -o q.h5 -- "$program" basic 2>stderr >stdout
[ "$(cat stderr)" = "script: 2" ] || fail "--quiet is not"

# For programs: one line of JSON, where the script prints.
"$warploom" cuda run.lua --json -o j.h5 -- "$program" basic >stdout 2>stderr
[ "$(cat stdout)" = "basic passed" ] || fail "--json: stdout is not the program's"
[ "$(grep -c '^{.*"status":"complete".*}$' stderr)" = 1 ] || fail "--json: no JSON"
grep -q "simulated time" stderr && fail "--json: a summary"

# Several devices.
want 2 "--devices is '17', expected 1..16" \
    "$warploom" cuda run.lua --devices 17 -- "$program" basic
for other in --sample "--record x.wlt" "--resume x"; do
    # shellcheck disable=SC2086 # words
    want 2 "--devices is 2: with several, a run is neither sampled, recorded" \
        "$warploom" cuda run.lua --devices 2 $other -- "$program" basic
done

# Turns and races.
want 2 "--interleave is '0', expected a number of warp instructions" \
    "$warploom" cuda run.lua --interleave 0 -- "$program" basic
want 0 "races: 0 pairs" "$warploom" cuda run.lua --races --interleave 3 \
    -o r.h5 -- "$program" basic

# Without the wrapper.
LD_LIBRARY_PATH=$(dirname "$warploom")/cuda \
    WARPLOOM_CUDA="run.lua --quiet -o direct.h5" "$program" basic >stdout \
    2>stderr
[ -f direct.h5 ] || fail "no direct.h5"
[ "$("$warploom" stats --digest direct.h5 | wc -c)" -gt 32 ] || fail "no digest"
want 1 "WARPLOOM_CUDA names no script" env \
    "LD_LIBRARY_PATH=$(dirname "$warploom")/cuda" "$program" basic

# Recorded, and replayed with the same statistics.
for case in basic async; do
    "$warploom" cuda run.lua --quiet -o a.h5 --record r.wlt -- \
        "$program" $case >stdout 2>stderr
    "$warploom" run run.lua --quiet --set recording=r.wlt -o b.h5 >stdout
    "$warploom" diff a.h5 b.h5 >text || true # of provenance, at least
    grep -q "^0 parameters and 0 statistics differ" text ||
        fail "the replay of $case differs"
    "$warploom" disasm r.wlt >text || fail "r.wlt cannot be read"
done

# Which launches are timed.
kernels() {
    h5dump -H -d /kernel/stream "$1" |
        sed -n '/DATASPACE/{s/.*SIMPLE { ( \([0-9]*\).*/\1/p;q}'
}
timed() {
    count=$1
    shift
    "$warploom" cuda run.lua --quiet -o k.h5 "$@" -- "$program" basic \
        >text 2>&1 || fail "$*"
    grep -q "basic passed" text || fail "$*: results"
    [ "$(kernels k.h5)" = "$count" ] || fail "$*: not $count timed launches"
}
timed 2
timed 1 --first 1
timed 1 --last 0
timed 0 --first 5
timed 2 --kernels 'sc*e,other'
grep -q 'run: --kernels has "other", which no kernel is called' text ||
    fail "no word of 'other'"
timed 0 --kernels 'scal'
grep -q "none of 2 launches is timed: --kernels is \"scal\", which no kernel \
is called; did you mean 'scale'?" text || fail "no word of 'scal'"
want 0 "^k.h5: error" "$warploom" stats k.h5
sed 's/workload = /timed = { last = 0 }, &/' run.lua >field.lua
"$warploom" cuda field.lua --quiet -o k.h5 -- "$program" basic >text 2>&1 ||
    fail "timed in the script"
[ "$(kernels k.h5)" = 1 ] || fail "timed in the script: $(kernels k.h5)"
want 0 "basic passed" "$warploom" cuda run.lua --functional -- "$program" basic
grep -q "simulated time" text && fail "--functional is timed"
grep -q "^  -: of 2 launches that are listed: nothing was timed" text ||
    fail "--functional lists no launches"

# Whose registers they are.
TEST_FATBIN=cubin "$warploom" cuda run.lua --quiet -o c.h5 -- \
    "$program" compiled >text 2>&1 || fail "compiled"
"$warploom" kernels c.h5 --by launch --csv | cut -d, -f2,11,12 >list
grep -qx "work,200,sm_75" list || fail "not those of the machine code"
grep -q "^say,[0-9]*,PTX$" list || fail "not those of the PTX"
TEST_FATBIN=cubin "$warploom" cuda run.lua --quiet -o a.h5 --record c.wlt -- \
    "$program" compiled >text 2>&1
"$warploom" run run.lua --quiet --set recording=c.wlt -o b.h5 >stdout
"$warploom" diff a.h5 b.h5 >text || true
grep -q "^0 parameters and 0 statistics differ" text || fail "its replay differs"
"$warploom" kernels c.h5 | grep -q \
    "^  registers are counted in .*machine code for sm_75" ||
    fail "no word of the machine code"

# Limits of the script end the program.
want 0 "limit is reached" "$warploom" cuda run.lua --set limit=50 -- \
    "$program" async
grep -q "async passed" text && fail "the program went on"

# Mistakes.
want 2 "cuda needs a script, -- and a program" "$warploom" cuda run.lua
want 2 "cuda needs a script, -- and a program" "$warploom" cuda -- "$program"
want 1 "there is no program 'nothing'" "$warploom" cuda run.lua -- nothing
want 1 "the script has no option 'limits'" \
    "$warploom" cuda run.lua --set limits=5 -- "$program" basic
grep -q passed text && fail "the program ran"
echo 'local loom = = require "warploom"' >syntax.lua
want 1 "^syntax.lua:1: .*unexpected symbol" \
    "$warploom" cuda syntax.lua -- "$program" basic
grep -q passed text && fail "the program ran"
mkdir alone
cp "$warploom" alone
want 1 "no libcudart.so.13 of ours in .*cmake --build .*alone --target cuda_run" \
    alone/warploom cuda run.lua -- "$program" basic
want 1 "none.lua: No such file" \
    "$warploom" cuda none.lua -- "$program" basic
echo 'local loom = require "warploom" loom.preset.tiny { sm_counts = 1 }' \
    >wrong.lua
want 1 "sm_counts" "$warploom" cuda wrong.lua -- "$program" basic
echo 'return 5' >nothing.lua
want 1 "returns 5, expected a machine" \
    "$warploom" cuda nothing.lua -- "$program" basic
cat >twice.lua <<'LUA'
local loom = require "warploom"
loom.run { machine = loom.preset.tiny {} }
loom.run { machine = loom.preset.tiny {} }
LUA
want 0 "is the second one: the program has run" \
    "$warploom" cuda twice.lua -- "$program" basic

# A kernel that fails: told once, in the results, and by the exit status of
# nobody but the program.
want 0 "workload error: .*'astray'" "$warploom" cuda run.lua -o s.h5 -- \
    "$program" sticky
grep -q "sticky passed" text || fail "sticky"
want 0 "^s.h5: error" "$warploom" stats s.h5
echo "all is as it should be"
