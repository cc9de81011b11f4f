#!/bin/sh
# Measures what docs/validation.md says about DRAM channels, with ten million
# commands for the checker, and writes that part of the page and the data of its
# figure again.
#
# usage: dram_all.sh WARPLOOM DRAM_CHECK SOURCE_DIR
set -eu
warploom=$(realpath "$1")
check=$(realpath "$2")
root=$(realpath "$3")
here=$root/tests/validate
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$root"
WARPLOOM_PATH="$here" "$warploom" run -q --allow "$work" "$here/dram_reference.lua" \
    --set root="$root" --set configs=all --set csv="$work/dram.csv"
sh "$here/dram.sh" "$warploom" "$check" "$root" 60000 >"$work/rules"
tail -n 1 "$work/rules" >"$work/dram_rules.txt"
lua5.4 "$here/dram_page.lua" "$work" docs/validation.md
