#!/bin/sh
# Damaged results files: wrong bytes, and wrong structure where there is h5py.
# usage: damaged.sh PROGRAM ROOT [COUNT]
set -eu
program=$1 root=$2 count=${3:-5}
export WARPLOOM_PATH="$root/tests/lua"
"$program" --unsafe "$root/tests/look/damaged.lua" "$program" \
    "$root/tests/lua" "$count"
python=python3
[ -x /usr/bin/python3 ] && python=/usr/bin/python3
if ! "$python" -c "import h5py" 2>/dev/null; then
    echo "SKIPPED: wrong structures: no Python with h5py here"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$program" -q "$root/tests/lua/looking_runs.lua" -o one.h5
"$program" -q "$root/tests/lua/looking_runs.lua" --set size=8KiB -o two.h5
"$program" merge -q one.h5 two.h5 -o both.h5
"$python" -B "$root/tests/look/structure.py" "$program" "$work" $((3 * count / 2))
