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
export PYTHONPATH="$root/python" PYTHONDONTWRITEBYTECODE=1
"$program" -q "$root/tests/lua/looking_runs.lua" -o one.h5
"$python" "$root/tests/look/helper.py" "$program" "$work/one.h5"
"$python" -m warploom one.h5 "**.l1d.misses" |
    grep -q "gpu.sm.l1d.misses .* request "

# Trees, loads, errors of a sampled run, sweeps, what notebooks show.
"$program" -q "$root/tests/look/package.lua" --profile --set what=loads \
    -o loads.h5
"$program" -q "$root/tests/look/package.lua" --sample --set what=sampled \
    -o sampled.h5
"$program" sweep -q "$root/tests/look/package_sweep.lua" -j 1 -o swept
"$python" "$root/tests/look/package.py" loads.h5 sampled.h5 swept/results.h5
if "$python" -m mypy --version >/dev/null 2>&1; then
    # Those of xarray and pandas take five times as long.
    follow=skip
    [ -z "${LOOM_ALL:-}" ] || follow=normal
    (cd "$root/python" && "$python" -m mypy --strict --no-error-summary \
        --ignore-missing-imports --cache-dir="$work/mypy" \
        --follow-imports="$follow" warploom)
else
    echo "types are not checked: no mypy here"
fi
