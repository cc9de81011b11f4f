#!/bin/sh
# Compiles the suite's kernels to PTX with clang alone: no CUDA toolkit.
#
# usage: build.sh [-o OUTPUT_DIR] [NAME]...
#
# Writes <name>/<name>.ptx beside each source, or OUTPUT_DIR/<name>.ptx, so
# that a test can compare.  Without names, all.  The PTX is checked in, so
# only those who change a kernel need clang.  CLANG names the compiler;
# version 14 made what is checked in, and other versions generate other code.
#
# sm_20 is the lowest architecture that clang knows, and that of the first
# machines that are modelled.  A source may ask for another one: "Built for
# sm_30".
set -eu
cd "$(dirname "$0")"
out=
if [ "${1:-}" = -o ]; then
    out=$2
    shift 2
fi
if [ $# -eq 0 ]; then
    set -- $(ls -d */)
fi
for folder in "$@"; do
    name=${folder%/}
    source=$name/$name.cu
    target=${out:+$out/$name.ptx}
    target=${target:-$name/$name.ptx}
    arch=$(sed -n 's/^ \* Built for \(sm_[0-9]*\).*/\1/p' "$source")
    "${CLANG:-clang-14}" -x cuda --cuda-device-only -S \
        --cuda-gpu-arch="${arch:-sm_20}" -nocudainc -nocudalib \
        --cuda-path=/nonexistent -include ./gpu.h -O2 "$source" \
        -o "$target.new"
    # The head says which compiler it was, the rest does not change.
    sed -e '1,3d' "$target.new" > "$target"
    rm "$target.new"
done
