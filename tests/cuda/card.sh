#!/bin/sh
# What `warploom record --card` writes, warploom-card does: here on a simulated
# GPU, by the driver's interface, where results must be the same.
#
# usage: card.sh WARPLOOM SOURCE_DIR WARPLOOM_CARD
set -eu
warploom=$1
source=$2
card=$3
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$out"
cat >record.lua <<'END'
local loom = require "warploom"
for _, workload in ipairs {
  loom.suite.atax { rows = 128, columns = 32 },
  loom.suite.bfs { nodes = 256 },
  loom.suite.cp { rows = 8, columns = 128, atoms = 8 },
} do
  loom.run { machine = loom.preset.tiny {}, workload = workload }
end
END
echo 'return require "warploom".preset.tiny {}' >machine.lua

fail() {
    cat text
    echo "FAILED: $1"
    exit 1
}
# play FILE: what warploom-card prints of it, in `text`.
play() {
    status=0
    "$warploom" cuda -q --functional -o x.h5 machine.lua -- "$card" "$1" 2 \
        >text 2>&1 || status=$?
}

"$warploom" record -q --card all.card record.lua >text || fail "no record"
play all.card
[ "$status" -eq 0 ] || fail "status $status"
[ "$(grep -c '^check,.*,0,0$' text)" -eq 3 ] || fail "results differ"
launches=$(grep -c '^launch,' text)
[ "$launches" -eq "$(grep -ac '^launch ' all.card)" ] || fail "launches"
grep -q '^launch,atax,.*,1,atax_columns,1x1x1,256x1x1,' text || fail "names"

# A result that is another is noticed: the last word that atax reads back.
sed '/^read .* f32 y$/{n;s/^/\x7f/;s/.\(\x00*\)$/\1/}' all.card >other.card
cmp -s all.card other.card && fail "nothing was changed"
play other.card
grep -q '^check,atax,.*,2,1,' text || fail "a difference is not noticed"

# So is a run that can't be done: the others are.
sed 's/^launch bfs_expand /launch bfs_expound /' all.card >unknown.card
play unknown.card
grep -q '^failed,bfs,.*a kernel of no module' text || fail "unknown kernel"

# Files that are damaged.
head -c 3000 all.card >short.card
play short.card
grep -q "warploom-card: the file ends in a command's data" text ||
    fail "a short file"
echo nonsense >nonsense.card
play nonsense.card
grep -q "the file is not of .warploom record --card" text || fail "nonsense"

# Nothing can be read back that was not executed.
if "$warploom" record -q --blind --card blind.card record.lua >text 2>&1; then
    fail "--blind reads back"
fi
[ ! -e blind.card ] || fail "a file is left"
# Options where they mean nothing.
"$warploom" run --card x.card record.lua >text 2>&1 && fail "run --card"
"$warploom" record --blind record.lua >text 2>&1 && fail "--blind alone"
echo "card: $launches launches, 3 runs compared, 7 mistakes"
