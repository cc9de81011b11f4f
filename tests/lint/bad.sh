#!/bin/sh
# The linter itself is tested: a tree of planted violations must be reported,
# each by the right rule, and nothing else.  usage: bad.sh LUA LINT_DIR CC
set -u
lua=$1
here=$2
cc=$3
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/engine" "$tree/components/cache" "$tree/policies/lru" \
    "$tree/policies/lib" "$tree/workloads/ptx/parse" \
    "$tree/workloads" "$tree/stats" "$tree/lua" "$tree/tests"
cat >"$tree/policies/lru/lru.c" <<'END'
/*
 * A policy that includes a component, prints, and says nothing in a comment.
 */
#include <lua.h>

#include "components/dram/dram_private.h"
#include "engine/machine.h"
#include "../../engine/base.h"

/* printf( in a comment is fine */
static const char *text = "exit(1) in a string is fine";

static int f(int a, int b, int c, int d, int e, int g, int h)
{
    if (a) {
        if (b) {
            if (c) {
                if (d) {
                    if (e) {
                        printf("%d", g + h);
                    }
                }
            }
        }
    }
    return atoi(text); /* TODO later */ /* .. and more */
}
END
printf 'int x;\n/* lint: allow size: nothing here needs it */\nint y;\n' \
    >"$tree/engine/bare.c"
printf '/*\n * A header without its guard.\n */\nint z;\n' \
    >"$tree/engine/bare.h"
printf '/*\n * A hook with help.\n */\n#include "policies/lib/rrip.h"\n' \
    >"$tree/policies/x_hook.c"
printf '/*\n * A parser that runs.\n */\n#include "workloads/ptx/exec/exec.h"\n' \
    >"$tree/workloads/ptx/parse/parse.c"
printf '/*\n * Help of a policy.\n */\n#include "policies/lru/lru.h"\n' \
    >"$tree/policies/lib/rrip.c"
{
    printf '/*\n * Long.\n */\nvoid g(void)\n{\n'
    i=0
    while [ $i -lt 70 ]; do
        echo "    g();"
        i=$((i + 1))
    done
    echo "}"
} >"$tree/stats/long.c"
seq 1 601 | sed 's/^/-- /' >"$tree/lua/long.lua"
out=$("$lua" "$here/rules.lua" "$tree")
status=0
[ $? -eq 0 ] || status=1
expect() {
    if ! echo "$out" | grep -qF "$1"; then
        echo "not reported: $1"
        status=1
    fi
}
expect "policies/lru/lru.c:4: layer: <lua.h> belongs to lua"
expect "policies/lru/lru.c:6: layer: policy may not include components/dram"
expect "policies/lru/lru.c:6: layer: private header"
expect "policies/lru/lru.c:7: layer: policy may not build"
expect "policies/lru/lru.c:8: include: paths start at the root"
expect "policies/lru/lru.c:14: size: 7 parameters"
expect "policies/lru/lru.c:14: size: nesting of 5"
expect "policies/lru/lru.c:20: call: printf() is not allowed"
expect "policies/lru/lru.c:26: call: atoi() is not allowed"
expect "policies/lru/lru.c:26: comment: a TODO names its issue"
expect "policies/lru/lru.c:26: comment: a sentence ends where it begins"
expect "policies/x_hook.c:4: layer: hook may not include policies/lib/rrip.h"
expect "policies/lib/rrip.c:4: layer: lib may not include policies/lru/lru.h"
expect "workloads/ptx/parse/parse.c:4: layer: ptx_parse may not include"
expect "engine/bare.c:1: comment: a file starts"
expect "engine/bare.c:2: allow: the exception for size is unused"
expect "engine/bare.h:1: guard: expected ENGINE_BARE_H"
expect "stats/long.c:5: size: function of 72 lines"
expect "lua/long.lua:601: size: 601 lines, limit 600"
expect "19 violations"

# What only object files show.  Calls in a circle of three files, and one of
# them calls a fourth.
rm -r "$tree"
mkdir -p "$tree/engine" "$tree/components/ring" "$tree/policies" \
    "$tree/stats" "$tree/lua" "$tree/workloads" "$tree/cuda"
plant() { # FILE DEFINES NEEDS...
    file=$1
    defines=$2
    shift 2
    for name in "$@"; do
        echo "void $name(void);"
    done >"$tree/components/ring/$file"
    echo "void $defines(void) { $(printf '%s(); ' "$@") }" \
        >>"$tree/components/ring/$file"
}
plant a.c ring_start ring_turn ring_end
plant b.c ring_turn ring_back
plant c.c ring_back ring_start
echo 'int ring_count; void ring_end(void) { } void stray(void) { }' \
    >"$tree/components/ring/d.c"
out=$(sh "$here/symbols.sh" "$tree" "$lua" "$cc" 2>&1) && status=1
expect "components/ring: circle: 3 files"
expect "  a.c -> b.c: ring_turn"
expect "  b.c -> c.c: ring_back"
expect "  c.c -> a.c: ring_start"
expect "components/ring/d.c: writable data at file scope: ring_count"
expect "components/ring/d.c: exports a name that does not start with ring_: stray"
if echo "$out" | grep -q "ring_end"; then
    echo "reported: ring_end, which is in no circle"
    status=1
fi
[ $status -eq 0 ] || echo "$out"
exit $status
