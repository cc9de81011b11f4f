#!/bin/sh
# A trace of 1 GB is run with a fixed amount of memory.  It is a gzip file of
# many members: heads of blocks, and again and again one body, so that making
# it takes a moment.
#
# usage: large.sh WARPLOOM FOLDER [BLOCKS [run or functional]]
#
# A block has 8 warps of 5,400 instructions in 1.7 MB of text; 640 are 1 GB.
set -eu
warploom=$1
here=$2
blocks=${3:-640}
how=${4:-functional}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

awk 'BEGIN {
    for (w = 0; w < 8; w++) {
        printf "warp = %d\ninsts = 5400\n", w
        for (i = 0; i < 5399; i++) {
            pc = i % 27 * 16
            if (i % 27 == 26) {
                printf "%04x ffffffff 1 R4 LDG.E.SYS 1 R2 4 1 0x7f%06x0000 4\n",
                    pc, (i * 8 + w) % 65536
            } else {
                printf "%04x ffffffff 1 R%d IADD3 2 R%d R255 0\n", pc,
                    i % 20 + 4, (i + 7) % 20 + 4
            }
        }
        print "01b0 ffffffff 0 EXIT 0 0"
    }
    print "#END_TB"
}' >body
text=$(wc -c <body)
gzip -1 <body >body.gz
cat >head <<END
-kernel name = large
-grid dim = ($blocks,1,1)
-block dim = (256,1,1)
-nregs = 24
-binary version = 70
-accelsim tracer version = 3
#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] ..
END
gzip -1 <head >kernel-1.traceg.gz
i=0
while [ $i -lt "$blocks" ]; do
    printf '#BEGIN_TB\nthread block = %d,0,0\n' $i | gzip -1
    cat body.gz
    i=$((i + 1))
done >>kernel-1.traceg.gz
echo kernel-1.traceg >kernelslist.g

option=
[ "$how" != functional ] || option=--functional
# shellcheck disable=SC2086 # none or one word
"$warploom" run --unsafe "$here/large.lua" --quiet $option \
    --set insts=$((blocks * 8 * 5400)) \
    --set megabytes=$((blocks * (text + 40) / 1000000))
