#!/bin/sh
# What the techniques decide is there as a series over time, and changes as it
# must.
#
# usage: modes.sh WARPLOOM SOURCE_DIR
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$1" run -q "$2/tests/policies/modes.lua" > printed
cat printed

# Prints the values of a statistic, one a line.
series() {
    h5dump -A 0 -y -w 0 -d "/series/modes/gpu/sm/l1d/policy/$1/$2" "$1.h5" |
        awk '/DATA \{/ { on = 1; next } /\}/ { on = 0 } on' | tr -d ' ' |
        tr ',' '\n' | sed '/^$/d'
}

# Either samples or bypasses, 500 cycles each: 3 or 4 samples of 100 ns (the
# last turn may be shorter), and as many turns as changes were counted.
series two_level sampling > sampling
series two_level bypassing > bypassing
paste sampling bypassing | awk -v changes="$(awk '/^two/ { print $2 }' printed)" '
    $1 + $2 != 1 { print "neither or both in sample " NR; exit 1 }
    NR > 1 && $1 != was {
        turns++
        if (NR > 4 && (length_ < 3 || length_ > 4)) {
            print "a turn of " length_ " samples before " NR; exit 1
        }
        length_ = 0
    }
    { was = $1; length_++ }
    END {
        print "two_level: " turns " turns, " changes " changes"
        if (turns < 10 || turns > changes || turns < changes - 1) exit 1
    }'

# Nothing is known of the loads at first; then one goes around and one is
# protected to the end of the launch. Lines are protected for a while only.
for name in loads_bypass loads_protect; do
    series apcm "$name" | awk -v name="$name" '
        NR == 1 && $1 != 0 { print name " begins with " $1; exit 1 }
        NR > 1 && $1 < was { print name " falls in sample " NR; exit 1 }
        { was = $1 }
        END { print "apcm: " name " ends with " was; if (was != 1) exit 1 }'
done
series apcm protected_lines | awk '
    $1 > most { most = $1 }
    END {
        print "apcm: " most " lines are protected at most, " $1 " at the end"
        if (most == 0 || $1 >= most) exit 1
    }'

# FCW moves by one for each change that was counted.
series dacache fcw | awk -v raised="$(awk '/^dac/ { print $2 }' printed)" \
    -v lowered="$(awk '/^dac/ { print $3 }' printed)" '
    NR == 1 && $1 != 4 { print "FCW begins with " $1; exit 1 }
    NR > 1 && $1 != was { moves++; sum += $1 > was ? $1 - was : was - $1 }
    { was = $1 }
    END {
        print "dacache: FCW moves " moves " times, to " was
        if (moves == 0 || sum > raised + lowered ||
            was != 4 + raised - lowered) exit 1
    }'
