#!/bin/sh
# Fills a folder with what the compiler may know of branches: see CMakeLists.txt,
# LOOM_PROFILE, and docs/decisions/0026.
#
# usage: train.sh WARPLOOM FOLDER
#
# WARPLOOM was built with LOOM_PROFILE=make and writes its counts to FOLDER, the
# build's LOOM_PROFILE_RUNS.  If its compiler could not count, there are none, and
# the next build goes without.
set -eu
warploom=$1
folder=$2

rm -rf "$folder"
mkdir -p "$folder"
"$warploom" run "$(dirname "$0")/train.lua" --quiet
find "$folder" -name '*.gcda' -print0 | LC_ALL=C sort -z | xargs -0 -r cat |
    sha256sum | cut -c 1-16 > "$folder/complete"
