#!/bin/sh
# Fills a folder with what the compiler may know of branches: see CMakeLists.txt,
# LOOM_PROFILE, and docs/decisions/0026.
#
# usage: train.sh WARPLOOM FOLDER
#
# WARPLOOM was built with LOOM_PROFILE=make and writes its counts to FOLDER, the
# build's LOOM_PROFILE_RUNS.
set -eu
warploom=$1
folder=$2

rm -rf "$folder"
"$warploom" run "$(dirname "$0")/train.lua" --quiet
find "$folder" -name '*.gcda' | LC_ALL=C sort | xargs cat | sha256sum |
    cut -c 1-16 > "$folder/complete"
