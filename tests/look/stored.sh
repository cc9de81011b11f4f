#!/bin/sh
# Results of version 0.1.0 stay readable, by every command that reads and by the
# Python package; those of a layout that is newer than ours are refused.
# usage: stored.sh PROGRAM SOURCE_DIR
set -eu
program=$1 root=$2
python=python3
[ -x /usr/bin/python3 ] && python=/usr/bin/python3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
if ! command -v xz >/dev/null; then
    echo "SKIPPED: there is no xz here"
    exit 77
fi
xz -dc "$root/tests/data/results/0.1.0.h5.xz" >old.h5

"$program" stats old.h5 --check | grep -q " 0 problems"
# The digest and numbers that were in it when it was written.
[ "$("$program" stats old.h5 --digest)" = "41a0bb22abcc9b3ae63e2f5884dcfdeb58162fafe5755b59639cff2b9e0ce350" ]
"$program" stats old.h5 gpu.sm.l1d.misses --csv >misses.csv
grep -q "^gpu.sm.l1d.misses,1,189," misses.csv || { cat misses.csv; exit 1; }
"$program" stats old.h5 --series bw gpu.dram.bytes --csv >series.csv
awk -F, 'NR > 1 { sum += $3 } END { exit sum != 23808 }' series.csv
"$program" kernels old.h5 | grep -q "^  0  vectoradd"
"$program" explain old.h5 >said
grep -q vectoradd said
"$program" export -q old.h5 -o old.csv
"$program" diff old.h5 old.h5 >said || { cat said; exit 1; }
cp old.h5 again.h5
"$program" merge -q old.h5 again.h5 -o both.h5
"$program" stats both.h5 --check >said
"$program" cite old.h5 | grep -q "@software"
"$program" plot -q old.h5 gpu.sm.l1d.misses -o old.json
grep -q '189' old.json
if "$program" doctor | grep -q '^ok *charts'; then
    "$program" report -q old.h5 -o old.html
    grep -q vectoradd old.html
else
    echo "SKIPPED: a report of it: no Vega-Lite here (./setup.sh charts)"
fi
# It was run without these, which is all that is wrong with it.
without() { # WORDS COMMAND..
    words=$1
    shift
    if "$program" "$@" >said 2>&1 || ! grep -q "$words" said; then
        echo "$*:"
        cat said
        exit 1
    fi
}
without "has no profile" profile old.h5
without "has no energies" energy old.h5
# These are all commands of results; look reads timelines.
known=" stats kernels explain profile energy plot report look diff merge export "
for command in $("$program" --help |
    sed -n '/^Results/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    case $known in
    *" $command "*) ;;
    *) echo "does $command read it?" && exit 1 ;;
    esac
done

newer() {
    if "$program" "$@" >said 2>&1 || ! grep -q "has results layout 2.1, and \
this program reads those up to 1.0" said; then
        echo "$*:"
        cat said
        exit 1
    fi
}
if "$python" -c "import h5py" 2>/dev/null; then
    export PYTHONPATH="$root/python" PYTHONDONTWRITEBYTECODE=1
    "$python" - <<'END'
import h5py
import warploom
run = warploom.open("old.h5")
assert run["gpu.sm.l1d.misses"].total() == 189
assert run["bw:gpu.dram.bytes"].windows().sum() == 23808
assert run.meta["version"] == "0.1.0" and run.labels == ["vectoradd", "end"]
run.close()
with h5py.File("old.h5", "r+") as file:
    file.attrs["format_version"] = "2.1"
try:
    warploom.open("old.h5")
except ValueError as error:
    assert "layout 2.1" in str(error)
else:
    raise AssertionError("a newer layout was read")
END
    for command in stats kernels explain export cite; do
        newer $command old.h5
    done
    newer stats old.h5 --check
    newer diff old.h5 both.h5
else
    echo "SKIPPED: the Python package and newer layouts: no h5py here"
fi
echo "read"
