#!/bin/sh
# Which data structures miss the host's caches, and how much memory is in use.
#
# usage: misses.sh [SCRIPT [ARGUMENT]...]
#
# Builds warploom in a folder of its own (LOOM_MISSES_BUILD, default
# build/misses) with calls for each load and store of its ticks, runs the script
# (default: atax of 64 columns) and prints a line for each place in the program
# that takes memory: misses of a first cache of 32 KiB, of a second one of
# 1 MiB, accesses, lines touched in two million accesses, and whose they are.
# It takes about a hundred times as long as the run alone.  The counts repeat
# exactly as long as the addresses do, so it switches their randomisation off.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${LOOM_MISSES_BUILD:-$root/build/misses}
if [ $# = 0 ]; then
    set -- "$root/tests/bench/run.lua" --set kernel=atax --set columns=64
fi
mkdir -p "$build"
wrap=
for name in arena_take alloc policy_alloc machine_run; do
    wrap="$wrap -Wl,--wrap=loom_$name"
done

# Calls are compiled into what ticks run, but for atomics, which it has none of.
cat > "$build/launch.sh" <<'EOF'
#!/bin/sh
for argument in "$@"; do
    case $argument in
    */engine/threads.c) exec "$@" ;;
    esac
done
for argument in "$@"; do
    case $argument in
    */engine/*.c | */components/*.c | */policies/*.c | */workloads/stream*.c)
        exec "$@" -fsanitize=thread ;;
    esac
done
exec "$@"
EOF
chmod +x "$build/launch.sh"
"${CC:-cc}" -std=c17 -O2 -DMISSES_TABLE="\"$build/misses.txt\"" \
    -c "$root/tests/bench/misses.c" -o "$build/misses.o"
ar rcs "$build/libmisses.a" "$build/misses.o" # only for who calls it
cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DLOOM_LTO=OFF -DCMAKE_C_COMPILER_LAUNCHER="$build/launch.sh" \
    -DCMAKE_C_FLAGS="-O2 -g -fno-optimize-sibling-calls -no-pie" \
    -DCMAKE_EXE_LINKER_FLAGS="-no-pie $wrap" \
    -DCMAKE_C_STANDARD_LIBRARIES="$build/libmisses.a" > "$build/log.txt"
ninja -C "$build" warploom >> "$build/log.txt" || {
    tail -n 20 "$build/log.txt"
    exit 1
}
setarch -R "$build/warploom" run --quiet "$@"

awk '{ print $1 }' "$build/misses.txt" | sort -u > "$build/places.txt"
addr2line -f -s -e "$build/warploom" < "$build/places.txt" |
    awk 'NR % 2 { name = $1; next } { sub(/ .*/, ""); print name " " $0 }' |
    paste -d ' ' "$build/places.txt" - > "$build/names.txt"
printf '%10s %11s %12s %7s  %s\n' "2nd misses" "1st misses" accesses lines \
    "memory: array, taken by"
awk 'NR == FNR { by[$1] = $2 " (" $3 ")"; next }
    {
        what = $2 " x " $3 ", " by[$1]
        if ($2 == 0) what = "all other memory"
        printf "%10d %11d %12d %7d  %s\n", $6, $5, $4, $7, what
        a += $6; b += $5; c += $4; d += $7
    }
    END { printf "%10d %11d %12d %7d  in all\n", a, b, c, d }' \
    "$build/names.txt" "$build/misses.txt" | sort -k1,1nr
