#!/bin/sh
# Checkpoints of CUDA programs: whatever is beside the kernels (streams, copies,
# graphs, pinned and managed memory), a run that goes on has the bits of the run
# that was not interrupted; where there cannot be a checkpoint, that is said.
#
# usage: checkpoint.sh WARPLOOM SOURCE_DIR API_TEST [SANITIZED]
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

digest() { sed -n 's/^ *state digest *//p' "$1"; }
run() {
    "$warploom" cuda "$here/machine.lua" --set link="$link" --set sms="$sms" "$@"
}

# Saved after N launches, and gone on.  Few SMs, but for programs that want a
# kernel to be as short as a copy.
case_of() {
    rm -f c.wlc
    case $1 in
    *overlap) sms=15 ;;
    *) sms=2 ;;
    esac
    run -o a.h5 -- "$program" "$1" >plain 2>&1 || fail "$1: $(cat plain)"
    run -o a.h5 --checkpoint "c.wlc,after=$2" -- "$program" "$1" >saved 2>&1 ||
        fail "$1: $(cat saved)"
    [ -f c.wlc ] || fail "$1: no checkpoint: $(cat saved)"
    run -o b.h5 --resume c.wlc -- "$program" "$1" >gone 2>&1 ||
        fail "$1: $(cat gone)"
    [ -n "$(digest plain)" ] || fail "$1: no digest"
    [ "$(digest saved)" = "$(digest plain)" ] ||
        fail "$1, link=$link: saving changes the run"
    [ "$(digest gone)" = "$(digest plain)" ] ||
        fail "$1, link=$link: another digest when it has gone on"
}

case ${4:-} in
*thread*)
    echo "SKIPPED with a thread sanitizer: it leaves no place for machines"
    exit 77
    ;;
esac
shared="managed overlap graph_overlap"
if [ -n "${4:-}" ]; then
    echo "SKIPPED with sanitizers: managed, overlap, graph_overlap: they have"
    echo "their own data where memory is mapped"
    shared=
fi
link=false # copies take no time
for name in basic async graph; do
    case_of $name 1
done
link=true
for name in basic cooperative print pitch texture shared cube capture graph \
    graph_nodes async $shared; do
    case_of $name 1
done
case_of async 4
case_of pitch 6
case_of graph 3

sms=2
# Kernels that read the time: the past would be another one.
rm -f c.wlc
run -o a.h5 --checkpoint c.wlc,after=1 -- "$program" clock >text 2>&1 ||
    fail "clock"
[ ! -f c.wlc ] || fail "a checkpoint of a program that reads the time"
grep -q "no checkpoint was written: 'spin' reads the time" text ||
    fail "no word of the time: $(cat text)"

# Another program.
link=false
run -o a.h5 --checkpoint c.wlc,after=2 -- "$program" basic >text 2>&1
want 1 "the program does something else than before the checkpoint" \
    run -o b.h5 --resume c.wlc -- "$program" pitch
echo "all is as it should be"
