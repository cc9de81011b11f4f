#!/bin/sh
# What commands print with --json.
#
# usage: records.sh WARPLOOM SOURCE_DIR
set -eu
warploom=$(realpath "$1")
root=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 "$root/tests/look/records.py" "$warploom" "$root/examples/quickstart.lua" \
    "$root/workloads/suite"
