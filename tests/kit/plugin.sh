#!/bin/sh
# Installs the program and its headers, builds the plug-in of examples/plugin
# as a project of its own, and runs it; then plug-ins that are none.
# usage: plugin.sh BUILD_DIR SOURCE_DIR CMAKE CC
set -eu
build=$1
root=$2
cmake=$3
cc=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$cmake" --install "$build" --prefix "$work/prefix" >"$work/install.log"
cp -r "$root/examples/plugin" "$work/project"
rm -rf "$work/project/build"
"$cmake" -S "$work/project" -B "$work/project/build" \
    -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_C_COMPILER="$cc" \
    -DCMAKE_C_FLAGS="-Wall -Wextra -Wpedantic -Wconversion -Werror" \
    >"$work/configure.log"
"$cmake" --build "$work/project/build" >"$work/build.log" ||
    { cat "$work/build.log"; exit 1; }
warploom=$work/prefix/bin/warploom
cd "$work/project"

"$warploom" run -q --load build/libnewest.so newest.lua | tee out
awk '/misses/ { exit !($6 > 1000 && $7 > 1000 && $6 != $7) }' out
"$warploom" stats newest.h5 'gpu.sm.l1d.policy.newest.*' | grep -q evictions
# Its content is in the provenance.
sum=$(sha256sum build/libnewest.so | cut -d' ' -f1)
h5dump -g /meta newest.h5 | grep -q "$sum" ||
    { echo "no digest of the plug-in in /meta"; exit 1; }
"$warploom" check --load build/libnewest.so newest.lua | grep -q ok

# wrong FILE TEXT: loading it says so, at the script's line.
wrong() {
    printf 'local loom = require "warploom"\nloom.plugin "%s"\n' "$1" >wrong.lua
    if "$warploom" run --unsafe -q wrong.lua >out 2>&1; then
        echo "$1 was taken"
        exit 1
    fi
    grep -q "^wrong.lua:2: plugin: .*$2" out || { cat out; exit 1; }
}
# library NAME: from the C file on standard input.
library() {
    cat >"$1.c"
    "$cc" -std=c17 -shared -fPIC -I"$work/prefix/include/warploom" \
        -o "lib$1.so" "$1.c"
}
wrong none.so "there is no file none.so"
echo text >text.so
wrong text.so "'text.so' cannot be loaded: "
echo 'int other;' | library other
wrong libother.so "has no symbol 'loom_plugin'"
sed 's/LOOM_PLUGIN(.policies = policies);/const struct loom_plugin loom_plugin;\
const struct loom_plugin loom_plugin = {.magic = LOOM_PLUGIN_MAGIC,\
    .abi = 99, .policies = policies};/' newest.c | library future
abi=$(sed -n 's/^#define LOOM_PLUGIN_ABI //p' "$root/engine/plugin.h")
wrong libfuture.so "was built for ABI 99, this program has ABI $abi:"
sed 's/LOOM_PLUGIN(.policies = policies);/const struct loom_plugin loom_plugin;\
const struct loom_plugin loom_plugin = {.magic = LOOM_PLUGIN_MAGIC,\
    .abi = LOOM_PLUGIN_ABI, .policies = policies};/' newest.c | library sizes
wrong libsizes.so "was built with other headers"
sed 's/name = "newest"/name = "lru"/' newest.c | library taken
wrong libtaken.so "brings policy 'lru', which there is already"
sed '/\.facets = /d' newest.c | library silent
wrong libsilent.so "policy 'newest' has no facets"
echo '#include "engine/plugin.h"
LOOM_PLUGIN(.policies = NULL);' | library empty
wrong libempty.so "lists no policies and no components"

# A sweep notes which plug-in its points had: another one repeats them.
cat >sweep.lua <<'END'
local loom = require "warploom"
loom.plugin "build/libnewest.so"
return loom.experiment {
  name = "plugged", axes = { skip = { 0, 1 } },
  base = function(p)
    local gpu = loom.preset.tiny { sm_count = 1 }
    gpu.sm[0].l1d:attach(loom.newest { skip = p.skip })
    return { machine = gpu, workload = loom.suite.vectoradd { } }
  end,
}
END
"$warploom" sweep --load build/libnewest.so sweep.lua -o swept -j 1 >first 2>&1 || { cat first; exit 1; }
"$warploom" sweep --load build/libnewest.so sweep.lua -o swept -j 1 --dry-run >again 2>&1
cp build/libnewest.so before.so
sed -i 's/Evicts the line/Evicts that line/' newest.c
"$cmake" --build build >"$work/build.log"
! cmp -s before.so build/libnewest.so
"$warploom" sweep --load build/libnewest.so sweep.lua -o swept -j 1 --dry-run >changed 2>&1
if cmp -s again changed; then
    echo "a changed plug-in does not repeat the points:"
    cat again changed
    exit 1
fi
echo "a plug-in is built, loaded, noted, and refused where it is none"
