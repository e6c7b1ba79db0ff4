#!/bin/sh
# Slurm on this machine alone, for tests: a controller and several nodes, with their own key, ports, configuration and logs in one folder.
#
#   ./scripts/slurm-local.sh start DIR NODES      prints SLURM_CONF=...; nodes are called n1, n2 ..., each takes one task at a time
#   ./scripts/slurm-local.sh stop DIR
#
# As root on Debian, with the packages slurm-wlm and munge. A Slurm that runs here already is left alone.
set -eu
fail() { echo "slurm-local: $*" >&2; exit 2; }
[ $# -ge 2 ] || fail "start DIR NODES, or stop DIR"
command=$1
folder=$2

# Ends the daemons of this folder, by the numbers that they wrote, and waits until they are gone.
stop() {
    for file in "$folder"/slurmd.*.pid "$folder/slurmctld.pid" "$folder/munged.pid"; do
        [ -f "$file" ] || continue
        pid=$(cat "$file")
        kill "$pid" 2>/dev/null || continue
        for _ in $(seq 50); do
            kill -0 "$pid" 2>/dev/null || break
            sleep 0.1
        done
    done
}

if [ "$command" = stop ]; then
    stop
    exit 0
fi
[ "$command" = start ] && [ $# = 3 ] || fail "start DIR NODES, or stop DIR"
nodes=$3
[ "$(id -u)" = 0 ] || fail "must be root: nodes start tasks as their owners"
for program in munged slurmctld slurmd sbatch; do
    command -v "$program" >/dev/null || fail "$program is missing: apt-get install slurm-wlm munge"
done
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
mkdir -p "$folder/state" "$folder/munge"
chmod 700 "$folder/munge"
# Ports that nobody is likely to have, and two instances do not share.
port=$((20000 + $$ % 20000))
host=$(hostname -s)
dd if=/dev/urandom of="$folder/munge/key" bs=1024 count=1 2>/dev/null
chmod 400 "$folder/munge/key"
cat >"$folder/slurm.conf" <<END
ClusterName=local
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket,cred_expire=5
SlurmctldPort=$port
SlurmctldPidFile=$folder/slurmctld.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdPidFile=$folder/slurmd.%n.pid
SlurmdLogFile=$folder/slurmd.%n.log
SlurmdSpoolDir=$folder/spool.%n
StateSaveLocation=$folder/state
SlurmdParameters=config_overrides
MpiDefault=none
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,sched_interval=1,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
JobRequeue=1
ReturnToService=2
SlurmdTimeout=30
KillWait=2
MinJobAge=3600
MaxArraySize=10001
NodeName=n[1-$nodes] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + nodes))] CPUs=1 RealMemory=512 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF="$folder/slurm.conf"
trap 'stop; echo "slurm-local: did not start; logs are in $folder" >&2' EXIT
# Its checks want folders above the socket that only root can write; here they are somebody's temporary folder.
munged --force --key-file="$folder/munge/key" --socket="$folder/munge.socket" --pid-file="$folder/munged.pid" \
    --log-file="$folder/munge/log" --seed-file="$folder/munge/seed" 2>"$folder/munged.txt" || { cat "$folder/munged.txt" >&2; exit 2; }
slurmctld -c
for node in $(seq "$nodes"); do
    mkdir -p "$folder/spool.n$node"
    slurmd -N "n$node"
done
idle() { sinfo -h -N -o '%T' 2>/dev/null | grep -c idle; }
for _ in $(seq 100); do
    if [ "$(idle)" = "$nodes" ]; then
        trap - EXIT
        echo "SLURM_CONF=$SLURM_CONF"
        exit 0
    fi
    sleep 0.2
done
sinfo -N >&2 || true
exit 2
