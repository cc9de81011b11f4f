#!/bin/sh
# Fuzzes one target with libFuzzer, as long as you like.
#
# usage: tests/fuzz/long.sh TARGET SECONDS [OPTION...]
#
# TARGET is ptx_parse, ptx_exec, transform, trace, replay or fatbin.  Builds it with clang-14,
# address and undefined behaviour sanitizers (preset fuzz), starts from the
# inputs in the tree, from the kernels of the unit tests and from what an
# earlier run has found (build/fuzz/corpus/TARGET), and ends with status 0 if
# SECONDS passed without a finding.  A finding's input lies in build/fuzz/TARGET-*; one that is
# repaired goes to tests/fuzz/corpus, where the bounded runs repeat it.
# OPTIONs are libFuzzer's own.
set -eu
if [ $# -lt 2 ]; then
    sed -n '4p' "$0"
    exit 2
fi
target=$1
seconds=$2
shift 2
cd "$(dirname "$0")/../.."
build=build/fuzz
corpus=$build/corpus/$target
seeds=$build/seeds/$target
dictionary=$build/$target.dict
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target "${target}_libfuzzer" >"$build/log" ||
    { cat "$build/log"; exit 1; }
rm -rf "$seeds"
mkdir -p "$corpus" "$seeds"
case $target in
ptx_* | transform)
    cp tests/data/ptx/*.ptx workloads/suite/*/*.ptx tests/fuzz/corpus/*.ptx \
        "$seeds"
    # The kernels of the unit tests have an instruction of every row.
    rows="ptx_rows_control_test ptx_rows_barrier_test ptx_rows_system_test
        ptx_rows_cvt_test ptx_rows_video_test ptx_texture_test
        ptx_values_texture_test ptx_values_memory_test ptx_values_atomic_test
        ptx_values_int_test ptx_matrix_test ptx_exec_test"
    # shellcheck disable=SC2086
    cmake --build --preset fuzz --target $rows >"$build/log" ||
        { cat "$build/log"; exit 1; }
    for test in $rows; do
        LOOM_PTX_SEEDS=$seeds "$build/tests/$test" >/dev/null
    done
    ;;
trace)
    cp tests/fuzz/corpus/trace/* "$seeds"
    ;;
replay | fatbin)
    cmake --build --preset fuzz --target "${target}_fuzz" >"$build/log" ||
        { cat "$build/log"; exit 1; }
    "$build/tests/${target}_fuzz" --seeds "$seeds"
    ;;
esac
# The words of the inputs are what mutations paste.
cat "$seeds"/* | LC_ALL=C tr -cs '[:alnum:]_.:%$-' '\n' |
    LC_ALL=C grep -aE '^.{2,40}$' | LC_ALL=C sort -u |
    sed 's/.*/"&"/' >"$dictionary"
exec "$build/tests/${target}_libfuzzer" -max_total_time="$seconds" \
    -timeout=10 -rss_limit_mb=2048 -max_len=16384 -print_final_stats=1 \
    -dict="$dictionary" -artifact_prefix="$build/$target-" "$@" \
    "$corpus" "$seeds"
