#!/bin/sh
# Registers that are counted in PTX beside those of ptxas: of our own kernels,
# or of FILEs, as they are compiled where nobody says anything of loops.  The
# last hexadecimal digit of the MD5 sum of a kernel's name says which half it is
# of: those of half A were looked at when the rules of the estimate were made
# (decision 0082; its numbers are fitted to public programs).
#
# usage: counts.sh WARPLOOM SOURCE_DIR NVCC [all|FILE.ptx]...
# Without names without the many products of cuBLAS, which take half of the time; with
# "all" with them (silicon_nightly).
#
# Ends with 77 (skipped), and says so, where there is no nvcc; with 1 if the mean
# difference of half B, as kernels are timed as compiled, is more than 14 %.
set -eu
warploom=$1
source=$2
nvcc=$3
shift 3
ptxas=$(dirname "$(command -v "$nvcc" || echo none)")/ptxas
if ! command -v "$ptxas" >/dev/null; then
    echo "SKIPPED: no ptxas beside nvcc, so nobody has compared registers"
    exit 77
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
if [ $# -eq 0 ] || [ "$*" = all ]; then
    many=
    [ $# -eq 0 ] || many=$source/cuda/blas/kernels/gemm_f32.ptx
    # shellcheck disable=SC2086
    set -- "$source"/tests/data/ptx/*.ptx "$source"/workloads/suite/*/*.ptx \
        $many "$source/cuda/blas/kernels/vector.ptx" \
        "$source/cuda/blas/kernels/matrix.ptx" \
        "$source/cuda/rand/kernels/random.ptx" \
        "$source/tests/cuda/gpt2/kernels.ptx"
fi
for ptx in "$@"; do
    "$ptxas" -arch=sm_90 -v -o /dev/null "$ptx" 2>"$out/log" || {
        echo "ptxas refuses $ptx: $(head -1 "$out/log")"
        continue
    }
    sed -n "s/.*entry function '\(.*\)' for.*/\1/p
        s/.*Used \([0-9]*\) registers.*/\1/p" "$out/log" |
        paste -d' ' - - | sort >"$out/theirs"
    for how in plain scheduled; do
        flag=
        [ $how = plain ] || flag=--scheduled
        # shellcheck disable=SC2086 # none, or one word
        "$warploom" disasm $flag "$ptx" |
            sed -n 's/^\([^ ]*\): .* \([0-9]*\) registers,.*/\1 \2/p' |
            sort >"$out/$how"
    done
    join "$out/theirs" "$out/plain" | join - "$out/scheduled" |
        while read -r kernel numbers; do
            case $(printf %s "$kernel" | md5sum | cut -c32) in
            [02468ace]) half=A ;;
            *) half=B ;;
            esac
            echo "$half $(basename "$ptx" .ptx) $kernel $numbers"
        done >>"$out/all"
done
[ -s "$out/all" ] || {
    echo "no kernels"
    exit 1
}
# Which kernels are how far off, for those who want to see.
[ -z "${KEEP:-}" ] || cp "$out/all" "$KEEP"
awk -v most=0.14 '
    function add(group, have, want, how, e) {
        e = (have - want) / want
        n[group how]++
        bias[group how] += e
        sum[group how] += e < 0 ? -e : e
    }
    function row(name, group) {
        if (n[group "p"] > 0) {
            printf "%-26s %7d %9.1f %% %9.1f %% %9.1f %% %9.1f %%\n", name,
                n[group "p"], 100 * sum[group "p"] / n[group "p"],
                100 * bias[group "p"] / n[group "p"],
                100 * sum[group "s"] / n[group "s"],
                100 * bias[group "s"] / n[group "s"]
        }
    }
    {
        add($1, $5, $4, "p"); add($1, $6, $4, "s")
        add("all", $5, $4, "p"); add("all", $6, $4, "s")
    }
    END {
        printf "%-26s %7s %11s %11s %11s %11s\n", "kernels", "number",
            "mean error", "bias", "scheduled", "bias"
        row("half A (looked at)", "A"); row("half B", "B"); row("all", "all")
        exit sum["Bs"] > most * n["Bs"]
    }' "$out/all"
