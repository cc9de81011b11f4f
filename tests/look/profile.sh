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

# One launch of three, and one kernel; in a script, too.
cat > three.lua <<'END'
local loom = require "warploom"
local part = loom.option { name = "part", default = "" }
loom.run {
  machine = loom.preset.tiny { sm_count = 2 },
  workload = function(dev)
    local add, n = dev:module("suite/vectoradd/vectoradd.ptx").vectoradd, 2048
    local a, b, c = dev:alloc(4 * n), dev:alloc(4 * n), dev:alloc(4 * n)
    for i = 1, 3 do
      dev:launch(add, { grid = 4 * i, block = 128, args = { a, b, c, n } })
    end
  end,
  stats = { file = "three.h5",
            profile = part ~= "" and { launch = tonumber(part) } or nil },
}
END
warps() {
    "$program" profile three.h5 --csv | sed -n '2s/.*,load,\([0-9]*\),.*/\1/p'
}
"$program" run -q three.lua --profile
[ "$(warps)" = 96 ] || fail "three launches have $(warps) warps"
"$program" run -q three.lua --profile --window launch=1
[ "$(warps)" = 32 ] || fail "the second launch has $(warps) warps"
"$program" run -q three.lua --set part=2
[ "$(warps)" = 48 ] || fail "the third launch has $(warps) warps"
"$program" run -q three.lua --profile --window 'kernel=x*'
"$program" profile three.h5 > said 2>&1 && fail "a profile of no kernel"
grep -q "has no profile" said || cat said

# The latencies of loads as a stacked chart, where charts can be drawn.
"$program" profile both.h5 -o chart.json -q >/dev/null
grep -q '"NoC out"' chart.json || fail "the chart has no places"

# Tables by load of policies: kernels apart, with names, places and texts.
cat > tables.lua <<'END'
local loom = require "warploom"
local which = loom.option { name = "policy", default = "apcm" }
local gpu = loom.preset.tiny { sm_count = 2 }
if which == "dacache" then gpu:each "sm[*]":attach(loom.dacache {})
elseif which == "two_level" then gpu:each "sm[*]":attach(loom.two_level {})
else gpu:each "sm[*]":attach(loom.apcm {}) end
loom.run { machine = gpu, workload = loom.suite.atax { size = "tiny" },
           stats = { file = "tables.h5", profile = true } }
END
for policy in apcm dacache two_level; do
    "$program" run -q tables.lua --set policy=$policy
    h5ls -r tables.h5 >> names
    table=$(h5ls -r tables.h5 | sed -n 's|^/stats/\(.*\)/load_pc .*|\1|p')
    "$program" export tables.h5 "$(echo "$table" | tr / .).load_pc" \
        --sample last --json > rows.json
    "$program" profile tables.h5 --json > profile.json
    h5dump -d "/stats/$table/text" -w 200 tables.h5 > texts
    python3 - "$policy" <<'END' || failed=1
import json, re, sys
def entry(row):
    return f"{row['kernel']}, line {row['line']}, PC 0x{row['pc']:x}"
loads = {entry(r): r for r in json.load(open("profile.json"))
         if r["op"] == "load" and "ld.global" in r["text"]}
rows = {r["entry"] for r in json.load(open("rows.json"))
        if not str(r["entry"]).isdigit()}
texts = open("texts").read()
# Rows are of all loads of the text, the profile has those that were executed.
assert set(loads) <= rows, (sys.argv[1], set(loads) - rows)
assert {e.split(",")[0] for e in rows} == {"atax_rows", "atax_columns"}
for load in loads.values():
    assert load["text"] in texts, (sys.argv[1], load["text"])
END
done

# No axis has a name that was taken.
h5ls -r on.h5 >> names
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
refuse "nothing is written that has one" run three.lua --window launch=1
refuse "which a profile has not" run three.lua --profile --window 1us..2us
refuse "beside a timeline" run three.lua --set part=1 --timeline x.json
refuse "'stats.profile.launch' is -1" run three.lua --set part=-1
exit $failed
