#!/bin/sh
# Installs with DESTDIR and prefix /usr, moves the tree, and uses all of it from
# there: the quick start, a plug-in by pkg-config, man pages, completion, the
# libraries for CUDA programs, licences.
# usage: tree.sh BUILD_DIR SOURCE_DIR CMAKE CC
set -eu
build=$1
root=$2
cmake=$3
cc=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    echo "$*"
    exit 1
}

DESTDIR="$work/stage" "$cmake" --install "$build" --prefix /usr \
    >"$work/install.log"
mv "$work/stage/usr" "$work/moved"
tree=$work/moved
PATH=$tree/bin:$PATH
unset WARPLOOM_LUA WARPLOOM_CHARTS
cd "$work"
[ -z "$(find stage -type f)" ] || fail "files outside of the prefix"
# Nothing but the program knows where it was built or put.
if grep -rIl -e "$build" -e "$work/stage" "$tree" >paths; then
    fail "these name a folder of the build:" $(cat paths)
fi

# The program.
warploom doctor >log || { cat log; exit 1; }
warploom run -q "$tree/share/warploom/examples/quickstart.lua" \
    --set rows=256 --set columns=32 -o atax.h5
warploom kernels atax.h5 | grep -q atax_rows
warploom cite atax.h5 | grep -q "@software{warploom,"
WARPLOOM_LUA=$tree/share/warploom/lua warploom info cache >with
warploom info cache | cmp - with
grep -q "function loom.cache(fields)" "$tree/share/warploom/types/warploom.lua"

# A plug-in, by pkg-config alone.
pc=$(find "$tree" -name warploom.pc)
PKG_CONFIG_PATH=${pc%/*}
export PKG_CONFIG_PATH
# shellcheck disable=SC2046
"$cc" -shared -fPIC -Wall -Wextra -Werror $(pkg-config --cflags warploom) \
    -o libnewest.so "$root/examples/plugin/newest.c"
[ "$(pkg-config --variable=abi warploom)" = \
    "$(sed -n 's/^#define LOOM_PLUGIN_ABI //p' "$root/engine/plugin.h")" ]
"$(pkg-config --variable=program warploom)" --version
cat >plug.lua <<'END'
local loom = require "warploom"
local gpu = loom.preset.tiny { sm_count = 1 }
gpu:each "sm[*].l1d":attach(loom.newest {})
local run = loom.run { machine = gpu, workload = loom.suite.vectoradd {} }
assert(run.stats "gpu/sm/l1d/policy/newest")
END
warploom run -q --load libnewest.so plug.lua
warploom info --load libnewest.so newest | grep -q "^newest (policy)"
warploom info --load libnone.so newest 2>log && fail "a plug-in that is not there"
grep -q "there is no file libnone.so" log

# Every command has a page, without a complaint of what formats it.
for command in $(warploom --help | sed -n 's/^  \([a-z]*\)  *.*/\1/p'); do
    page=$tree/share/man/man1/warploom-$command.1
    [ -f "$page" ] || fail "no page of $command"
    groff -man -Tutf8 -ww -z "$page" >complaints 2>&1
    [ ! -s complaints ] || { cat complaints; exit 1; }
done
if command -v man >/dev/null; then
    MANWIDTH=80 man -l "$tree/share/man/man1/warploom-run.1" >run.txt
    grep -q -- "--set NAME=VALUE" run.txt || fail "man shows no --set"
    MANPATH=$tree/share/man man warploom >overview.txt
    grep -q "EXIT STATUS" overview.txt
else
    echo "not shown by man, which is not installed"
fi

# Shells complete by what they load.
completion=$tree/share/bash-completion/completions/warploom
cat >complete.bash <<'END'
source "$1"
complete -p warploom >/dev/null || exit 1
function=$(complete -p warploom | sed 's/.*-F \([^ ]*\).*/\1/')
COMP_WORDS=(warploom swe); COMP_CWORD=1
"$function" warploom swe warploom
echo "${COMPREPLY[@]}"
COMP_WORDS=(warploom run --thr); COMP_CWORD=2
"$function" warploom --thr run
echo "${COMPREPLY[@]}"
END
bash complete.bash "$completion" >completed || fail "bash does not complete"
grep -q "^sweep" completed || { cat completed; fail "no sweep"; }
grep -q -- "^--threads" completed || { cat completed; fail "no --threads"; }
! command -v zsh >/dev/null ||
    zsh -n "$tree/share/zsh/vendor-completions/_warploom"
! command -v fish >/dev/null ||
    fish -n "$tree/share/fish/vendor_completions.d/warploom.fish"

# Programs of CUDA find their libraries: a program that needs none runs.
cat >machine.lua <<'END'
return require "warploom".preset.tiny {}
END
warploom cuda -q machine.lua -- /bin/echo found >log 2>&1 || true
grep -q found log || { cat log; exit 1; }

# Licences of all that is inside.
notices=$(find "$tree/share/doc" -name NOTICES)
grep -q "Peter Melnichenko" "$notices"
grep -q "WITHOUT WARRANTY OF ANY KIND" "$notices"
grep -q "BSD 3-Clause" "${notices%/*}/LICENSE"
[ ! -d "$tree/share/warploom/charts" ] ||
    [ -s "$tree/share/warploom/charts/LICENCES.txt" ]
echo "a moved tree runs, builds a plug-in, shows pages and completes"
