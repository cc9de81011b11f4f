#!/bin/sh
# Every two policies of the build on one machine (compose.lua).
# usage: compose.sh WARPLOOM SOURCE_DIR [full]
set -eu
warploom=$1
root=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$warploom" record --quiet "$root/tests/kit/compose_five.lua" -o "$work/five.wlt"
WARPLOOM_PATH="$root/tests/lua" "$warploom" --unsafe \
    "$root/tests/kit/compose.lua" "$work/five.wlt" "${3:-}"
