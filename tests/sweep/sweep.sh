#!/bin/sh
# warploom sweep: parallel, resumed, with damaged and failing points.
#
# usage: sweep.sh WARPLOOM FOLDER-OF-SCRIPTS
set -eu
warploom=$1
here=$(cd "$2" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
fail() { echo "sweep: $*" >&2; exit 1; }

# One process or several, with shared streams or without: the same bytes.
"$warploom" sweep "$here/small.lua" -j2 --csv -o a >a.out 2>a.err
"$warploom" sweep "$here/small.lua" -j1 --no-cache -o b --quiet
cmp a/results.h5 b/results.h5 || fail "-j2 and -j1 differ"
grep -q '^12 points, 12 run, 0 done before, 0 failed' a.out ||
    fail "wrong summary: $(tail -1 a.out)"
[ "$(wc -l <a/results.csv)" = 13 ] || fail "results.csv has not 12 points"
grep -q '^12/12 points' a.err || fail "no last line of progress"
[ "$(ls a/streams | grep -c 'wlt$')" = 3 ] || fail "not three recordings"
[ ! -e b/streams ] || fail "--no-cache has a cache"
"$warploom" run --quiet "$here/small.lua" -o c
cmp a/results.h5 c/results.h5 || fail "run and sweep differ"

# An axis that changes nothing is told, one that changes some points is not.
cat >idle.lua <<'END'
local loom = require "warploom"
return loom.experiment {
  name = "idle",
  axes = { size = { 1024, 2048 }, label = { "a", "b" } },
  base = function(p)
    return { machine = loom.preset.tiny {},
             workload = loom.suite.vectoradd { n = p.size } }
  end,
  metrics = { cycles = function(run) return run.cycles end },
}
END
"$warploom" sweep idle.lua -o i >i.out 2>i.err || fail "idle.lua"
grep -q "axis 'label' makes no difference" i.err || fail "idle: $(cat i.err)"
! grep -q "axis 'size' makes" i.err || fail "size is said to be idle"
! grep -q "makes no difference" a.err || fail "an axis is said to be idle"

# Where no axis matters, all are told.
sed 's/n = p.size/n = 1024/' idle.lua >same.lua
"$warploom" sweep same.lua -o s >/dev/null 2>s.err || fail "same.lua"
[ "$(grep -c "axis '[a-z]*' makes no difference" s.err)" = 2 ] ||
    fail "all points are equal, and nobody says so: $(cat s.err)"

# Nothing is done twice; a point that lacks something is.
touch stamp
"$warploom" sweep "$here/small.lua" -o a | grep -q '12 points, 0 run, 12 done' ||
    fail "finished points were run again"
[ -z "$(find a/points a/results.h5 -name '*.h5' -newer stamp)" ] ||
    fail "finished points were written again"
# That takes less than half a second of a processor: children's user and system
# time, as `times` has it.
if grep -q -e __asan_init -e __tsan_init "$warploom"; then
    echo "SKIPPED with sanitizers: what a finished sweep costs"
else
    # shellcheck disable=SC2016
    sh -c '"$1" sweep "$2" -o a -q >/dev/null; times' sh "$warploom" \
        "$here/small.lua" | tail -n 1 | tr 'ms' '  ' >spent
    awk '{ spent = 60 * $1 + $2 + 60 * $3 + $4; print spent
           exit !(spent > 0 && spent < 0.5) }' spent >seconds ||
        fail "a finished sweep that is run again takes $(cat seconds) s"
fi
printf x >>a/results.h5 # the merged file is what its points give
rm a/*.csv
"$warploom" sweep "$here/small.lua" -o a -q --csv
cmp a/results.h5 b/results.h5 || fail "a damaged merged file is kept"
rm a/*.csv
"$warploom" sweep "$here/small.lua" -o a -q --csv
[ "$(wc -l <a/results.csv)" = 13 ] || fail "no CSV of a finished sweep"
set -- a/points/*.note
rm "$1"
printf x >>"${2%.note}.h5"
printf 'warploom-point 1\nkey' >"$3"
for f in a/streams/*.wlt; do
    printf xx | dd of="$f" bs=1 seek=200 conv=notrunc 2>/dev/null
done
"$warploom" sweep "$here/small.lua" -o a | grep -q '12 points, 3 run, 9 done' ||
    fail "damaged points were not run again"
cmp a/results.h5 b/results.h5 || fail "mended results differ"

# What a point depends on: another seed is another point.
"$warploom" sweep "$here/small.lua" --seed 2 -o a --dry-run |
    grep -q '12 points, 0 done before, 12 to run' || fail "the seed is not seen"
for option in --sample --sample=2% --interleave=4 --first=1 \
    --last=0 --kernels=a*; do
    "$warploom" sweep "$here/small.lua" -o a --dry-run "$option" |
        grep -q '12 points, 0 done before, 12 to run' ||
        fail "$option is not seen"
done
"$warploom" sweep "$here/small.lua" -o a --only bench=atax,sched=gto --dry-run |
    grep -q '2 points, 2 done before' || fail "--only"
"$warploom" sweep "$here/small.lua" -o a --only bench=atax,reduction --only sched=gto \
    --dry-run | grep -q '4 points, 4 done before' || fail "several of --only"
"$warploom" sweep "$here/small.lua" --only bench=ataxx 2>err && fail "--only ataxx"
grep -q "no value 'ataxx' on axis 'bench'; did you mean 'atax'" err ||
    fail "--only: $(cat err)"

# Which launches are timed is passed on to points, also with streams that are
# shared: reduction and atax have two launches, vectoradd has one.
"$warploom" sweep "$here/small.lua" --last 0 -o t -j2 >t.out 2>&1 ||
    fail "--last 0: $(cat t.out)"
"$warploom" sweep "$here/small.lua" --last 0 --no-cache -o u -j2 -q ||
    fail "--last 0 --no-cache"
cmp t/results.h5 u/results.h5 || fail "launches are timed by the cache"
cmp -s t/results.h5 b/results.h5 && fail "--last is not seen"
[ "$(h5dump -d /points/timed t/results.h5 | grep -o '"--last=0"' |
    wc -l)" = 12 ] && h5dump -a /timed t/results.h5 | grep -q '"--last=0"' ||
    fail "the merged file does not say which launches are timed"
h5ls b/results.h5/points | grep -q 'timed\|estimates' &&
    fail "the merged file says something of all that was not so"
"$warploom" sweep "$here/small.lua" --first 1 -o v -j2 -q >v.out 2>&1 &&
    fail "points of which nothing is timed"
[ "$(grep -c 'none of 1 launches is timed: --first is 1, expected at most 0' \
    v.out)" = 4 ] || fail "--first: $(cat v.out)"

# Points that fail do not stop the others, and are said.
set +e
"$warploom" sweep "$here/failing.lua" -j2 -o f >f.out 2>f.err
status=$?
set -e
[ $status = 3 ] || fail "a failing sweep ended with $status"
grep -q '5 points, 5 run, 0 done before, 2 failed' f.out || fail "$(cat f.out)"
grep -q 'what=bad.*failed: exit status 3: .*this one does not work' f.err ||
    fail "no reason: $(cat f.err)"
h5dump -a status f/results.h5 | grep -q incomplete || fail "status of f"
# More points later: only those are run (and the failed ones again).
"$warploom" sweep "$here/failing.lua" -o f --set count=4 --dry-run |
    grep -q '6 points, 0 done before' || fail "an option is not seen"

# Mistakes are found before anything runs.
sed 's/size_bytes/size_byte/' "$here/small.lua" >wrong.lua
"$warploom" sweep wrong.lua 2>err && fail "a mistake was not found"
grep -q "wrong.lua:15: .*size_byte.*did you mean 'size_bytes'" err ||
    fail "mistake: $(cat err)"
[ ! -e small.sweep ] || fail "a wrong script left a folder"
sed 's/name = "failing"/metrics = { m = "gpu.sm.l1d.mises" }, &/' \
    "$here/failing.lua" >wrong.lua
"$warploom" check wrong.lua 2>err && fail "a metric that is not there"
grep -q "wrong.lua:11: .*metric 'm': .*did you mean 'misses'.*(at n=256,what=good" \
    err || fail "metric: $(cat err)"
sed 's/name = "failing"/derive = { d = function(t) return t.cycls end }, &/' \
    "$here/failing.lua" >wrong.lua
"$warploom" check wrong.lua 2>err && fail "a column that is not there"
grep -q "wrong.lua:11: .*derive.d: there is no metric .* 'cycls'" err ||
    fail "derived column: $(cat err)"
sed 's/name = "failing"/metrics = { m = function(run) return run.no end }, &/' \
    "$here/failing.lua" >wrong.lua
"$warploom" sweep wrong.lua -o w --only n=256 >w.out 2>w.err &&
    fail "a metric that is no number"
grep -q "wrong.lua:11: metric 'm': a run has no 'no'" w.err ||
    fail "a name that no run has: $(cat w.err)"
[ ! -d w/points ] || fail "points were run for it"
"$warploom" check "$here/failing.lua" >out
[ "$(grep -c 'ok: 5 points' out)" = 1 ] && [ "$(wc -l <out)" -le 3 ] ||
    fail "check: $(cat out)"

# Of every point, however many there are, and all at once: here 5 of 36 that no
# value of an axis alone makes wrong.
cat >many.lua <<'END'
local loom = require "warploom"
local list = {}
for i = 1, 12 do list[i] = i end
return loom.experiment {
  name = "many", order = { "n", "ways" },
  axes = { n = list, ways = { 1, 2, 4 } },
  base = function(p)
    local gpu = loom.preset.tiny {}
    gpu:each "sm[*].l1d":set { ways = p.ways }
    if p.n == 11 and p.ways == 4 then gpu.l2.ways = 0 end
    if p.n == 5 and p.ways == 2 then gpu.l2.wayz = 1 end
    -- These the machine finds, when it is built.
    if p.n > 9 and p.ways == 1 then gpu:each "sm[*]":set { warps = p.n + 18 } end
    return { machine = gpu, workload = loom.suite.vectoradd { n = 32 * p.n } }
  end,
}
END
"$warploom" sweep many.lua -j2 2>err && fail "a wrong point was taken"
grep -q "ways.*(at n=11,ways=4)" err && grep -q "wayz.*(at n=5,ways=2)" err &&
    grep -q "warps.* 28,.*(at n=10,ways=1" err &&
    grep -q "warps.* 29,.*(at n=11,ways=1" err &&
    grep -q '^5 mistakes; nothing was run' err || fail "many: $(cat err)"
[ ! -e many.sweep ] || fail "points ran beside wrong ones"
"$warploom" sweep many.lua --only n=11 --dry-run 2>err &&
    fail "a wrong point was chosen"
grep -q '^2 mistakes; nothing was run' err || fail "many n=11: $(cat err)"
"$warploom" sweep many.lua --only n=3 --dry-run >out ||
    fail "points were looked at that were not chosen"
grep -q '^3 points, 0 done before, 3 to run' out || fail "many n=3: $(cat out)"
# Points that ran are not looked at again; those that did not run are.
sed '/if p.n [=>]/d' many.lua >right.lua
"$warploom" sweep right.lua -j2 -q --only n=3 -o m || fail "right.lua"
sed 's/"many"/"many", doc = "later"/' right.lua >later.lua
"$warploom" sweep right.lua -j2 -q --only n=3 -o m || fail "right.lua again"
"$warploom" sweep later.lua -q --dry-run -o m | grep -q '36 to run' ||
    fail "another script is not seen"

# Two sweeps of one folder: the second is refused.
flock -x a/lock "$warploom" sweep "$here/small.lua" -o a 2>err &&
    fail "two sweeps in one folder"
grep -q "another sweep is at work in 'a'" err || fail "lock: $(cat err)"
echo "sweep: ok"
