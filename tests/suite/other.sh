#!/bin/sh
# Compiles the suite, and the kernels of tests/suite/more, with another
# compiler and runs their host scripts with what comes out, functionally: all
# results are checked against the CPU, as always.
#
# usage: other.sh WARPLOOM SUITE HERE COMPILER ARCHITECTURE [PTX]
#
# COMPILER is a clang or nvcc.  PTX is clang's feature (ptx63), or "minified":
# the PTX that nvcc embeds in binaries.  Ends with 77 (skipped), and says so,
# where there is no such compiler.
set -eu
warploom=$1
suite=$2
here=$3
compiler=$4
arch=$5
ptx=${6:-}
if ! command -v "$compiler" >/dev/null; then
    echo "SKIPPED: $compiler is not installed, so nobody has run PTX that it" \
        "makes"
    exit 77
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

with_clang() {
    feature=""
    case $ptx in
    "") ;;
    *)
        # Before clang 15 there is no --cuda-feature.
        feature="-Xclang -target-feature -Xclang +$ptx"
        ;;
    esac
    # shellcheck disable=SC2086
    "$compiler" -x cuda --cuda-device-only -S --cuda-gpu-arch="$arch" \
        $feature -nocudainc -nocudalib --cuda-path=/nonexistent \
        -include "$suite/gpu.h" -O2 -Wno-unknown-cuda-version "$1" -o "$2"
}

with_nvcc() {
    if [ "$ptx" = minified ]; then
        "$compiler" -fatbin --compress-mode=none -arch="compute_${arch#sm_}" \
            -include "$here/nvcc.h" "$1" -o "$2.fatbin"
        tr '\0' '\n' <"$2.fatbin" | sed -n '/^\.version/,$p' >"$2"
        rm "$2.fatbin"
    else
        "$compiler" -ptx -arch="$arch" -include "$here/nvcc.h" "$1" -o "$2"
    fi
}

# Compiling takes most of the time, so that only the first and the last of clang
# compile all, and the first row of nvcc half; with LOOM_ALL set, all compile all
# (suite_nightly).
wanted() {
    [ -z "${LOOM_ALL:-}" ] || return 0
    case $(basename "$compiler").$arch.$ptx in
    clang-14.sm_70.* | clang-19.sm_90.*) return 0 ;;
    nvcc*.sm_75.) [ $((number % 2)) -ne 0 ] || return 0 ;;
    esac
    case $1 in
    atax | bfs | features | gemm | mars_wc | micro_* | reduction | shfl_scan)
        return 0
        ;;
    esac
    return 1
}

count=0
number=0
names=
for source in "$suite"/*/*.cu "$here"/more/*/*.cu; do
    name=$(basename "$source" .cu)
    number=$((number + 1))
    wanted "$name" || continue
    mkdir -p "$out/$name"
    cp "$(dirname "$source")/$name.lua" "$out/$name/"
    case $(basename "$compiler") in
    nvcc*) with_nvcc "$source" "$out/$name/$name.ptx" ;;
    *) with_clang "$source" "$out/$name/$name.ptx" ;;
    esac
    count=$((count + 1))
    names="$names $name"
done
grep -ahE '^\.(version|target)' "$out/atax/atax.ptx" | tr '\n' ' '
echo "of $("$compiler" --version | grep -E 'version|release' | head -n 1)"
WARPLOOM_SUITE=$out "$warploom" run --functional --quiet "$here/verify.lua" \
    --set "count=$count" --set "names=$names"
