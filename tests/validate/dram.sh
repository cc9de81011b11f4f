#!/bin/sh
# Logs of DRAM channels of every timing set, with every policy, under random and
# adversarial traffic: an independent checker finds nothing, keeps finding every
# rule kept exactly somewhere (a channel that is too slow is wrong, too), and
# finds what is wrong in damaged copies.
#
# usage: dram.sh WARPLOOM DRAM_CHECK SOURCE_DIR [REQUESTS [SETS]]
#
# REQUESTS of each of 50 runs; 1500 make 300,000 commands.
set -eu
warploom=$1
check=$2
here=$3/tests/validate
requests=${4:-1500}
sets=${5:-gtx480 gddr5 gddr5x gddr6 gddr6x gddr6_faw hbm hbm2 hbm2_pseudo}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export WARPLOOM_PATH="$here"
total=0
logs=0

# check NAME LOG COMMANDS SET: a log against the rules.
check() {
    # shellcheck disable=SC2086
    if ! "$check" "$here/dram_rules.csv" "$4" $shape <"$2" >"$work/report"; then
        echo "$1:"
        grep -v '^rule' "$work/report"
        exit 1
    fi
    if ! grep -q "^$3 commands" "$work/report"; then
        echo "$1: $3 commands, but $(tail -n 1 "$work/report")"
        exit 1
    fi
    cat "$work/report" >>"$work/$4.reports"
    total=$((total + $3))
    logs=$((logs + 1))
}

# damage SET: mistakes in copies of the last log.
damage() {
    # shellcheck disable=SC2086
    lua5.4 "$here/dram_damage.lua" "$work/log.csv" "$check" \
        "$here/dram_rules.csv" "$1" $shape
}

# log SET VARIANT PATTERN ARRIVAL: one run and its check.
log() {
    "$warploom" run -q --allow "$work" "$here/dram_log.lua" \
        --set set="$1" --set variant="$2" \
        --set pattern="$3" --set arrival="$4" --set count="$requests" \
        --set seed=$((logs + 1)) --set out="$work/log.csv" >"$work/run"
    shape=$(sed -n 's/^shape //p' "$work/run")
    commands=$(sed -n 's/^commands //p' "$work/run")
    check "$1, $2, $3, $4" "$work/log.csv" "$commands" "$1"
}

for set in $sets; do
    log "$set" open mixed closed
    log "$set" open random bernoulli
    log "$set" closed mixed closed
    log "$set" late mixed spaced
    log "$set" drain mixed closed
    log "$set" fcfs mixed closed
    log "$set" long mixed closed
    log "$set" dramsim3 mixed closed
    log "$set" ramulator mixed closed
    log "$set" ramulator1 mixed closed
    case $set in
    gtx480 | gddr5*) ;; # no refresh of single banks
    *)
        # Refreshes are rare.
        requests=$((requests * 4))
        log "$set" bank mixed closed
        log "$set" capped random closed
        requests=$((requests / 4))
        ;;
    esac
    # Rules that were never kept exactly; refreshes come when they are due.
    awk '/^rule/ && !/_most/ && !/_often/ && !/REFB? REFB? / {
            key = $2 " " $3 " " $4 " " $5 " " $6
            seen[key] += $8 > 0
        }
        END { for (key in seen) if (!seen[key]) { print key; bad = 1 }
              exit bad }' "$work/$set.reports" >"$work/loose" || {
        echo "$set: never kept exactly:"
        cat "$work/loose"
        exit 1
    }
    # Damaged copies of a short log.
    kept=$requests
    requests=600
    log "$set" open mixed closed
    damage "$set"
    case $set in
    gtx480 | gddr5*) ;;
    *)
        log "$set" bank mixed closed
        damage "$set"
        ;;
    esac
    requests=$kept
done

# Both channels of a device.
"$warploom" run -q --allow "$work" "$here/dram_log.lua" --set set=gddr6 \
    --set variant=bank --set channels=2 --set count="$requests" \
    --set out="$work/log.csv" >"$work/run"
shape=$(sed -n 's/^shape //p' "$work/run")
for number in 0 1; do
    file=$work/log.csv
    [ $number = 0 ] || file=$file.1
    commands=$(sed -n "s/^commands$number //p" "$work/run")
    check "gddr6, channel $number" "$file" "$commands" gddr6
done
if cmp -s "$work/log.csv" "$work/log.csv.1"; then
    echo "gddr6: both channels have the same log"
    exit 1
fi
echo "$logs logs, $total commands, no violation"
