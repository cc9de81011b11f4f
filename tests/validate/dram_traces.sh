#!/bin/sh
# Legal logs of other simulators pass the checker with their own table of rules,
# damaged copies of them do not.
#
# usage: dram_traces.sh DRAM_CHECK SOURCE_DIR
#
# The logs lie beside the source tree, in ../shared/reference/dram; without them
# the test is skipped (status 77).
set -eu
check=$1
here=$2/tests/validate
logs=$2/../shared/reference/dram
if [ ! -f "$logs/traces/INDEX.csv" ]; then
    echo "SKIPPED: there is no $logs/traces"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0
for file in "$logs"/traces/*.cmd.csv.gz; do
    name=$(basename "$file" .cmd.csv.gz)
    config=${name%%__*}
    case $config in
    *gtx480*) config=gtx480_noref shape="4 4 1 1" ;;
    d3_gddr5_8gb*) config=${config#d3_} shape="1 16 1 1" ;;
    d3_hbm2_8gb*) config=${config#d3_} shape="4 4 2 1" ;;
    r2m_hbm2_8gb_ref*) config=hbm2_8gb_ref shape="4 4 2 1" ;;
    *)
        echo "$name: no rules for it"
        exit 1
        ;;
    esac
    gzip -dc "$file" >"$work/$name"
    # shellcheck disable=SC2086
    lua5.4 "$here/dram_damage.lua" "$work/$name" "$check" \
        "$logs/timing_rules.csv" "$config" $shape
    count=$((count + 1))
done
echo "$count logs"
