#!/bin/sh
# The commands around recordings: names of files, listings, streams, and what
# is said about files that are missing, damaged or cut off.
#
# usage: commands.sh WARPLOOM FOLDER
set -eu
warploom=$1
here=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# What a command prints, and its status; `want STATUS TEXT COMMAND...`.
want() {
    status=$1
    text=$2
    shift 2
    found=0
    "$@" >out 2>&1 || found=$?
    if [ "$found" -ne "$status" ] || ! grep -Fq -- "$text" out; then
        echo "$*: status $found, expected $status and '$text' in:"
        cat out
        exit 1
    fi
}

# The file is named after the script; the summary says what it holds.
want 0 "recorded 'replay.wlt': 2 launches" \
    "$warploom" record "$here/replay.lua"
[ -s replay.wlt ]
[ ! -e replay.wlt.partial ]

# Twice the same is the same file, byte by byte.
"$warploom" record "$here/replay.lua" --quiet -o again.wlt
"$warploom" record "$here/replay.lua" --quiet -o more.wlt
cmp again.wlt more.wlt

# A table has a row for each instruction, with its loop and parameter.
want 0 "atax_rows: " "$warploom" disasm replay.wlt atax_rows
grep -Eq ' load +global +4 +#2 ' out
grep -Eq ' 0@1 .*(fma|mad)' out
rows=$(sed -n 's/^atax_rows: \([0-9]*\) instructions.*/\1/p' out)
[ "$(tail -n +3 out | wc -l)" -eq "$rows" ]

# A stream: every warp of the CTA, or one; limited; addresses in short.
want 0 "launch 0 (atax_rows), CTA 0, warp 7: " \
    "$warploom" disasm replay.wlt --stream 0
[ "$(grep -c '^launch 0 (atax_rows), CTA 0, warp ' out)" -eq 8 ]
want 0 "launch 1 (atax_columns), CTA 0, warp 1: " \
    "$warploom" disasm replay.wlt --stream 0 --launch 1 --warp 1 --limit 20
[ "$(grep -c '' out)" -eq 23 ]
grep -Fq -- '... ' out
grep -Eq '0000ffff .*[0-9a-f]+ \+ 4 \* k' out

# A recorded run that is replayed can be recorded again.
"$warploom" record "$here/replay.lua" --set recording=replay.wlt --quiet \
    -o second.wlt
"$warploom" disasm replay.wlt --stream 0 >first.txt
"$warploom" disasm second.wlt --stream 0 >second.txt
cmp first.txt second.txt

# Kernels that cannot be executed, of programs: which, where and why.
cat >mixed.ptx <<'END'
.version 8.0
.target sm_90
.address_size 64
.func helper() { strange.b32; ret; }
.visible .entry good() { ret; }
.visible .entry caller() { call helper; ret; }
.visible .entry other() { .reg .b16 %h; red.global.add.f16 [0], %h; ret; }
END
want 0 "good: 1 instructions" "$warploom" disasm mixed.ptx
grep -Fqx "caller: refused" out
grep -Fqx "  mixed.ptx:4: kernel 'caller' is refused: it calls 'helper': \
instruction 'strange.b32' is not supported" out
grep -Fqx "other: refused" out
want 1 "mixed.ptx: 2 of 3 kernels refused; the others run" \
    "$warploom" check mixed.ptx
grep -q "^mixed.ptx:4: kernel 'caller' is refused" out
grep -q "^mixed.ptx:7: kernel 'other': cannot execute 'red.global.add.f16" out
grep -q good out && exit 1
want 3 "mixed.ptx:4: kernel 'caller' is refused" \
    "$warploom" transform mixed.ptx --kernel caller --with sl1
"$warploom" transform mixed.ptx --kernel good --with sl1 >printed.ptx
want 1 "printed.ptx: 2 of 3 kernels refused" "$warploom" check printed.ptx
grep -v other mixed.ptx | sed 's/call helper; //' >fine.ptx
want 0 "fine.ptx: ok: 2 kernels" "$warploom" check fine.ptx
sed 's/helper() {/helper() {{/' mixed.ptx >open.ptx
want 1 "open.ptx:4: instruction 'strange.b32' is not supported" \
    "$warploom" check open.ptx
want 1 "nothing.ptx" "$warploom" check nothing.ptx

# Each of several is told about.
want 1 "fine.ptx: ok: 2 kernels" "$warploom" check fine.ptx mixed.ptx
want 1 "mixed.ptx: 2 of 3 kernels refused" "$warploom" check fine.ptx mixed.ptx
want 1 "fine.ptx: ok: 2 kernels" "$warploom" check mixed.ptx fine.ptx

# Mistakes.
want 1 "recording 'none.wlt' cannot be read" "$warploom" disasm none.wlt
want 1 "there is no kernel 'atax_row'; did you mean 'atax_rows'?" \
    "$warploom" disasm replay.wlt atax_row
want 1 "there is no launch 9; there are 2" \
    "$warploom" disasm replay.wlt --stream 0 --launch 9
want 1 "there is no CTA 99 in launch 0, which has 1" \
    "$warploom" disasm replay.wlt --stream 99
want 1 "there is no warp 8 in CTA 0" \
    "$warploom" disasm replay.wlt --stream 0 --warp 8
want 2 "--stream is 'x', expected a whole number" \
    "$warploom" disasm replay.wlt --stream x
want 1 "replay: recording 'none.wlt' is not found" \
    "$warploom" run "$here/replay.lua" --set recording="none.wlt"

# Files that are not whole are refused before the run, at the script's line.
size=$(wc -c <replay.wlt)
head -c $((size - 100)) replay.wlt >cut.wlt
want 1 "is damaged: it is cut off" \
    "$warploom" run "$here/replay.lua" --set recording="$work/cut.wlt"
want 1 "recording 'cut.wlt': block " "$warploom" disasm cut.wlt
cp replay.wlt bad.wlt
printf 'x' | dd of=bad.wlt bs=1 seek=80 conv=notrunc 2>dd.txt
want 1 "block 0 (kernel) at offset 32 is damaged: its checksum is wrong" \
    "$warploom" run "$here/replay.lua" --set recording="$work/bad.wlt"
echo text >text.wlt
want 1 "recording 'text.wlt': is not a warploom recording" \
    "$warploom" disasm text.wlt

# Damage within the streams is found when they are read, and ends the run.
block=$(grep -abo 'WBlk' replay.wlt | sed -n 2p | cut -d: -f1)
offset=$((block + 50))
cp replay.wlt bad.wlt
printf '\377' | dd of=bad.wlt bs=1 seek=$offset conv=notrunc 2>dd.txt
want 3 "(streams) at offset" \
    "$warploom" run "$here/replay.lua" --set recording="$work/bad.wlt" --quiet

# A run that fails leaves no recording.
cat >fails.lua <<'SCRIPT'
local loom = require "warploom"
loom.run { machine = loom.preset.tiny {},
           workload = function(dev) dev:check(false, "wrong") end }
SCRIPT
want 3 "'fails.wlt' is not written" "$warploom" record fails.lua
[ ! -e fails.wlt ]
[ ! -e fails.wlt.partial ]
want 5 "cannot be written" "$warploom" record "$here/replay.lua" -o no/x.wlt
