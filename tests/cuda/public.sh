#!/bin/sh
# Public CUDA programs, from wherever they are: builds them with nvcc and runs
# them on a simulated GPU, without timing.  Prints a table; the programs are
# those of public.txt.
#
# usage: public.sh DIR [NAME]...
#
# DIR holds the suites as they are cloned, or some of them: cuda-samples,
# gpu-rodinia, polybenchGpu, HeCBench, llm.c, multi-gpu-programming-models.  NAME: a suite, or a program; all
# that are there.  What the table needs of the surroundings:
#
#   WARPLOOM   the program, else build/release/warploom, else that of $PATH
#   NVCC       else that of $PATH or /usr/local/cuda/bin
#   NVCC_FLAGS are added to those of each program, such as -cudart shared
#   MACHINE    a script, else the preset h100
#   SECONDS_EACH   that a program may take: 300
#   KEEP       a folder for what is built and printed, else none is kept
#
# Ends with 1 if a program that is there is not built, does not run to its end
# or is not right; with 77 if none is there, or no nvcc.
set -u
[ $# -ge 1 ] && [ -d "$1" ] || {
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0"
    exit 2
}
root=$(cd "$1" && pwd)
shift
here=$(cd "$(dirname "$0")" && pwd)
table=${TABLE:-$here/public.txt}
warploom=${WARPLOOM:-$here/../../build/release/warploom}
[ -x "$warploom" ] || warploom=$(command -v warploom) || {
    echo "no warploom: build it, or name it in \$WARPLOOM"
    exit 2
}
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
command -v "$nvcc" >/dev/null || {
    echo "SKIPPED: no nvcc ($nvcc), which builds the programs"
    exit 77
}
# shellcheck disable=SC2034 # the table names it
stubs=$(dirname "$(command -v "$nvcc")")/../lib64/stubs
limit=${SECONDS_EACH:-300}
work=${KEEP:-$(mktemp -d)}
mkdir -p "$work"
work=$(cd "$work" && pwd)
[ -n "${KEEP:-}" ] || trap 'rm -rf "$work"' EXIT
sizes=$work/sizes.h
printf '#include <cuda.h>\n#define N SIZE\n' >"$sizes"
if [ -n "${MACHINE:-}" ]; then
    machine=$(cd "$(dirname "$MACHINE")" && pwd)/$(basename "$MACHINE")
else
    # Some of them read beyond their allocations, which hardware lets be.
    machine=$work/machine.lua
    cat >"$machine" <<'LUA'
local loom = require "warploom"
loom.run { machine = loom.preset.h100 {}, out_of_bounds = "zero" }
LUA
fi

# The folder of a suite, or nothing.
folder_of() {
    for name in $(sed -n "s/^suite $1 = //p" "$table"); do
        if [ -d "$root/$name" ]; then
            echo "$root/$name"
            return
        fi
    done
}

wanted() { # SUITE PROGRAM NAME...
    [ $# -gt 2 ] || return 0
    one=$1
    two=$2
    shift 2
    for name in "$@"; do
        [ "$name" != "$one" ] && [ "$name" != "$two" ] || return 0
    done
    return 1
}

row() {
    printf '%-13s %-24s %-6s %-8s %-8s %7s  %s\n' "$@"
}

# one SUITE PROGRAM FOLDER SOURCES FLAGS ARGUMENTS CHECK OPTIONS: a row.
one() {
    # shellcheck disable=SC2034 # the table names them
    suite=$root_of_suite out=$work/$1.$2
    mkdir -p "$out"
    before=$(date +%s)
    took() { echo "$(($(date +%s) - before)) s"; }
    if [ ! -d "$suite/$3" ]; then
        row "$1" "$2" - - - - "there is no $3"
        return 2
    fi
    cd "$suite/$3" || return 1
    for word in $(eval "echo \"$6\""); do
        case $word in
        "$suite"/*) [ -e "$word" ] || {
            row "$1" "$2" - - - - "there is no ${word#"$suite"/}"
            return 2
        } ;;
        esac
    done
    # shellcheck disable=SC2086 # words
    if ! eval "\"\$nvcc\" -w $5 ${NVCC_FLAGS:-} -o \"\$out/program\" $4" \
        >"$out/build" 2>&1; then
        row "$1" "$2" no - - "$(took)" "$(grep -m1 -i error "$out/build")"
        return 1
    fi
    status=0
    eval "timeout \"\$limit\" \"\$warploom\" cuda \"\$machine\" --functional $8 \
        --quiet -o \"\$out/results.h5\" -- \"\$out/program\" $6" \
        >"$out/text" 2>&1 </dev/null || status=$?
    if [ "$status" -eq 124 ]; then
        row "$1" "$2" yes "too long" - "$(took)" "more than $limit s"
        return 1
    elif [ "$status" -ne 0 ]; then
        row "$1" "$2" yes "$status" - "$(took)" \
            "$(grep -a -i -m1 'warploom: \|error' "$out/text" | cut -c1-200)"
        return 1
    elif [ "$7" = exit ]; then
        row "$1" "$2" yes yes exit "$(took)" ""
    elif grep -a -q -- "$7" "$out/text"; then
        row "$1" "$2" yes yes yes "$(took)" ""
    else
        row "$1" "$2" yes yes NO "$(took)" "it did not print '$7'"
        return 1
    fi
}

row suite program built ran checked time "what is wrong"
there=0 right=0 missing=
for suite_name in $(sed -n 's/^suite \([^ ]*\) = .*/\1/p' "$table"); do
    root_of_suite=$(folder_of "$suite_name")
    if [ -z "$root_of_suite" ]; then
        missing="$missing $suite_name"
        continue
    fi
    grep "^$suite_name |" "$table" >"$work/rows"
    while IFS='|' read -r a b c d e f g h; do
        set_words() { # without the spaces around
            echo "$1" | sed 's/^ *//; s/ *$//'
        }
        a=$(set_words "$a") b=$(set_words "$b")
        wanted "$a" "$b" "$@" || continue
        result=0
        one "$a" "$b" "$(set_words "$c")" "$(set_words "$d")" \
            "$(set_words "$e")" "$(set_words "$f")" "$(set_words "$g")" \
            "$(set_words "$h")" || result=$?
        [ "$result" -eq 2 ] || there=$((there + 1))
        [ "$result" -ne 0 ] || right=$((right + 1))
    done <"$work/rows"
done
for name in $missing; do
    echo "not there: $name, in none of the folders $(sed -n "s/^suite $name = //p" \
        "$table") of $root"
done
[ "$there" -gt 0 ] || exit 77
echo "$right of $there programs are right"
[ "$right" -eq "$there" ]
