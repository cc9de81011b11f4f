#!/bin/sh
# How far the presets are from cards, and what each correction does: the h100
# with one of them taken out at a time.  FOLDER gets a CSV file of each card, of
# which
#   lua5.4 tests/validate/figures.lua FOLDER
# draws silicon.svg.
#   sh tests/silicon/silicon.sh WARPLOOM [FOLDER [PART [MOST [CARDS]]]]
# PART: every so-many-th case; all take an hour of a core, and each correction
# half of that.  MOST: work of the largest case.  With "3 70000 h100_sxm" all is
# done in some minutes.
set -eu
warploom=$1
out=${2:-silicon}
part=${3:-1}
most=${4:-3000000}
cards=${5:-h100_sxm h100_pcie h200}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
export WARPLOOM_PATH="$here"

compare() { # CARD CHANGE FILE
    "$warploom" --unsafe run -q "$here/compare.lua" --set card="$1" \
        --set change="$2" --set part="$part" --set most="$most" \
        --set out="$out/$3.csv"
}

for card in $cards; do
    echo "== $card"
    compare "$card" "" "$card"
done

without() { # NAME CHANGE
    printf '%-44s' "$1"
    compare h100_sxm "$2" without > "$out/without.txt"
    tail -n 1 "$out/without.txt"
}

echo "== h100_sxm, without"
without "the far partition" "g.noc:set { routing = loom.direct_route {} }"
without "launches that take time" \
    "g.launch_cycles, g.cta_cycles, g.warp_cycles = 0, 0, 0"
without "a compiler's schedule" "g.scheduled = false"
without "more than 8 and 4 accesses of an MSHR" "
    for i = 0, #g.sm - 1 do g.sm[i].l1d.mshr_merges = 8 end
    for i = 0, #g.l2 - 1 do g.l2[i].mshr_merges = 4 end"
without "L2 MSHRs beyond 192" "
    for i = 0, #g.l2 - 1 do g.l2[i].mshr_entries = 192 end"
without "copies that stay in the L2" "
    for i = 0, #g.l2 - 1 do g.l2[i].preload = false end"
without "32-byte bursts" "
    for i = 0, #g.dram - 1 do g.dram[i].burst_length = 8 end"
without "barriers heard one by one" "
    for i = 0, #g.sm - 1 do g.sm[i].barrier_interval = 0 end"
without "refreshes" '
    for i = 0, #g.dram - 1 do g.dram[i].trefi = 0 end'
without "larger copies that CUPTI evicts" '
    for i = 0, #g.l2 - 1 do g.l2[i].preload_most = "4GiB" end'
without "addresses of shared variables" '
    for i = 0, #g.sm - 1 do g.sm[i].special_latency = 2 end'
without "code that comes at a rate" '
    for i = 0, #g.sm - 1 do g.sm[i].l0i_sets = 0 end'
without "writes of 32 bytes a cycle" \
    "g.noc.request_flit_bytes = g.noc.flit_bytes"
without "memory instructions in turn" '
    for i = 0, #g.sm - 1 do g.sm[i].memory_in_turn = false end'
without "waiting for a copy from the far partition" \
    "g.noc:set { routing = loom.partition_route { fetch_cycles = 1 } }"
without "branches not taken, and lanes that meet" '
    for i = 0, #g.sm - 1 do
        g.sm[i].pass_cycles, g.sm[i].meet_cycles = 0, 0
    end'
without "results that take longer to some readers" '
    for i = 0, #g.sm - 1 do
        g.sm[i].cross_cycles, g.sm[i].far_cycles = 0, 0
        g.sm[i].guard_cycles = 0
    end'
