#!/bin/sh
# usage: preset.sh WARPLOOM SCRIPT PRESET PROGRAMS
set -eu
work=$(mktemp)
trap 'rm -f "$work"' EXIT
"$1" check "$2" --set "preset=$3" --set "programs=vectoradd" >"$work" 2>&1 ||
    { cat "$work"; exit 1; }
if grep -E 'warning|error' "$work"; then
    echo "check has something to say"
    exit 1
fi
"$1" info "$3" | grep -q "sm_count"
"$1" run --quiet "$2" --set "preset=$3" --set "programs=$4"
