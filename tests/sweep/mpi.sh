#!/bin/sh
# A sweep under mpirun: the same bytes; a point and a rank are killed on the
# way.  Says loudly if there is no MPI here.
#
# usage: mpi.sh WARPLOOM FOLDER-OF-SCRIPTS
set -eu
warploom=$1
here=$(cd "$2" && pwd)
if ! command -v mpirun >/dev/null || [ ! -e "${warploom%/*}/warploom_mpi.so" ]; then
    echo "sweep.mpi: SKIPPED: no MPI on this machine (libopenmpi-dev, openmpi-bin)"
    exit 77
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
fail() { echo "mpi: $*" >&2; cat "$dir"/*.out >&2; exit 1; }

# Few cores, and root in containers.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1

"$warploom" sweep "$here/small.lua" -j2 --quiet -o one
timeout 1800 mpirun -n 3 "$warploom" sweep "$here/small.lua" -o three >three.out 2>&1 ||
    fail "mpirun -n 3"
grep -q '^12 points, 12 run, 0 done before, 0 failed' three.out || fail "summary"
cmp one/results.h5 three/results.h5 || fail "three ranks: other results"

# Merging may take longer than a rank may be silent.
cat >slow.lua <<'END'
local loom = require "warploom"
return loom.experiment {
  name = "slow", axes = { n = { 256, 512, 768 } },
  base = function(p)
    return { machine = loom.preset.tiny {},
             workload = loom.suite.vectoradd { n = p.n } }
  end,
  derive = { d = function(t)
    return t.cycles:map(function(v) -- 1 where it is only checked
      local stop = os.time() + 3
      while v ~= 1 and os.time() < stop do end
      return v
    end)
  end },
}
END
timeout 1800 mpirun -n 3 "$warploom" sweep --unsafe slow.lua -o slow >slow.out \
    2>&1 || fail "a slow merge"
grep -q 'were lost' slow.out && fail "a slow merge: ranks were taken for lost"

# The process of rank $1 whose command line has the word $2.
process() {
    for p in $(ps -ww -e -o pid=,args= | awk -v what="$2.*-o.*lost" \
        '$0 ~ what && !/awk/ { print $1 }'); do
        if (tr '\0' '\n' <"/proc/$p/environ") 2>/dev/null |
            grep -qx "OMPI_COMM_WORLD_RANK=$1"; then
            echo "$p"
            return
        fi
    done
}
timeout 1800 mpirun --enable-recovery -n 3 "$warploom" sweep "$here/small.lua" \
    -o lost >lost.out 2>&1 &
job=$!
tries=0
while [ -z "$(process 2 'warploom sweep')" ] || ! ls lost/points/*.log >/dev/null 2>&1; do
    tries=$((tries + 1))
    [ $tries -lt 3000 ] || fail "rank 2 did not come up"
    sleep 0.1
done
kill -s KILL "$(process 2 'warploom sweep')"
wait $job || fail "the sweep did not survive the loss of a rank"
grep -q '12 points, 12 run, 0 done before, 0 failed' lost.out || fail "after a loss"
cmp one/results.h5 lost/results.h5 || fail "a lost rank: other results"

# Parts, as a job array runs them, and the merge after them.
for i in 0 1 2; do
    "$warploom" sweep "$here/small.lua" -o parts --part $i/3 --quiet
done
"$warploom" sweep "$here/small.lua" -o parts | grep -q '12 points, 0 run, 12 done' ||
    fail "parts"
cmp one/results.h5 parts/results.h5 || fail "parts: other results"
echo "mpi: ok"
