#!/bin/sh
# CUDA programs, built by nvcc in less usual ways, on a simulated GPU: they run, or
# say why not.  In the usual ways: ways.sh.
#
# usage: nvcc.sh WARPLOOM SOURCE_DIR NVCC
#
# Ends with 77 (skipped), and says so, where there is no nvcc.
set -eu
warploom=$1
source=$2
nvcc=$3
here=$source/tests/cuda
if ! command -v "$nvcc" >/dev/null; then
    echo "SKIPPED: no nvcc, so nobody has run a program that it builds"
    exit 77
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cat >"$out/machine.lua" <<'LUA'
return require "warploom".preset.gtx480 {}
LUA
fail() {
    echo "$1"
    exit 1
}

# build NAME OPTION...
build() {
    name=$1
    shift
    "$nvcc" -diag-suppress 550 -include "$source/tests/suite/nvcc.h" "$@" \
        -o "$out/$name" "$here/hosts/$name.cu"
}

# Compressed in every way but nvcc's own, which is that of all others.
for mode in none size speed; do
    build bfs -cudart shared "--compress-mode=$mode"
    "$warploom" cuda "$out/machine.lua" --functional --quiet -- "$out/bfs" |
        grep -q PASSED || fail "bfs, compressed with $mode: not PASSED"
done

# Registers are ptxas's, of the machine code that is nearest to a GTX 480.
build gaussian -gencode arch=compute_75,code=sm_75 -Xptxas -v \
    -gencode arch=compute_90,code=sm_90 -gencode arch=compute_75,code=compute_75 \
    2>"$out/ptxas"
sed -n "/entry function .* for 'sm_75'/,/Used/{
    s/.*entry function '\(.*\)' for.*/\1/p; s/.*Used \([0-9]*\) regis.*/\1/p
    }" "$out/ptxas" | paste -d, - - | sed 's/$/,sm_75/' | sort >"$out/expected"
"$warploom" cuda "$out/machine.lua" --quiet -o "$out/x.h5" -- \
    "$out/gaussian" >"$out/text" || fail "gaussian"
"$warploom" kernels "$out/x.h5" --csv | sed 1d | cut -d, -f2,11,12 | sort -u \
    >"$out/got"
[ "$(wc -l <"$out/got")" -ge 2 ] || fail "gaussian has fewer than two kernels"
if grep -vxFf "$out/expected" "$out/got" >"$out/text"; then
    cat "$out/expected" "$out/text"
    fail "other registers than ptxas's"
fi

# Programs that cannot be run say why.
build vectoradd -gencode arch=compute_75,code=sm_75
"$warploom" cuda "$out/machine.lua" --quiet -o "$out/x.h5" -- \
    "$out/vectoradd" >"$out/text" 2>&1 && fail "machine code ran"
grep -q "no PTX.*nvcc -arch=compute_75" "$out/text" || fail "no word of PTX"
# link NAME OPTION... FILE...: relocatable device code of these.
link() {
    name=$1
    shift
    (cd "$here/linked" && "$nvcc" -rdc=true -o "$out/$name" "$@")
}
(cd "$out" && "$nvcc" -rdc=true -c "$here/linked/first.cu" "$here/linked/second.cu")
for options in "" "-cudart shared" "-arch=compute_75 --compress-mode=none"; do
    case $options in
    -arch*) from="first.cu second.cu" ;;
    *) from="$out/first.o $out/second.o" ;;
    esac
    # shellcheck disable=SC2086
    link linked $options $from
    "$warploom" cuda "$out/machine.lua" --quiet -o "$out/x.h5" \
        --record "$out/x.wlt" -- "$out/linked" >"$out/text" 2>&1 &&
        grep -q PASSED "$out/text" || {
        cat "$out/text"
        fail "relocatable device code: $options"
    }
    [ "$(grep -c "^first: a text$\|^second: another text$" "$out/text")" -eq 2 ] ||
        fail "no texts: $options"
done
# Kept in results and recordings as any other program.
"$warploom" disasm "$out/x.wlt" >"$out/text" || fail "no recording"
[ "$(grep -c '^  launch ' "$out/text")" -eq 5 ] || fail "no 5 launches"
link parent parent.cu
"$warploom" cuda "$out/machine.lua" --quiet -o "$out/x.h5" -- \
    "$out/parent" >"$out/text" 2>&1 || fail "a kernel does not launch a kernel"
grep -q "^PASSED$" "$out/text" || fail "what a kernel launched is wrong"
link linked -gencode arch=compute_75,code=sm_75 first.cu second.cu
"$warploom" cuda "$out/machine.lua" --quiet -o "$out/x.h5" -- \
    "$out/linked" >"$out/text" 2>&1 && fail "linked machine code ran"
grep -q "no PTX.*nvcc -rdc=true -arch" "$out/text" || fail "no word of -arch"
"$nvcc" -diag-suppress 550 -include "$source/tests/suite/nvcc.h" -c \
    -o "$out/vectoradd.o" "$here/hosts/vectoradd.cu"
"$nvcc" -Xlinker -s -o "$out/vectoradd" "$out/vectoradd.o"
"$warploom" cuda "$out/machine.lua" -- "$out/vectoradd" >"$out/text" 2>&1 &&
    fail "a stripped program with a static runtime ran"
grep -q "nvcc -cudart shared" "$out/text" || fail "no word of -cudart shared"

# Programs of the driver API, with modules that nvcc makes; one that compiles its
# kernel itself, with the compiler that comes with nvcc.
toolkit=$(dirname "$(command -v "$nvcc")")/..
driver() {
    name=$1
    shift
    "$nvcc" -diag-suppress 550 -include "$source/tests/suite/nvcc.h" \
        -I"$source" "$@" "$here/driver/$name.cu" -L"$toolkit/lib64/stubs" \
        -L"$toolkit/lib64"
}
driver driver -o "$out/driver" -lcuda
driver driver -arch=compute_75 -ptx -o "$out/driver.ptx"
driver driver -gencode arch=compute_75,code=sm_75 \
    -gencode arch=compute_80,code=compute_80 -fatbin -o "$out/driver.fatbin"
(cd "$out" && "$warploom" cuda machine.lua --quiet -- ./driver driver.ptx \
    driver.fatbin) >"$out/text" 2>&1 || { cat "$out/text"; fail "driver"; }
grep -q "PASSED: 2 modules" "$out/text" || fail "driver: no PASSED"
driver driver -gencode arch=compute_75,code=sm_75 -cubin -o "$out/driver.cubin"
(cd "$out" && "$warploom" cuda machine.lua --quiet -- ./driver \
    driver.cubin) >"$out/text" 2>&1 && fail "a module of machine code ran"
grep -q "CUDA_ERROR_NO_BINARY_FOR_GPU" "$out/text" || fail "another error"
grep -q "machine code, not PTX.*nvcc -ptx" "$out/text" || fail "no word of -ptx"
if [ -e "$toolkit/lib64/libnvrtc.so" ]; then
    driver compiled -o "$out/compiled" -lcuda -lnvrtc \
        -Xlinker -rpath="$toolkit/lib64"
    (cd "$out" && "$warploom" cuda machine.lua --quiet -- ./compiled) \
        >"$out/text" 2>&1 || { cat "$out/text"; fail "compiled"; }
    grep -q "^PASSED$" "$out/text" || fail "compiled: no PASSED"
else
    echo "no libnvrtc beside nvcc: nobody has compiled a kernel at run time"
fi

# Each function of the static runtime, by what it does now: nothing of
# NVIDIA's is left to be called.  What it has beyond the shared one is the
# program's.
"$nvcc" -o "$out/vectoradd" "$out/vectoradd.o"
nm "$out/vectoradd" | sed -n 's/.* [tT] \(\(__\)*cuda.*\)/\1/p' |
    grep -v '^__cudaUnregisterBinaryUtil$' | sort -u >"$out/static"
[ "$(wc -l <"$out/static")" -gt 300 ] || fail "no static runtime"

# Every function of NVIDIA's library is here: provided, or named as missing.
theirs=$(dirname "$(command -v "$nvcc")")/../lib64/libcudart.so
[ -e "$theirs" ] || theirs=$(dirname "$(command -v "$nvcc")")/../lib/libcudart.so
nm -D --defined-only "$theirs" | awk '{ sub("@.*", "", $3); print $3 }' |
    grep -E '^(__)?cuda' | sort -u >"$out/theirs"
nm -D --defined-only "$(dirname "$warploom")/cuda/libwarploom_cuda.so" |
    awk '{ print $3 }' | sort -u >"$out/ours"
sort -u -o "$out/theirs" "$out/theirs" "$out/static"
absent=$(comm -23 "$out/theirs" "$out/ours")
[ -z "$absent" ] || fail "not in our library: $absent"
echo "$(wc -l <"$out/theirs") functions of NVIDIA's library are known"

# And of the driver's.
nm -D --defined-only "$toolkit/lib64/stubs/libcuda.so" | awk '{ print $3 }' |
    grep '^cu[A-Z]' | sort -u >"$out/theirs"
absent=$(comm -23 "$out/theirs" "$out/ours")
[ -z "$absent" ] || fail "not in our library: $absent"
echo "$(wc -l <"$out/theirs") functions of NVIDIA's driver are known"

# cuBLAS, where its headers are: a program, and every function is known.
blas=$toolkit/lib64/libcublas.so
if [ -e "$blas" ] && [ -e "$toolkit/include/cublas_v2.h" ]; then
    build blas -L"$toolkit/lib64" -lcublas
    "$warploom" cuda "$out/machine.lua" --functional --quiet -- "$out/blas" |
        grep -q PASSED || fail "blas: not PASSED"
    nm -D --defined-only "$(dirname "$warploom")/cuda/libwarploom_blas.so" |
        awk '{ print $3 }' | sort -u >"$out/ours"
    cat "$toolkit"/include/cublas*.h >"$out/headers"
    nm -D --defined-only "$blas" "${blas%.so}Lt.so" |
        awk '$2 == "T" { sub("@.*", "", $3); print $3 }' |
        sort -u >"$out/theirs"
    grep -owE 'cublas[A-Za-z0-9_]+' "$out/headers" | sort -u |
        comm -12 - "$out/theirs" >"$out/documented"
    absent=$(comm -23 "$out/documented" "$out/ours")
    [ -z "$absent" ] || fail "not in our library: $absent"
    echo "$(wc -l <"$out/documented") functions of cuBLAS are known"
else
    echo "no cuBLAS beside nvcc: nobody has compared its functions"
fi
