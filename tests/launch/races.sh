#!/bin/sh
# `--races`: what it says and its exit status; without it nothing is told.
#
# usage: races.sh WARPLOOM
set -eu
warploom=$1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$out"

# want STATUS PATTERN ARGUMENT...: of what it says, on stdout or stderr.
want() {
    status=$1
    pattern=$2
    shift 2
    got=0
    "$warploom" "$@" >text 2>&1 || got=$?
    if [ "$got" -ne "$status" ] || ! grep -q -- "$pattern" text; then
        head -n 20 text
        echo "FAILED: status $got for $status, '$pattern': $*"
        exit 1
    fi
}

want 3 "first between CTAs, at 'again' + 0" suite verify bfs --size tiny --races
want 0 "bfs  *ok" suite verify bfs --size tiny
! grep -q "race" text
want 0 "gemm  *ok" suite verify gemm --size tiny --races
want 0 "reduction  *ok" suite verify reduction --size tiny --races --interleave 7
cat >one.lua <<'LUA'
local loom = require "warploom"
return loom.run { machine = loom.preset.tiny {},
                  workload = loom.suite.bfs { size = "tiny" } }
LUA
want 3 "races: [0-9]* pairs of instructions" run -q --races one.lua
"$warploom" run -q one.lua
want 2 "--interleave is 'x', expected" run --interleave x one.lua
echo "races are told where somebody asks"
