#!/bin/sh
# Registers that are counted in PTX beside those of ptxas: of our own kernels,
# or of FILEs, as they are compiled where nobody says anything of loops; or of
# the programs in DIRs, whose .cu files are compiled first (those that are alone).
# The last hexadecimal digit of the MD5 sum of a kernel's name says which half it
# is of: those of half A, of ours the even ones, of DIRs' 0 to 7, were looked at
# when the rules of the estimate were made (decision 0082; its numbers are fitted
# to half A of public programs).
#
# usage: counts.sh WARPLOOM SOURCE_DIR NVCC [all|FILE.ptx|DIR]...
# Without names without the many products of cuBLAS, which take half of the time; with
# "all" with them (silicon_nightly).
#
#   KEEP   a file for what each kernel's numbers are
#   PTX    a folder where what is compiled of DIRs is kept, and found again
#   PART   of DIRs' files, those whose path's MD5 sum begins with one of these
#          hexadecimal digits, else all
#
# Ends with 77 (skipped), and says so, where there is no nvcc; with 1 if the mean
# difference of half B, as kernels are timed as compiled, is more than 14 %, of
# DIRs more than 12 %.
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
kept=${PTX:-$out/ptx}
mkdir -p "$kept"
# One DIR's programs; those that do not compile by themselves are counted.
compile() { # DIR
    includes=$(find "$1" -maxdepth 4 -type d \( -iname common -o -name include \
        -o -name inc -o -name utilities \) | sed 's/.*/-I "&"/' | tr '\n' ' ')
    cat >"$out/one.sh" <<ONE
ptx=$kept/\$(printf %s "\$1" | md5sum | cut -c1-12)
case \$ptx in $kept/[${PART:-0-9a-f}]*) ;; *) exit 0 ;; esac
[ ! -e "\$ptx.ptx" ] && [ ! -e "\$ptx.not" ] || exit 0
timeout 300 "$nvcc" -ptx -arch=compute_90 -O3 -std=c++17 -w --extended-lambda $includes \
    -D cudaThreadSynchronize=cudaDeviceSynchronize -I "\$(dirname "\$1")/.." \\
    -o "\$ptx.new" "\$1" 2>"\$ptx.not" &&
    mv "\$ptx.new" "\$ptx.ptx" && rm "\$ptx.not"
ONE
    find "$1" -name '*.cu' -print0 | sort -z |
        xargs -0 -r -n 1 -P "$(nproc)" sh "$out/one.sh" || true
}
dirs=
for name in "$@"; do
    shift
    if [ -d "$name" ]; then
        dirs=1
        compile "$name"
    else
        set -- "$@" "$name"
    fi
done
of_a='[02468ace]'
most=0.14
if [ -n "$dirs" ]; then
    of_a='[0-7]'
    most=0.12
    echo "compiled: $(find "$kept" -name '*.ptx' | wc -l) files," \
        "not by themselves: $(find "$kept" -name '*.not' | wc -l)"
    set -- "$@" "$kept"/*.ptx
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
            $of_a) half=A ;;
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
awk -v most="$most" '
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
    !seen[$3, $4]++ { # a library'"'"'s kernel is in many files
        add($1, $5, $4, "p"); add($1, $6, $4, "s")
        add("all", $5, $4, "p"); add("all", $6, $4, "s")
    }
    END {
        printf "%-26s %7s %11s %11s %11s %11s\n", "kernels", "number",
            "mean error", "bias", "scheduled", "bias"
        row("half A (looked at)", "A"); row("half B", "B"); row("all", "all")
        exit sum["Bs"] > most * n["Bs"]
    }' "$out/all"
