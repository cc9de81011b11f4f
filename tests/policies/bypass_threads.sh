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
for threads in 2 4; do
    more=$("$1" run -q "$script" --threads $threads)
    if [ "$one" != "$more" ]; then
        echo "with $threads threads:"
        echo "$more"
        exit 1
    fi
done
