#!/bin/sh
# What commands do when a signal comes: a script that loops on its own, a
# recording, the suite, the papers; SIGUSR1 is answered and changes nothing.
#
# usage: commands.sh WARPLOOM SEND SOURCE_DIR
set -eu
warploom=$1
send=$2
here=$3/tests/signals
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$here/common.sh"
cd "$dir"

# want STATUS PATTERN SIGNAL MS COMMAND...; so long after it can be caught
want() {
    status=$1
    pattern=$2
    signal=$3
    at=$4
    shift 4
    got=0
    "$send" "${signal}c" "$at" "$@" >out 2>&1 || got=$?
    [ "$got" = "$status" ] || fail "status $got, expected $status: $*"
    [ -z "$pattern" ] || grep -q -- "$pattern" out ||
        fail "no '$pattern': $*"
    no_litter .
}

cat >loop.lua <<'LUA'
local loom = require "warploom"
local what = loom.option { name = "what", default = "plain", doc = "Which" }
local n = 0
while true do
  if what == "plain" then n = n + 1 end
  if what == "pcall" then pcall(function() while true do n = n + 1 end end) end
end
LUA
for what in plain pcall; do
    for command in run check; do
        want 130 "interrupted by SIGINT" 2 500 \
            "$warploom" $command loop.lua --set what=$what
    done
done

cat >long.lua <<'LUA'
local loom = require "warploom"
loom.run { machine = loom.preset.tiny {},
           workload = loom.suite.gemm { n = 1024, m = 1024, k = 1024 },
           stats = { file = "x.h5" } }
LUA
# Nothing is told where it need not be, everything where it is asked for.
want 143 "interrupted by SIGTERM after" 15U 1000 "$warploom" run -q long.lua
grep -q '^warploom: gemm, [0-9,]* cycles, [0-9,]* warp instructions, [0-9.]* s, [0-9]* % of the kernel$' out ||
    fail "no answer to SIGUSR1"
want 129 "interrupted by SIGHUP after" 1 700 "$warploom" run long.lua
grep -q 'ended *interrupted' out || fail "no summary"
grep -q 'verified *no: interrupted by SIGHUP' out || fail "verified?"
want 143 "interrupted by SIGTERM after" 15U 1000 \
    "$warploom" run --functional long.lua --threads 2
grep -q '^warploom: gemm, ' out || fail "no answer to SIGUSR1"
# The launch that was under way took time, too.
grep -Eq 'speed +[0-9]{1,3}(,[0-9]{3}){4}' out && fail "speed without time"
want 143 "interrupted by SIGTERM after" 15 700 \
    "$warploom" run long.lua --threads 2
# The same SIGUSR1 changes no number.
cat >short.lua <<'LUA'
local loom = require "warploom"
loom.run { machine = loom.preset.tiny {}, stats = { file = "s.h5" },
           workload = loom.suite.gemm { n = 128, m = 128, k = 128 } }
LUA
"$warploom" run -q short.lua
digest=$("$warploom" stats --digest s.h5)
want 0 "" 10 150 "$warploom" run -q short.lua
[ "$("$warploom" stats --digest s.h5)" = "$digest" ] || fail "SIGUSR1 changes numbers"

# A kernel whose one CTA takes for ever, in both ways of running it.
cat >spin.ptx <<'PTX'
.version 7.0
.target sm_50
.address_size 64
.visible .entry spin(.param .u64 at)
{
    .reg .pred %p;
    .reg .b32 %r<3>;
    .reg .b64 %a;
    ld.param.u64 %a, [at];
    mov.u32 %r1, 0;
AGAIN:
    add.u32 %r1, %r1, 1;
    st.global.u32 [%a], %r1;
    setp.ne.u32 %p, %r1, 60000000;
    @%p bra AGAIN;
    ret;
}
PTX
cat >spin.lua <<'LUA'
local loom = require "warploom"
loom.run { machine = loom.preset.tiny {}, stats = { file = "x.h5" },
  workload = function(dev)
    local module = dev:module "spin.ptx"
    dev:launch(module.spin, { grid = 1, block = 1024, args = { dev:alloc(4) } })
  end }
LUA
for way in "" --functional; do
    want 143 "interrupted by SIGTERM" 15 700 "$warploom" run -q $way spin.lua
done

# A recording that is stopped is none, and says so.
want 143 "'r.wlt' is not written: the run did not come to its end" 15 700 \
    "$warploom" record long.lua -o r.wlt
[ ! -e r.wlt ] || fail "a part of a recording"

want 143 "workloads are verified, 0 failed" 15 700 \
    "$warploom" suite verify --size small
want 143 "measured" 15 700 "$warploom" suite measure --size small

# The papers: stopped, and gone on with.
want 130 "started again, papers goes on" 2g 1500 \
    "$warploom" papers two-level fig01 -o papers -j2 -q
echo "commands: ok"
