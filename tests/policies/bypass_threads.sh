#!/bin/sh
# Techniques together give the same bits on any number of threads, and keep
# all laws.
#
# usage: bypass_threads.sh WARPLOOM SOURCE_DIR [SCRIPT]
set -eu
export WARPLOOM_PACE=change
script=$2/tests/policies/${3:-bypass_threads}.lua
one=$("$1" run -q "$script" --threads 1)
echo "$one"
# Three have different numbers of SMs; a fourth would mostly wait where there are
# two processors.
more=$("$1" run -q "$script" --threads 3)
if [ "$one" != "$more" ]; then
    echo "with three threads:"
    echo "$more"
    exit 1
fi
