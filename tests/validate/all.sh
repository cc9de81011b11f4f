#!/bin/sh
# Measures everything that docs/validation.md shows, and writes its tables and
# the data of its figures (docs/validation/*.csv) again; ./setup.sh figures draws
# them.
#
# usage: all.sh WARPLOOM SOURCE_DIR GPGPUSIM_CSV [SEEDS]
#
# GPGPUSIM_CSV are the other simulator's measurements of the calibration
# programs.  SEEDS (default 1000) random machines are run.  Needs lua5.4; takes
# ten to thirty minutes on two cores.  With LOOM_KEEP=FOLDER what was measured is
# kept there, and what is there already is not measured again.  With
# LOOM_ONLY=gpgpusim only the comparison with GPGPU-Sim is measured and written
# (five minutes); or curve, micro, network, dram.
set -eu
warploom=$(realpath "$1")
root=$(realpath "$2")
csv=$(realpath "$3")
seeds=${4:-1000}
if ! command -v lua5.4 >/dev/null; then
    echo "all.sh needs lua5.4" >&2
    exit 1
fi
here=$root/tests/validate
work=${LOOM_KEEP:-}
if [ -z "$work" ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi
mkdir -p "$work"
cd "$root"
export WARPLOOM_PATH="$here:$root/tests/lua"

only=${LOOM_ONLY:-}

# Makes FILE by a command, unless it is there.
make_file() {
    file=$work/$1
    shift
    case $(basename "$file") in
    "$only"*) ;;
    *) return 0 ;;
    esac
    if [ ! -f "$file" ]; then
        echo "$(basename "$file") ..." >&2
        if ! "$@" >"$file.new"; then
            tail -n 5 "$file.new" >&2
            exit 1
        fi
        mv "$file.new" "$file"
    fi
}

matrix() {
    "$(dirname "$warploom")/tests/cache_matrix_test"
}
micro() {
    "$warploom" run -q --unsafe "$here/micro.lua" \
        --set csv="$work/part.csv" \
        >"$work/micro.log" || return 1
    cat "$work/part.csv"
}
curve() {
    "$warploom" run -q --unsafe "$here/curve.lua" \
        --set csv="$work/part.csv" \
        >"$work/curve.log" || return 1
    cat "$work/part.csv"
}
# With the other simulator's faults and noise, and as the presets are.
gpgpusim() {
    "$warploom" run -q --allow "$work" --allow "$(dirname "$csv")" \
        "$here/gpgpusim.lua" --set config=all --set csv="$csv" "$@" \
        --set out="$work/part.csv" >"$work/gpgpusim.log" || return 1
    cat "$work/part.csv"
}
network() {
    for what in zero booksim load near closed delivery; do
        full=true
        # A million cycles of each are delivery.sh's.
        if [ $what = delivery ]; then
            full=false
        fi
        "$warploom" run -q --allow "$work" "$here/network.lua" --set only=$what \
            --set full="$full" --set csv="$work/part.csv" >"$work/network.log"
        if [ $what = zero ]; then
            cat "$work/part.csv"
        else
            sed 1d "$work/part.csv"
        fi
    done
}

make_file network.csv network
make_file micro.csv micro
make_file curve.csv curve
make_file gpgpusim.csv gpgpusim --set faults=true --set variants=8
make_file gpgpusim_plain.csv gpgpusim
make_file matrix.txt matrix
make_file invalid.txt "$warploom" --unsafe -q run "$here/invalid.lua" \
    --set count=20
make_file random.txt "$warploom" --unsafe -q run "$here/random.lua" \
    --set count="$seeds" --set threads=false
make_file threads.txt sh "$here/threads.sh" "$warploom" "$root"
lua5.4 "$here/validation.lua" "$work" docs/validation.md
case $only in
'' | dram)
    sh "$here/dram_all.sh" "$warploom" \
        "$(dirname "$warploom")/tests/dram_check" "$root"
    ;;
esac
echo "docs/validation.md and docs/validation/*.csv are written;" \
    "./setup.sh figures draws them"
