#!/bin/sh
# Every ratio in every window, by every reader.  usage: ratios.sh PROGRAM ROOT
set -eu
program=$1 root=$2
python=python3
[ -x /usr/bin/python3 ] && python=/usr/bin/python3
if ! "$python" -c "import h5py" 2>/dev/null; then
    echo "SKIPPED: no Python with h5py here"
    exit 77
fi
if ! command -v sqlite3 >/dev/null 2>&1; then
    echo "SKIPPED: there is no sqlite3 here"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PYTHONPATH="$root/python" PYTHONDONTWRITEBYTECODE=1
export WARPLOOM_PATH="$root/tests/lua"
report=report
if ! "$program" doctor | grep -q "^ok *charts"; then
    echo "SKIPPED: reports: no Vega-Lite here (./setup.sh charts)"
    report=
fi
"$python" "$root/tests/look/ratios.py" "$program" "$root" "$work" $report
