#!/bin/sh
# The Python module: totals, ratios, instances, patterns, frames of a run.
# usage: helper.sh PROGRAM SOURCE_DIR
set -eu
program=$1 root=$2
python=python3
[ -x /usr/bin/python3 ] && python=/usr/bin/python3
if ! "$python" -c "import h5py, pandas, xarray" 2>/dev/null; then
    echo "SKIPPED: no Python with h5py, pandas and xarray here"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export PYTHONPATH="$root/stats/python" PYTHONDONTWRITEBYTECODE=1
"$program" -q "$root/tests/lua/looking_runs.lua" -o one.h5
"$python" "$root/tests/look/helper.py" "$program" "$work/one.h5"
"$python" "$root/stats/python/warploom.py" one.h5 "**.l1d.misses" |
    grep -q "gpu.sm.l1d.misses .* request "
