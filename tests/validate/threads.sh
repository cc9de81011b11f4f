#!/bin/sh
# Any number of threads gives the same bits: runs programs with 1, 2 and 4
# threads and compares the digest of the whole state and that of every dataset
# of results.
#
# usage: threads.sh WARPLOOM SOURCE_DIR [NAME...]
#
# Without names: the golden machines and kernels, the suite, and the
# calibration programs.  A name is "golden/MACHINE/KERNEL", or a workload or
# program as tests/validate/threads.lua knows them.
set -eu
export WARPLOOM_PACE=${WARPLOOM_PACE:-fixed} # all threads, always
warploom=$1
root=$2
shift 2
if [ $# -eq 0 ]; then
    for machine in dev nol1 lone; do
        for kernel in atax bfs bicg gemm reduction vectoradd; do
            set -- "$@" "golden/$machine/$kernel"
        done
    done
    for folder in "$root"/workloads/suite/*/; do
        set -- "$@" "$(basename "$folder")"
    done
    for file in "$root"/tests/validate/reference/*.json; do
        set -- "$@" "$(basename "$file" .json)"
    done
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Digests of a run of $1 with $2 threads.
digests() {
    name=$1
    case $name in
    golden/*)
        rest=${name#golden/}
        set -- "$2" "$root/tests/golden/golden.lua" \
            --set machine="${rest%/*}" --set kernel="${rest#*/}"
        ;;
    *)
        set -- "$2" "$root/tests/validate/threads.lua" \
            --set name="$name" --set root="$root"
        ;;
    esac
    threads=$1
    shift
    "$warploom" run --unsafe "$@" --threads "$threads" -o "$work/r.h5" >"$work/summary"
    state=$(awk '/state digest/ { print $3 }' "$work/summary")
    results=$("$warploom" stats "$work/r.h5" --digest)
    rm -f "$work/r.h5"
    [ -n "$state" ] && [ -n "$results" ] || exit 1
    printf '%s %.20s' "$state" "$results"
}

status=0
printf '%-24s %-18s %-22s %s\n' program "state" "results" "1 = 2 = 4 threads"
for name in "$@"; do
    one=$(digests "$name" 1)
    two=$(digests "$name" 2)
    four=$(digests "$name" 4)
    verdict=equal
    if [ "$one" != "$two" ] || [ "$one" != "$four" ]; then
        verdict="DIFFERENT: $two, $four"
        status=1
    fi
    printf '%-24s %-18s %-22s %s\n' "$name" "${one% *}" "${one#* }" "$verdict"
done
exit $status
