#!/bin/sh
# The Debian packages in fresh Debians, from nothing to nothing: in one root they
# are built and looked at by lintian; in another, which has what the tutorial calls
# (a C compiler, clang, Graphviz, Node) but nothing of warploom, they are
# installed, the tutorial's commands are run, `warploom cuda` runs a program, and
# everything is removed again: no package more than before, no file left.
#
# usage: fresh.sh SOURCE_DIR SUITE [FOLDER]
#
# SUITE is bookworm (12) or trixie (13).  For root, with mmdebstrap, tar and a
# mirror; two gigabytes and ten minutes.  What is made stays in FOLDER
# (build/fresh/SUITE), packages in FOLDER/debs, which are taken as they are if
# they are there.
set -eu
root=$(cd "$1" && pwd)
suite=$2
work=${3:-$root/build/fresh/$suite}
mkdir -p "$work/debs"
work=$(cd "$work" && pwd)
mirror=${LOOM_MIRROR:-http://deb.debian.org/debian}
fail() {
    echo "FAILED: $*"
    exit 1
}
[ "$(id -u)" = 0 ] || fail "this makes roots and enters them: run it as root"

enter() { # FOLDER COMMAND...
    into=$1
    shift
    chroot "$into" env -i HOME=/root LC_ALL=C.UTF-8 TERM=dumb \
        PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"
}
install_in() { # FOLDER PACKAGE...
    into=$1
    shift
    enter "$into" apt-get install -y -qq --no-install-recommends "$@" \
        >"$work/apt.log" 2>&1 || { tail -20 "$work/apt.log"; fail "apt-get: $*"; }
}
# A root with what is essential, and the sources in /src.
fresh() { # FOLDER
    if [ ! -e "$work/base.tar" ]; then
        mmdebstrap --quiet --variant=minbase --include=ca-certificates \
            "$suite" "$work/new.tar" "$mirror"
        mv "$work/new.tar" "$work/base.tar"
    fi
    leave "$1"
    rm -rf "$1"
    mkdir -p "$1/src"
    tar -xf "$work/base.tar" -C "$1"
    cp /etc/resolv.conf "$1/etc/resolv.conf"
    mount -t proc proc "$1/proc"
    (cd "$root" && git ls-files -z | tar -c --null -T - -f -) |
        tar -x -C "$1/src"
    enter "$1" apt-get update -qq
}
leave() { # FOLDER
    if mountpoint -q "$1/proc"; then umount "$1/proc"; fi
}
trap 'leave "$work/build"; leave "$work/root"' EXIT

# Builds.  lintian's own warnings are errors.
if ! ls "$work"/debs/*.deb >/dev/null 2>&1; then
    fresh "$work/build"
    install_in "$work/build" build-essential lintian
    enter "$work/build" apt-get build-dep -y -qq --no-install-recommends /src \
        >"$work/apt.log" 2>&1 || { tail -20 "$work/apt.log"; fail "build-dep"; }
    enter "$work/build" sh -c "cd /src && dpkg-buildpackage -us -uc -b \
        -j${LOOM_JOBS:-$(nproc)}" >"$work/build.log" 2>&1 ||
        { tail -20 "$work/build.log"; fail "dpkg-buildpackage"; }
    enter "$work/build" sh -c 'lintian --allow-root --fail-on error,warning \
        /*.changes' >"$work/lintian.log" 2>&1 ||
        { cat "$work/lintian.log"; fail lintian; }
    cat "$work/lintian.log"
    cp "$work"/build/*.deb "$work/debs"
    leave "$work/build"
    rm -rf "$work/build"
    echo "$suite: $(ls "$work/debs" | wc -l) packages are built, lintian is content"
fi

# What is there, but for what apt and dpkg keep for themselves, and netbase's
# /etc/hosts, which it leaves.
contents() {
    enter "$1" dpkg-query -W -f '${Package} ${Status}\n' | sort
    (cd "$1" && find . -xdev \( -path ./proc -o -path ./src -o -path ./debs \
        -o -path ./tmp -o -path ./var/cache -o -path ./var/log -o -path \
        ./var/lib/apt -o -path ./var/lib/dpkg -o -path ./etc/ld.so.cache -o \
        -path ./etc/hosts -o -path ./root \) -prune -o -print | sort)
}

fresh "$work/root"
# clang-14 makes the PTX whose numbers the tutorial prints.
clang=clang-14
enter "$work/root" apt-cache show clang-14 >/dev/null 2>&1 || clang=clang
install_in "$work/root" gcc libc6-dev pkg-config liblz4-dev libzstd-dev \
    lua5.4 nodejs librsvg2-bin graphviz fonts-dejavu-core "$clang"
contents "$work/root" >"$work/before"
cp -r "$work/debs" "$work/root/debs"
enter "$work/root" sh -c 'apt-get install -y --no-install-recommends \
    /debs/*.deb' >"$work/apt.log" 2>&1 ||
    { tail -20 "$work/apt.log"; fail "the packages are not installed"; }
contents "$work/root" >"$work/with"
cmp -s "$work/before" "$work/with" && fail "nothing was installed"
echo "$suite: installed $(enter "$work/root" dpkg-query -W -f \
    '${Package} ${Version}\n' '*warploom*' | tr '\n' ',')"
enter "$work/root" warploom doctor >"$work/doctor" || { cat "$work/doctor"; fail doctor; }

# The tutorial, in a clone's folder in which nothing was built.
charts=$root/build/share/warploom/charts
given=
if [ -d "$charts" ]; then
    cp -r "$charts" "$work/root/src/charts"
    given=WARPLOOM_CHARTS=/src/charts
fi
tutorial() { # VARIABLE=VALUE... PAGE...
    enter "$work/root" env $given sh -c 'cd /src && "$@"' sh env "$@"
}
pages=$(cd "$root" && ls docs/tutorial/*.md | grep -v -e 5-cuda)
# shellcheck disable=SC2086
tutorial lua5.4 tests/docs/pages.lua /usr/bin/warploom /src $pages ||
    fail "the tutorial"
# Another clang's PTX takes other cycles: every command must succeed, and what it
# printed is shown.
page=docs/tutorial/5-cuda.md
if [ "$clang" = clang-14 ]; then
    tutorial lua5.4 tests/docs/pages.lua /usr/bin/warploom /src $page ||
        fail "chapter 5"
else
    sed -i 's/^clang-14 /clang /' "$work/root/src/$page"
    cp "$work/root/src/$page" "$work/page"
    tutorial LOOM_BLESS=1 lua5.4 tests/docs/pages.lua /usr/bin/warploom /src \
        $page || fail "chapter 5"
    diff "$work/page" "$work/root/src/$page" || true
    tutorial lua5.4 tests/docs/pages.lua /usr/bin/warploom /src $page ||
        fail "chapter 5, again"
fi

# A CUDA program that this root's compiler builds.
enter "$work/root" sh -eu -c '
    cd /tmp
    libraries=$(dirname "$(find /usr/lib -name "libcudart.so.13")")
    cc -std=gnu17 -O1 -I/src -o gpt2 /src/tests/cuda/gpt2/*.c \
        -Wl,--no-as-needed "$libraries/libcudart.so.13" \
        "$libraries/libwarploom_cuda.so" -lm
    echo "return require \"warploom\".preset.tiny {}" >machine.lua
    warploom cuda -q -o gpt2.h5 machine.lua -- ./gpt2 \
        /src/tests/cuda/gpt2/kernels.ptx 1 1 8 4 1 1
    warploom kernels gpt2.h5 | head -3
    warploom stats gpt2.h5 --check' >"$work/gpt2" 2>&1 ||
    { cat "$work/gpt2"; fail "warploom cuda on a program of this root"; }
cat "$work/gpt2"
grep -q "PASSED: the losses differ by" "$work/gpt2"
# And the tutorial's, by nvcc, where this machine has it.
if command -v nvcc >/dev/null; then
    mkdir -p "$work/root/tmp/nvcc"
    (cd "$work/root/tmp/nvcc" && for file in sums.cu program.cu machine.lua; do
        awk -v file="$file" '$0 == "```" { on = 0 } on { print }
            /^```[a-z]* file / && $3 == file { on = 1 }' \
            "$root/docs/tutorial/5-cuda.md" >"$file"
    done && nvcc -o program program.cu)
    enter "$work/root" sh -eu -c 'cd /tmp/nvcc && warploom cuda -q -o \
        program.h5 machine.lua -- ./program && warploom kernels program.h5' \
        >"$work/nvcc" 2>&1 || { cat "$work/nvcc"; fail "a program by nvcc"; }
    cat "$work/nvcc"
    grep -q "^0 sums differ" "$work/nvcc"
    grep -q "sum_columns" "$work/nvcc"
else
    echo "SKIPPED: a program by nvcc, which is not here"
fi

# A plug-in by warploom-dev, the Python package, pages of man.
enter "$work/root" sh -eu -c '
    cd /tmp
    cc -shared -fPIC $(pkg-config --cflags warploom) -o libnewest.so \
        /src/examples/plugin/newest.c
    cat >plug.lua <<END
local loom = require "warploom"
local gpu = loom.preset.tiny { sm_count = 1 }
gpu:each "sm[*].l1d":attach(loom.newest {})
local run = loom.run { machine = gpu, workload = loom.suite.vectoradd {} }
assert(run.stats "gpu/sm/l1d/policy/newest")
END
    warploom run -q --load ./libnewest.so plug.lua && echo "a plug-in"
    python3 -c "import warploom; run = warploom.open(\"gpt2.h5\"); \
        print(run.meta[\"version\"], run.labels[-1])"
    test -s /usr/share/doc/warploom/docs/tutorial/1-first-run.md' ||
    fail "a plug-in, Python or the manual"

# Away again, with all that came with them: also what another package suggests.
enter "$work/root" sh -c 'apt-get purge -y $(dpkg-query -W -f "\${Package} " \
    "*warploom*") && apt-get autoremove --purge -y \
    -o APT::AutoRemove::SuggestsImportant=0 \
    -o APT::AutoRemove::RecommendsImportant=0' >"$work/apt.log" 2>&1 ||
    { tail -20 "$work/apt.log"; fail "the packages are not removed"; }
contents "$work/root" >"$work/after"
diff "$work/before" "$work/after" >"$work/left" ||
    { head -20 "$work/left"; fail "something is left"; }
echo "$suite: removed, and nothing is left"
leave "$work/root"
rm -rf "$work/root"
