#!/bin/sh
# A disk that is full after so many bytes: runs on a small file system in
# memory, where this may be mounted, and runs with a limit on the size of
# files, of twenty sizes each.  A run says what it could not write and ends
# with status 5; what is there can be read.
#
# usage: full.sh WARPLOOM FOLDER
set -eu
warploom=$1
here=$2
work=$(mktemp -d)
mounted=
trap '[ -z "$mounted" ] || umount "$work/disk"; rm -rf "$work"' EXIT
cd "$work"
mkdir disk
fail() { echo "full: $*"; cat err; exit 1; }

"$warploom" run "$here/long.lua" --quiet -o whole.h5
size=$(stat -c %s whole.h5)
digest=$("$warploom" stats whole.h5 --digest)
full=0
partial=0

# judge NAME STATUS FOLDER
judge() {
    if [ "$2" = 0 ]; then
        [ "$("$warploom" stats "$3/x.h5" --digest)" = "$digest" ] ||
            fail "$1: status 0 with other results"
        return
    fi
    full=$((full + 1))
    [ "$2" = 5 ] || fail "$1: status $2"
    grep -q "cannot write .*\(No space left\|too large\)" err ||
        fail "$1: not a word of the disk"
    # A run that had to stop may still have had room for how it ended.
    if [ -e "$3/x.h5" ]; then
        "$warploom" stats "$3/x.h5" --check >out || fail "$1: a broken file"
        "$warploom" stats "$3/x.h5" | grep -q ": error, snapshot" ||
            fail "$1: a file that claims to be complete"
    fi
    if [ -e "$3/x.h5.partial" ]; then
        partial=$((partial + 1))
        "$warploom" stats "$3/x.h5.partial" --check >out ||
            fail "$1: what was written cannot be read"
    fi
}

for n in $(seq 1 20); do
    rm -f disk/*
    status=0
    (ulimit -f $((size * n / 18 / 512)) # blocks of 512 bytes
     exec "$warploom" run "$here/long.lua" --quiet -o disk/x.h5) >out 2>err ||
        status=$?
    judge "limit $n" $status disk
done
[ $full -ge 10 ] && [ $full -lt 20 ] || fail "$full of 20 were limited"
echo "20 limits: $full failed as they should, $partial with a file in progress"

if ! mount -t tmpfs -o size=64k none disk 2>/dev/null; then
    echo "SKIPPED: a disk in memory (no right to mount one)"
    exit 0
fi
mounted=yes
full=0
partial=0
for n in $(seq 1 20); do
    rm -f disk/*
    # Twice the size is enough for a file in progress and the end's.
    mount -o "remount,size=$((size * n / 9 / 4096 * 4096 + 4096))" disk
    status=0
    "$warploom" run "$here/long.lua" --quiet -o disk/x.h5 >out 2>err ||
        status=$?
    judge "disk $n" $status disk
done
[ $full -ge 5 ] && [ $full -lt 20 ] || fail "$full of 20 disks were full"
echo "20 disks: $full failed as they should, $partial with a file in progress"
