#!/bin/sh
# Axes have names that say what is along them, and tables by load say which load
# a row is, whatever policy has them: read back by h5py and by our package.
# usage: loads.sh PROGRAM SOURCE_DIR
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
mkdir axes
(cd axes && "$program" --unsafe run -q "$root/tests/look/loads.lua" "$root")
"$program" --unsafe run -q "$root/tests/look/loads.lua" --set what=loads "$root"
"$python" "$root/tests/look/loads.py" axes "$root/workloads/suite" ./*_loads.h5
