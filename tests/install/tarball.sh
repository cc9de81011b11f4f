#!/bin/sh
# The tarball in a fresh Debian, with the packages that docs/installing.md names
# and nothing else, no compiler: an example has the digest that it has here, and a
# figure is drawn.
#
# usage: tarball.sh SOURCE_DIR TARBALL SUITE
#
# For root, with mmdebstrap, unshare and a mirror; half a gigabyte in $TMPDIR.
set -eu
root=$(cd "$1" && pwd)
tarball=$2
suite=$3
fail() {
    echo "FAILED: $*"
    exit 1
}
[ "$(id -u)" = 0 ] || fail "this makes a root and enters it: run it as root"
packages=$(sed -n 's/^apt-get install \(libcurl4 .*\)/\1/p' \
    "$root/docs/installing.md" | tr ' ' ,)
[ -n "$packages" ] || fail "docs/installing.md names no packages"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mmdebstrap --quiet --variant=minbase --include="$packages" "$suite" \
    "$work/root.tar" "${LOOM_MIRROR:-http://deb.debian.org/debian}"
mkdir "$work/root"
tar -xf "$work/root.tar" -C "$work/root"
tar -xf "$tarball" -C "$work/root/opt"
cat >"$work/root/tmp/try.sh" <<'END'
set -eu
cd /tmp
! command -v cc gcc clang || { echo "there is a compiler"; exit 1; }
tree=$(echo /opt/warploom-*)
PATH=$tree/bin:$PATH
warploom run "$tree/share/warploom/examples/quickstart.lua" -o atax.h5 | sed -n \
    's/^ *state digest *//p' >digest
warploom stats atax.h5 --check
warploom doctor
if warploom doctor | grep -q '^ok *charts'; then
    warploom plot -q atax.h5 gpu.sm.l1d.misses -o misses.html
    grep -q vega misses.html
fi
END
# What the loader reads of a program's place is in /proc.
unshare -m sh -c 'mount -t proc proc "$1/proc" && exec chroot "$1" env -i \
    HOME=/root LC_ALL=C.UTF-8 PATH=/usr/bin:/bin sh /tmp/try.sh' sh "$work/root" \
    >"$work/out" 2>&1 || { cat "$work/out"; fail "in $suite"; }
mkdir "$work/here"
tar -xf "$tarball" -C "$work/here"
(cd "$work" && here/*/bin/warploom run -o here.h5 \
    here/*/share/warploom/examples/quickstart.lua | sed -n \
    's/^ *state digest *//p') >"$work/digest"
[ -s "$work/digest" ] || fail "no digest here"
cmp "$work/digest" "$work/root/tmp/digest" || fail "another digest in $suite"
echo "$suite: $(cat "$work/root/etc/debian_version"), the digest is the same"
