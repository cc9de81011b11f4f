#!/bin/sh
# From a fresh clone to a running simulator, or to a tested one.
#
#   ./setup.sh demo    install what is missing, build, run the quick start; the
#                      build includes what CUDA programs run with
#   ./setup.sh build   install what is missing, build for speed: twice, the second
#                      time with what the first program counted of its branches
#   ./setup.sh test    install what is missing, build (with such counts only if
#                      they are there) and run the whole test suite
#   ./setup.sh charts  what draws figures (plot, report): Vega-Lite, by npm
#   ./setup.sh tarball a tarball that runs on other Debians (docs/installing.md)
#   ./setup.sh site    the manual as HTML, in build/site (docs/site)
#   ./setup.sh figures  the figures of docs/validation.md, beside their data
#   ./setup.sh recipes the same for docs/post-processing.md alone, with Octave
#                      and R (500 MB more)
#   ./setup.sh slurm   a Slurm for the test sweep.slurm, which starts one of one
#                      node where it is installed (CI does this)
#   ./setup.sh check   the same suite with sanitizers and clang as well
#   ./setup.sh portable  unit and golden tests of a plain x86-64 and of an aarch64,
#                      cross-compiled, in qemu: the same bits
#   ./setup.sh fresh   the Debian packages in a fresh Debian 12 and a fresh 13:
#                      built, installed, used, removed (for root)
#
# Installs Debian packages with apt-get, only those that are missing (with sudo
# where the user is not root), and for figures the npm packages that
# lua/charts/package-lock.json names, in build/share.
set -eu
cd "$(dirname "$0")"

building="build-essential cmake ninja-build pkg-config liblua5.4-dev lua-argparse
    libhdf5-dev liblzma-dev zlib1g-dev libzstd-dev liblz4-dev
    nettle-dev libedit-dev libmicrohttpd-dev"
testing="libcunit1-dev lua5.4 lua-check clang-format-14 clang-14 binutils graphviz
    hdf5-tools sqlite3 python3-h5py python3-pandas python3-xarray
    python3-h5netcdf mypy man-db bash-completion zsh fish libopenmpi-dev openmpi-bin
    librsvg2-bin fonts-dejavu-core"
# What makes HTML of docs/.
manual="python3-sphinx python3-myst-parser furo lua5.4"
# Languages of docs/post-processing.md that are large.
recipes="octave r-bioc-rhdf5 r-cran-hdf5r"
# More compilers whose PTX is tried, and a browser for reports, where this
# Debian has them.
trying="clang-16 clang-19 chromium-headless-shell"

# Programs for other processors.
elsewhere="gcc-aarch64-linux-gnu qemu-user-static mmdebstrap"

need() {
    missing=""
    for package in "$@"; do
        state=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
        [ "$state" = "install ok installed" ] || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    echo "setup: installing$missing"
    root=""
    if [ "$(id -u)" -ne 0 ]; then
        root="sudo"
    fi
    $root apt-get update -qq
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive $root apt-get install -y -qq \
        --no-install-recommends $missing >/dev/null
}

# Those that this Debian knows; tests that want the others say so and skip.
wish() {
    known=""
    for package in "$@"; do
        if apt-cache show "$package" >/dev/null 2>&1; then
            known="$known $package"
        else
            echo "setup: no package $package here"
        fi
    done
    # shellcheck disable=SC2086
    need $known
}

# The library that draws figures, into build/share/warploom/charts, where the
# program finds it.  npm compares what it gets with the digests in the lock.
charts() {
    into=build/share/warploom/charts
    if cmp -s lua/charts/package-lock.json "$into/package-lock.json"; then
        return 0
    fi
    command -v node >/dev/null 2>&1 || need nodejs
    command -v npm >/dev/null 2>&1 || need npm
    echo "setup: fetching what draws figures"
    rm -rf build/charts "$into"
    mkdir -p build/charts
    cp lua/charts/package.json lua/charts/package-lock.json build/charts
    if ! (cd build/charts && npm ci --ignore-scripts --no-audit --no-fund \
        --loglevel=error); then
        echo "setup: npm could not fetch it: 'plot' and 'report' will not draw"
        return 1
    fi
    node lua/charts/install.js build/charts/node_modules "$into" || return 1
    cp lua/charts/package-lock.json "$into"
    rm -rf build/charts
}

# build PRESET [TARGET]...: with what $options say
options=
build() {
    preset=$1
    shift
    echo "setup: building (preset $preset)"
    [ $# -eq 0 ] || set -- --target "$@"
    # shellcheck disable=SC2086
    cmake --preset "$preset" $options >"build-$preset.log" 2>&1 &&
        cmake --build --preset "$preset" "$@" \
            >>"build-$preset.log" 2>&1 || {
        cat "build-$preset.log"
        exit 1
    }
    rm -f "build-$preset.log"
}

# What the compiler may know of branches, unless it is known of these sources:
# a program that counts them, half a minute, and some runs of it.
profile() {
    runs=build/profile/runs
    if [ -f $runs/complete ] && [ -z "$(find CMakeLists.txt components engine \
        lua policies stats workloads tests/bench/train.* \
        -newer $runs/complete)" ]; then
        return 0
    fi
    build profile warploom
    echo "setup: counting what ordinary runs do"
    sh tests/bench/train.sh build/profile/warploom $runs
}

case "${1:-}" in
demo)
    # shellcheck disable=SC2086
    need $building
    build release installable
    ./build/release/warploom run examples/quickstart.lua -o atax.h5
    ;;
build)
    # shellcheck disable=SC2086
    need $building
    profile
    build release installable
    ;;
charts)
    charts
    ;;
tarball)
    # shellcheck disable=SC2086
    need $building
    charts || echo "setup: 'plot' and 'report' of the tarball will not draw"
    build portable installable
    (cd build/portable && cpack -G TXZ)
    ;;
site)
    # shellcheck disable=SC2086
    need $manual
    charts || echo "setup: figures of docs/validation.md will not be drawn"
    docs/site/build.sh build/site
    echo "setup: the manual is build/site/index.html"
    ;;
figures)
    need lua5.4
    charts
    lua5.4 tests/validate/figures.lua docs/validation
    ;;
test)
    # shellcheck disable=SC2086
    need $building $testing $manual
    # shellcheck disable=SC2086
    wish $trying
    charts || echo "setup: tests that draw will say SKIPPED"
    # Optimised file by file, unless it is there as a whole: the numbers are the
    # same, and two links would take two minutes.
    grep -qE '^LOOM_LTO:BOOL=(ON|TRUE)' build/release/CMakeCache.txt 2>/dev/null ||
        options=-DLOOM_LTO=OFF
    build release
    # One more than processors: some tests wait for others.
    ctest --preset release -j $(($(nproc) + 1))
    ;;
recipes)
    # shellcheck disable=SC2086
    need $building $testing $recipes
    build release
    ctest --preset release -R "look\.(recipe|helper)"
    ;;
slurm)
    need slurmctld slurmd slurm-client munge
    ;;
check)
    # shellcheck disable=SC2086
    need $building $testing
    charts || echo "setup: tests that draw will say SKIPPED"
    profile
    build release
    build asan
    build clang
    echo "setup: the same run in every build"
    sh tests/validate/builds.sh examples/quickstart.lua \
        build/release/warploom build/asan/warploom build/clang/warploom
    echo "setup: tests with address and undefined behaviour sanitizers"
    ctest --preset asan -j 2 -LE "lint|docs"
    echo "setup: golden statistics with clang"
    ctest --preset clang -j 2 -L golden
    # One more than processors: some tests wait for others.
    ctest --preset release -j $(($(nproc) + 1))
    ;;
portable)
    # shellcheck disable=SC2086
    need $building $testing $elsewhere
    sh tests/portable/root.sh arm64 build/aarch64-root
    for preset in plain aarch64; do
        build "$preset"
        ctest --preset "$preset" -j 2 -L '^(unit|contract|golden)$'
    done
    ;;
fresh)
    need mmdebstrap
    charts || echo "setup: figures of the tutorial will not be drawn"
    for suite in bookworm trixie; do
        sh tests/install/fresh.sh . "$suite"
    done
    ;;
*)
    sed -n '2,26s/^# \{0,1\}//p' "$0"
    exit 2
    ;;
esac
