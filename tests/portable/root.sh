#!/bin/sh
# The libraries and headers of a Debian of another architecture, in a folder:
# nothing of this machine is changed.  Uses mmdebstrap, which fetches packages
# and takes them apart.
# usage: root.sh ARCHITECTURE FOLDER [SUITE]
set -eu
architecture=$1
root=$2
suite=${3:-bookworm}
if [ -e "$root/complete" ]; then
    exit 0
fi
rm -rf "$root"
mkdir -p "$(dirname "$root")"
echo "root: fetching libraries of $suite for $architecture"
mmdebstrap --quiet --variant=extract --architectures="$architecture" \
    --include=libc6-dev,libcunit1-dev,libedit-dev,libhdf5-dev,liblua5.4-dev \
    --include=liblz4-dev,liblzma-dev,libmicrohttpd-dev,libzstd-dev \
    --include=lua-argparse,nettle-dev,zlib1g-dev "$suite" "$root"
root=$(cd "$root" && pwd)
# Packages are not configured, so HDF5 has its longer name only; and links with
# absolute names mean this root.
for names in "$root"/usr/lib/*/pkgconfig/hdf5-serial.pc; do
    ln -sf hdf5-serial.pc "${names%-serial.pc}.pc"
done
find "$root" -type l -lname '/*' | while read -r link; do
    ln -sfn "$root$(readlink "$link")" "$link"
done
: >"$root/complete"
