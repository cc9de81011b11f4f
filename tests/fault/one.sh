#!/bin/sh
# One command with one failing call; prints a line if it did what no program
# should, after a failure or without: end by a signal, hang, say nothing, or
# claim success with results that differ.
#
# usage: one.sh WHAT ORDER, with $LOOM_WARPLOOM, $LOOM_FAULT_LIBRARY and
# $LOOM_FAULT_FOLDER, in which ref/WHAT has what an undisturbed one leaves.
# ORDER may be reference, to make that, or command, to print WHAT's words.
set -u
what=$1
order=$2
base=$LOOM_FAULT_FOLDER
work=$(mktemp -d "$base/t.XXXXXX")
cd "$work"

fail() {
    echo "$what $order: $*"
    sed 's/^/    /' err | head -3
}

# What is in a results file, but for times and names of its making.
contents() {
    "$LOOM_WARPLOOM" stats "$1" --digest 2>&1
    h5dump "$1" | awk '
        NR == 1 { next }
        /ATTRIBUTE "(run_id|created|wall_s|kips|cwd)" \{/ { skip = 1 }
        !skip { sub(/DATASET [0-9]+ "/, "DATASET \""); print }
        skip && /^ *\}$/ { if (++closed == 2) { skip = 0; closed = 0 } }
        skip && /DATASPACE.*\}$|DATATYPE.*\}$/ { next }'
}

# Has FILE the bytes of the first REFERENCE, but where references differ (times
# and names)?  That is soon seen; the contents are compared if not.
same_bytes() {
    cmp -l "$1" "$2.first" 2>&1 | awk -v mask="$2.mask" '
        BEGIN { while ((getline at <mask) > 0) free[at] = 1 }
        !($1 in free) { other = 1; exit }
        END { exit other }'
}

# A reference, made several times.
keep() {
    if [ -e "$2.first" ]; then
        cmp -l "$1" "$2.first" 2>/dev/null | awk '{ print $1 }' >>"$2.mask"
        return
    fi
    mkdir -p "$(dirname "$2")"
    cp "$1" "$2.first"
    : >"$2.mask"
    case $1 in
    *.h5) contents "$1" >"$2" ;;
    *) cp "$1" "$2" ;;
    esac
}

# The same contents in other bytes: if they are few they are of the times and
# names, which all references had in common by chance (the hour).
learn() {
    cmp -l "$1" "$2.first" >differ 2>&1 || true
    if [ "$(wc -l <differ)" -lt 256 ] && ! grep -q EOF differ; then
        awk '{ print $1 }' differ >>"$2.mask"
    fi
}

command_of() {
    case $1 in
    run) echo run "$base/run.lua" --quiet -o r.h5 ;;
    merge) echo merge "$base/a.h5" "$base/b.h5" --quiet -o m.h5 ;;
    csv) echo export "$base/a.h5" --quiet -o x.csv ;;
    plot) echo plot "$base/a.h5" "$LOOM_FAULT_STAT" --quiet -o p.json ;;
    graph) echo graph "$base/run.lua" -o g.dot ;;
    sweep) echo sweep "$base/sweep.lua" -j1 --quiet -o d ;;
    record) echo run "$base/run.lua" --functional --quiet --record x.wlt ;;
    esac
}

if [ "$order" = command ]; then
    echo "$what $(command_of "$what")"
    cd "$base"
    rm -rf "$work"
    exit 0
fi

LD_PRELOAD=$LOOM_FAULT_LIBRARY LOOM_FAULT=$order timeout -k 5 300 \
    "$LOOM_WARPLOOM" $(command_of "$what") >out 2>err </dev/null
status=$?
# Of a sweep what its merge gives; the rest are notes with times.
files="r.h5 m.h5 x.csv p.json g.dot d/results.h5 d/results.csv"
if [ "$order" = reference ]; then
    for file in $files; do
        [ ! -e "$file" ] || keep "$file" "$base/ref/$what/$file"
    done
    [ $status = 0 ] && [ -d "$base/ref/$what" ] || fail "status $status"
elif [ $status -ge 128 ] || [ $status = 124 ]; then
    fail "status $status"
elif [ $status != 0 ] && [ ! -s err ]; then
    fail "status $status and not a word"
elif grep -q 'HDF5 cannot go on' err && [ "$what" = csv ] &&
    ! grep -q "a\.h5'" err; then
    fail "does not say what it read"
elif [ $status = 0 ]; then
    for file in $(cd "$base/ref/$what" &&
        find . -type f ! -name '*.first' ! -name '*.mask'); do
        [ ! -e "$file" ] || ! same_bytes "$file" "$base/ref/$what/$file" ||
            continue
        case $file in
        *.h5) contents "$file" >now 2>/dev/null ;;
        *) cp "$file" now 2>/dev/null ;;
        esac
        if cmp -s now "$base/ref/$what/$file"; then
            learn "$file" "$base/ref/$what/$file"
        else
            fail "status 0, another $file"
        fi
    done
else
    # What is there is whole.
    for file in r.h5 r.h5.partial m.h5; do
        [ ! -e $file ] || "$LOOM_WARPLOOM" stats $file --check >now 2>&1 ||
            fail "status $status, and $file cannot be read"
    done
fi
cd "$base"
rm -rf "$work"
