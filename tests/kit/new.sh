#!/bin/sh
# Every skeleton of `warploom new` builds without a warning, passes its own test,
# and runs.
# LOOM_LINK_FLAGS: what objects of this build need to be linked.
# usage: new.sh BUILD_DIR SOURCE_DIR CMAKE CC CUNIT_LIBRARY
set -eu
build=$1
root=$2
cmake=$3
cc=$4
cunit=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
strict="-std=c17 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"

"$cmake" --install "$build" --prefix "$work/prefix" >"$work/install.log"
warploom=$work/prefix/bin/warploom
cd "$work"
for hook in replacement admit observe; do
    "$warploom" new policy "lua_$hook" --hook "$hook" >log
    "$warploom" run -q "lua_${hook}_test.lua" | grep " decisions"
    grep -q "^| topic | source says | we do | why |" "lua_$hook.md"

    "$warploom" new policy "far_$hook" --plugin --hook "$hook" >log
    (cd "far_$hook" &&
        "$cmake" -B build -DCMAKE_PREFIX_PATH="$work/prefix" \
            -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS="$strict" >log &&
        "$cmake" --build build >log && "$warploom" run -q --load "build/libfar_$hook.so" test.lua |
            grep " decisions")

    # In the tree: its unit test, and the policy in a program.
    mkdir -p policies
    cp "$root/policies/cache_hook.h" policies
    "$warploom" new policy "near_$hook" --tree --hook "$hook" >log
    lib=$(find "$build/CMakeFiles/loom_engine.dir" \
        "$build/CMakeFiles/loom_hooks.dir" \
        "$build/CMakeFiles/loom_protocols.dir" \
        "$build/CMakeFiles/loom_streams.dir" -name '*.o')
    case $lib in *.o*) ;; *) echo "no objects in $build"; exit 1 ;; esac
    # shellcheck disable=SC2086
    "$cc" $strict -I"$root" -c -fPIC -o near.o \
        "policies/near_$hook/near_$hook.c"
    # shellcheck disable=SC2086
    "$cc" $strict -I"$root" -c -o near_test.o "tests/unit/near_${hook}_test.c"
    cat >shell.c <<END
#include "engine/plugin.h"
extern const struct loom_policy_type near_${hook}_policy;
static const struct loom_policy_type *const policies[] = {
    &near_${hook}_policy, NULL};
LOOM_PLUGIN(.policies = policies);
END
    "$cc" -std=c17 -shared -fPIC -I"$root" -o near.so shell.c near.o
    sed 's/^local loom = .*/&\nloom.plugin "near.so"/' \
        "examples/policies/near_$hook.lua" >near.lua
    "$warploom" run -q --load near.so near.lua | grep " decisions"
    # shellcheck disable=SC2086
    if "$cc" $LOOM_LINK_FLAGS -o near_test near_test.o near.o $lib "$cunit" \
        -lzstd -lnettle -lm -lpthread 2>link.log; then
        ./near_test | grep -q "tests *2 *2 *2 *0"
    else
        cat link.log
        exit 1
    fi
    grep -q "reference.md#loomnear_$hook" "docs/policies/near_$hook.md"
done

# A component, outside of the tree and in it.
"$warploom" new component far_stage >log
(cd far_stage &&
    "$cmake" -B build -DCMAKE_PREFIX_PATH="$work/prefix" \
        -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS="$strict" >log &&
    "$cmake" --build build >log &&
    "$warploom" run -q --load build/libfar_stage.so test.lua |
        grep " requests")
grep -q "^| topic | source says | we do | why |" far_stage/far_stage.md
"$warploom" new component near_stage --tree >log
# shellcheck disable=SC2086
"$cc" $strict -I"$root" -c -fPIC -o near.o components/near_stage/near_stage.c
# shellcheck disable=SC2086
"$cc" $strict -I"$root" -c -o near_test.o tests/unit/near_stage_test.c
# shellcheck disable=SC2086
"$cc" $LOOM_LINK_FLAGS -o near_test near_test.o near.o $lib "$cunit" \
    -lzstd -lnettle -lm -lpthread
./near_test | grep -q "tests *1 *1 *1 *0"
grep -q "reference.md#loomnear_stage" docs/components/near_stage.md

# A workload, beside a script and in the tree.
"$warploom" new workload twice >log
"$warploom" run -q twice_test.lua | grep " warp instructions"
sed 's/x\[i\] + x\[i\]/x[i] + 1/' suite/twice.lua >wrong.lua
mv wrong.lua suite/twice.lua
if "$warploom" run -q twice_test.lua >log 2>&1; then
    echo "wrong results were taken"
    exit 1
fi
"$warploom" new workload near_twice --tree >log
WARPLOOM_SUITE=workloads/suite "$warploom" run -q examples/near_twice.lua |
    grep " warp instructions"

# Refused, and nothing is overwritten.
refused() {
    status=$1
    text=$2
    shift 2
    if "$warploom" new "$@" >log 2>&1; then got=0; else got=$?; fi
    if [ "$got" != "$status" ] || ! grep -qFe "$text" log; then
        echo "new $*: status $got"
        cat log
        exit 1
    fi
}
refused 1 "there is a policy 'lru' already" policy lru
refused 1 "did you mean 'my_lru'?" policy My-Lru
refused 1 "is a word of C or Lua" policy struct
refused 1 "loom.run is something else" policy run
refused 2 "there is no skeleton for 'admitt'; did you mean 'admit'?" \
    policy x --hook admitt
refused 2 "not a 'componnt'; did you mean 'component'?" componnt x
refused 2 "there is no skeleton of a component with --lua" component x --lua
refused 2 "there is no skeleton of a workload with --plugin" workload x --plugin
refused 2 "--hook is for policies" workload x --hook admit
refused 1 "there is a component 'cache' already" component cache
refused 2 "--lua and --plugin: one of them" policy x --lua --plugin
refused 5 "lua_admit.lua is there already; nothing was written" \
    policy lua_admit
rm -r policies
refused 1 "--tree writes into warploom's source tree" policy x --tree
echo "thirteen skeletons build, pass their tests and run"
