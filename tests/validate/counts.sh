#!/bin/sh
# Registers that are counted in PTX beside those of ptxas: of our own kernels,
# as they are compiled where nobody says anything of loops.  Those of
# tests/data/ptx were looked at when the estimate was made; of the others two
# halves are shown, by turns in the order of their names.
#
# usage: counts.sh WARPLOOM SOURCE_DIR NVCC [all|FILE.ptx]...
# Without names without the many products of cuBLAS, which take half of the time; with
# "all" with them (silicon_nightly).
#
# Ends with 77 (skipped), and says so, where there is no nvcc; with 1 if the mean
# difference of those that were not looked at is more than 25 %.
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
    group=other
    case $ptx in */tests/data/ptx/*) group=fitted ;; esac
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
        sed "s|^|$group $(basename "$ptx" .ptx) |" >>"$out/all"
done
[ -s "$out/all" ] || {
    echo "no kernels"
    exit 1
}
# Which kernels are how far off, for those who want to see.
[ -z "${KEEP:-}" ] || cp "$out/all" "$KEEP"
sort "$out/all" | awk -v most=0.25 '
    function add(group, have, want, how, e) {
        e = (have - want) / want
        n[group how]++
        bias[group how] += e
        sum[group how] += e < 0 ? -e : e
        off[group how] += e > 0.3
    }
    function row(group) {
        if (n[group "p"] > 0) {
            printf "%-26s %7d %9.1f %% %9.1f %% %9.1f %% %9.1f %%\n", group,
                n[group "p"], 100 * sum[group "p"] / n[group "p"],
                100 * bias[group "p"] / n[group "p"],
                100 * sum[group "s"] / n[group "s"],
                100 * bias[group "s"] / n[group "s"]
        }
    }
    {
        group = $1 == "fitted" ? "looked at" : \
            "others, half " (1 + others++ % 2)
        add(group, $5, $4, "p"); add(group, $6, $4, "s")
        if ($1 != "fitted") {
            add("others", $5, $4, "p"); add("others", $6, $4, "s")
        }
    }
    END {
        printf "%-26s %7s %11s %11s %11s %11s\n", "kernels", "number",
            "mean error", "bias", "scheduled", "bias"
        row("looked at"); row("others, half 1"); row("others, half 2")
        row("others")
        exit sum["otherss"] > most * n["otherss"]
    }'
