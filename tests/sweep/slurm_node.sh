#!/bin/sh
# A Slurm of one node, for tests: everything of it lies in FOLDER.
#
# usage: slurm_node.sh start|stop FOLDER
# `start` leaves FOLDER/slurm.conf for SLURM_CONF; it fails if Slurm cannot be
# started here (not installed, not root, ports taken).
set -eu
folder=$2

stop() {
    for name in slurmd.pid slurmctld.pid munge/pid; do
        [ -s "$folder/$name" ] || continue
        pid=$(cat "$folder/$name")
        n=0
        while kill "$pid" 2>/dev/null && [ $n -lt 50 ]; do
            n=$((n + 1))
            sleep 0.2
        done
    done
}

start() {
    for program in munged slurmctld slurmd sbatch srun sinfo; do
        command -v $program >/dev/null || {
            echo "slurm_node: no $program (slurmctld, slurmd, slurm-client, munge)"
            exit 1
        }
    done
    [ "$(id -u)" = 0 ] || { echo "slurm_node: not root"; exit 1; }
    mkdir -p "$folder/state" "$folder/spool" "$folder/munge"
    chmod 700 "$folder/munge"
    head -c 1024 /dev/urandom >"$folder/munge/key"
    chmod 400 "$folder/munge/key"
    munged --force --key-file="$folder/munge/key" \
        --socket="$folder/munge/socket" --pid-file="$folder/munge/pid" \
        --log-file="$folder/munge/log" --seed-file="$folder/munge/seed"
    host=$(hostname -s)
    cat >"$folder/slurm.conf" <<C
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=26817
SlurmdPort=26818
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
C
    export SLURM_CONF="$folder/slurm.conf"
    slurmctld -f "$SLURM_CONF"
    slurmd -f "$SLURM_CONF"
    n=0
    until sinfo -h -o %T 2>/dev/null | grep -q idle; do
        n=$((n + 1))
        [ $n -lt 1500 ] || { echo "slurm_node: the node does not come up"; exit 1; }
        sleep 0.2
    done
}

$1
