#!/bin/sh
# Profiles: the run's bits are the same with and without, and what is recorded
# adds up to the run's counters (profile.py), on machines of several SMs, with
# and without sub-cores; kernels of one name are kept apart; what cannot be
# recorded is an error.
# usage: profile.sh PROGRAM SOURCE_DIR
set -eu
program=$1 root=$2
if ! python3 -c "import json, csv" 2>/dev/null; then
    echo "SKIPPED: no Python here; profiles are not read back"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0
fail() {
    echo "$1"
    failed=1
}
run() { "$program" run -q "$root/tests/look/timeline_run.lua" "$@"; }

for case in tiny/atax tiny/shfl_scan gtx480/histogram64 qv100/gemm gtx480/bfs; do
    preset=${case%%/*} bench=${case#*/}
    run --set "preset=$preset" --set "bench=$bench" -o off.h5
    run --set "preset=$preset" --set "bench=$bench" -o on.h5 --profile
    "$program" diff -q off.h5 on.h5 || fail "$case: other numbers"
    [ "$("$program" stats --digest off.h5)" = \
        "$("$program" stats --digest on.h5)" ] || fail "$case: another digest"
    "$program" profile on.h5 --csv > rows.csv
    "$program" stats on.h5 --csv > stats.csv
    python3 "$root/tests/look/profile.py" "$case" rows.csv stats.csv ||
        failed=1
done

# Beside a timeline; its file is as without.
run -o both.h5 --profile --timeline both.json
run -o alone.h5 --timeline alone.json
cmp -s both.json alone.json || fail "a profile changes a timeline"
"$program" profile both.h5 > both.txt
grep -q "data from the L2" both.txt || fail "no load waited for the L2"
"$program" explain both.h5 | grep -q "^  hottest " || fail "nothing is hot"

# Two kernels of one name.
cat > twice.lua <<'END'
local loom = require "warploom"
local function text(op)
  return (".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()" ..
    "{ .reg .u32 %%r<3>; mov.u32 %%r1, 5; %s %%r2, %%r1, 7; ret; }"):format(op)
end
for _, op in ipairs { "add.u32", "mul.lo.u32" } do
  local file = assert(io.open(op .. ".ptx", "w"))
  file:write(text(op))
  file:close()
end
loom.run {
  machine = loom.preset.tiny { sm_count = 1 },
  workload = function(dev)
    for _, op in ipairs { "add.u32", "mul.lo.u32", "add.u32" } do
      dev:launch(dev:module(op .. ".ptx").k, { grid = 1, block = 32 })
    end
  end,
  stats = { file = "twice.h5", profile = true },
}
END
"$program" --unsafe run -q twice.lua
"$program" profile twice.h5 --csv > twice.csv
[ "$(grep -c 'add.u32.*,int_add,2,64,' twice.csv)" = 1 ] ||
    fail "two launches of a kernel are not one"
[ "$(grep -c 'mul.lo.u32.*,int_mul,1,32,' twice.csv)" = 1 ] ||
    fail "two kernels of a name are one"

# The latencies of loads as a stacked chart, where charts can be drawn.
"$program" profile both.h5 -o chart.json -q >/dev/null
grep -q '"NoC out"' chart.json || fail "the chart has no places"

# No axis has a name that was taken.
h5ls -r on.h5 > names
! grep -q '/[a-z]*_ ' names || fail "an axis has another's name"

refuse() {
    said=$1
    shift
    if "$program" "$@" > said 2>&1; then
        fail "$*: accepted"
    elif ! grep -q -- "$said" said; then
        fail "$*: $(cat said)"
    fi
}
refuse "has no profile" profile off.h5
refuse "no kernel 'atay'" profile both.h5 atay
refuse "--profile needs time" run --functional --profile \
    "$root/tests/look/timeline_run.lua"
exit $failed
