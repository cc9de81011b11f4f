#!/bin/sh
# A sweep in a Slurm of one node: under srun, and as the job array that
# `warploom sweep --slurm` writes.  Where Slurm cannot be started the test says
# so loudly, and runs the array's script by a stand-in for sbatch that runs
# each task in turn.
#
# usage: slurm.sh WARPLOOM FOLDER-OF-SCRIPTS
set -eu
warploom=$1
here=$(cd "$2" && pwd)
dir=$(mktemp -d)
cd "$dir"
fail() { echo "slurm: $*" >&2; exit 1; }
leave() {
    sh "$here/slurm_node.sh" stop "$dir/node"
    rm -rf "$dir"
}
trap leave EXIT
real=no
if sh "$here/slurm_node.sh" start "$dir/node" >node.out 2>&1; then
    real=yes
    export SLURM_CONF="$dir/node/slurm.conf"
else
    echo "sweep.slurm: NO REAL SLURM HERE: $(tail -1 node.out)"
    echo "sweep.slurm: the script is run by a stand-in for sbatch"
fi

# Stands in for sbatch.
stand_in() {
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
    PATH="$dir/bin:$PATH"
}

[ $real = yes ] || stand_in
"$warploom" sweep "$here/small.lua" --slurm -o "with space" >out
grep -q '^wrote small.slurm' out || fail "$(cat out)"
sh -n small.slurm || fail "not a shell script"
grep -q '^#SBATCH --array=0-11$' small.slurm || fail "no array of 12"
sh small.slurm >run.out 2>run.err || fail "$(cat run.err)"
if [ $real = yes ]; then
    n=0
    while [ -n "$(squeue -h)" ]; do
        n=$((n + 1))
        [ $n -lt 3600 ] || fail "jobs do not end: $(squeue)"
        sleep 0.5
    done
    cp "with space/slurm-merge.log" run.out
else
    grep -q -- '--dependency=afterany:1' sbatch.log || fail "$(cat sbatch.log)"
fi
grep -q '12 points, 0 run, 12 done before, 0 failed' run.out || fail "$(cat run.out)"
"$warploom" sweep "$here/small.lua" -o two -j2 --quiet
cmp "with space/results.h5" two/results.h5 || fail "other results"
if [ $real = yes ] && [ -e "${warploom%/*}/warploom_mpi.so" ] &&
    srun --mpi=list 2>&1 | grep -q pmix; then
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
        srun --mpi=pmix -n "$(nproc)" "$warploom" sweep "$here/small.lua" \
        -o three >three.out 2>&1 || fail "srun: $(cat three.out)"
    grep -q '12 points, 12 run' three.out || fail "srun: $(cat three.out)"
    cmp three/results.h5 two/results.h5 || fail "srun: other results"
fi
"$warploom" sweep "$here/small.lua" --part 3/3 2>err && fail "--part 3/3"
grep -q 'expected I/N' err || fail "$(cat err)"
"$warploom" sweep "$here/small.lua" --slurm -o k --kernels 'a*,b' --last 2 >out
grep -q -- "^exec .* '--kernels=a\*,b' --last=2 --part" small.slurm ||
    fail "no --kernels in the script"
echo "slurm: ok (real Slurm: $real)"
