#!/bin/sh
# The script that `warploom sweep --slurm` writes: run here by a stand-in for
# sbatch that runs each task in turn.  A real Slurm is not started: the test
# says so.
#
# usage: slurm.sh WARPLOOM FOLDER-OF-SCRIPTS
set -eu
warploom=$1
here=$(cd "$2" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
fail() { echo "slurm: $*" >&2; exit 1; }
echo "sweep.slurm: no real Slurm is started here; the script is run by a stand-in for sbatch"

mkdir bin
cat >bin/sbatch <<'S'
#!/bin/sh
set -eu
echo "$@" >>sbatch.log
wrap=""
for word in "$@"; do
    case $word in
    --wrap=*) wrap=${word#--wrap=} ;;
    *) script=$word ;;
    esac
done
if [ -n "$wrap" ]; then
    SLURM_JOB_ID=2 sh -c "$wrap"
else
    last=$(sed -n 's/^#SBATCH --array=0-//p' "$script")
    i=0
    while [ $i -le "$last" ]; do
        SLURM_JOB_ID=1 SLURM_ARRAY_TASK_ID=$i sh "$script"
        i=$((i + 1))
    done
    echo 1
fi
S
chmod +x bin/sbatch
"$warploom" sweep "$here/small.lua" --only size=16KiB -j2 --quiet -o one
"$warploom" sweep "$here/small.lua" --slurm -o "with space" >out
grep -q '^wrote small.slurm' out || fail "$(cat out)"
sh -n small.slurm || fail "not a shell script"
grep -q '^#SBATCH --array=0-11$' small.slurm || fail "no array of 12"
PATH="$dir/bin:$PATH" sh small.slurm >run.out 2>run.err || fail "$(cat run.err)"
grep -q '12 points, 0 run, 12 done before, 0 failed' run.out || fail "$(cat run.out)"
grep -q -- '--dependency=afterany:1' sbatch.log || fail "$(cat sbatch.log)"
"$warploom" sweep "$here/small.lua" -o two -j2 --quiet
cmp "with space/results.h5" two/results.h5 || fail "other results"
"$warploom" sweep "$here/small.lua" --part 3/3 2>err && fail "--part 3/3"
grep -q 'expected I/N' err || fail "$(cat err)"
echo "slurm: ok"
